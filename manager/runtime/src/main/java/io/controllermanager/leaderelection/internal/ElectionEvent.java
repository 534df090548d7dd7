package io.controllermanager.leaderelection.internal;

import io.kubernetes.client.openapi.models.V1Lease;
import org.jspecify.annotations.Nullable;

/** Something happens that the election has to know. */
sealed interface ElectionEvent {

    /** Events without content. */
    enum Signal implements ElectionEvent {
        /** The next attempt is due, or the renew deadline has passed. */
        TIME_PASSED,
        RETRY_NOW,
        RESIGN,
        STOP,
        /** This process should rather have the Lease than its holder. */
        ASK,
        /** This process no longer wishes for the Lease. */
        TAKE_BACK
    }

    /** The request thread is at a task. */
    record Turn(ElectionTask task) implements ElectionEvent {}

    /** The Lease was read; null if there is none. */
    record Read(ElectionTask.Request request, @Nullable V1Lease lease) implements ElectionEvent {}

    /** The Lease was stored as given, by a request that was sent just after the given monotonic time. */
    record Stored(ElectionTask.Request request, V1Lease lease, long sentAt) implements ElectionEvent {}

    /** A write was refused: the Lease has changed, is gone, or was made meanwhile. */
    record Refused(ElectionTask.Request request) implements ElectionEvent {}

    /** A request failed, or its answer was lost; with the cause if nobody expected it. */
    record Failed(
            ElectionTask.Request request,
            String message,
            @Nullable Throwable unexpected) implements ElectionEvent {}

    /** The watch tells how the Lease is. */
    record Seen(V1Lease lease) implements ElectionEvent {}

    /** The watch tells that the Lease is gone, and how it was. */
    record Deleted(V1Lease lease) implements ElectionEvent {}

    /** The watch has broken off; null if it works again. */
    record WatchInterrupted(@Nullable String why) implements ElectionEvent {}

    /** Another's wish for the Lease was considered: it is granted or stands, or it is refused. */
    record Considered(String asker, boolean stands) implements ElectionEvent {}
}
