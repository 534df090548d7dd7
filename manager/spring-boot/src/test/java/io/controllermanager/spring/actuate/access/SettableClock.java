package io.controllermanager.spring.actuate.access;

import io.controllermanager.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/** Stands still until it is told how much time has passed. Safe for use by several threads. */
final class SettableClock implements Clock {

    private final AtomicLong nanos;

    /** Shows a time; it may be one from which on the number overflows. */
    SettableClock(long nanos) {
        this.nanos = new AtomicLong(nanos);
    }

    void advance(Duration duration) {
        nanos.addAndGet(duration.toNanos());
    }

    @Override
    public long nanoTime() {
        return nanos.get();
    }

    @Override
    public Instant now() {
        return Instant.EPOCH;
    }
}
