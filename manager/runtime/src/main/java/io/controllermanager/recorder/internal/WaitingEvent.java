package io.controllermanager.recorder.internal;

import java.time.Instant;

/** An Event that waits to be written, and how often it was recorded meanwhile. Guarded by its lane's lock. */
final class WaitingEvent {

    private final RecordedEvent event;
    private int count = 1;
    private Instant last;

    WaitingEvent(RecordedEvent event) {
        this.event = event;
        this.last = event.at();
    }

    RecordedEvent event() {
        return event;
    }

    int count() {
        return count;
    }

    Instant last() {
        return last;
    }

    void repeat(Instant at) {
        count++;
        last = at;
    }
}
