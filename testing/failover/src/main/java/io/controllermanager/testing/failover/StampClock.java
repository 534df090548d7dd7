package io.controllermanager.testing.failover;

import java.time.Instant;

/**
 * What the monotonic clock, which on Linux counts alike in all processes of a machine, says on the wall clock. It is right as
 * long as nobody sets the machine's wall clock.
 *
 * @param wall a moment
 * @param nanoTime the same
 */
record StampClock(Instant wall, long nanoTime) {

    /** As of now. */
    static StampClock read() {
        long before = System.nanoTime();
        Instant wall = Instant.now();
        long after = System.nanoTime();
        return new StampClock(wall, before + (after - before) / 2);
    }

    Instant instant(long stamp) {
        return wall.plusNanos(stamp - nanoTime);
    }
}
