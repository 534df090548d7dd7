package io.controllermanager.leaderelection.internal;

import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/** Something is to be done outside of the state. Timers need no command: they follow from the state. */
sealed interface ElectionCommand {

    /** Commands without content. */
    enum Simple implements ElectionCommand {
        TELL_ACQUIRED,
        TELL_LOST,
        /** The Lease is at an older version than it was. */
        DOUBT_STORAGE,
        /** All requests were answered: whoever waits for the stop need not wait longer. */
        END
    }

    /** Have the request thread do a task. */
    record Work(ElectionTask task) implements ElectionCommand {}

    /** Once all notices are given, ask the listener for hand-over notes, and have the request thread release the Lease. */
    record Release(boolean stop) implements ElectionCommand {}

    /** Have the listener end its work, so that another process gets the Lease; not while another Lease is handed over. */
    record HandOver(String asker) implements ElectionCommand {}

    record Log(Level level, String message, @Nullable Throwable cause) implements ElectionCommand {}
}
