package io.controllermanager.time.internal;

import io.controllermanager.time.Clock;
import java.time.Duration;

/**
 * Lets something happen at most once in an interval of the monotonic clock, however many have a reason for it. Safe for use
 * by several threads: of those who ask at a time one is told to.
 */
public final class OncePerInterval {

    private final Clock clock;
    private final long intervalNanos;

    // Guarded by this object's monitor.
    private boolean happened;
    private long lastNanos;

    /** Due at once. */
    public OncePerInterval(Clock clock, Duration interval) {
        this.clock = clock;
        this.intervalNanos = interval.toNanos();
    }

    /** Whether to do it now; who is told so does. */
    public synchronized boolean isDue() {
        long now = clock.nanoTime();
        if (happened && now - lastNanos < intervalNanos) {
            return false;
        }
        happened = true;
        lastNanos = now;
        return true;
    }
}
