package io.controllermanager.informer.faults;

import io.controllermanager.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A clock that somebody sets: {@link #now} jumps, while {@link #nanoTime} goes on evenly, as the operating system's
 * monotonic clock does.
 */
final class WallClock implements Clock {

    private final AtomicLong wrongReadings = new AtomicLong();
    private volatile Duration offset = Duration.ZERO;

    void setOff(Duration by) {
        offset = by;
    }

    /** How often it has told a wrong time. */
    long wrongReadings() {
        return wrongReadings.get();
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Instant now() {
        Duration off = offset;
        if (!off.isZero()) {
            wrongReadings.incrementAndGet();
        }
        return Instant.now().plus(off);
    }
}
