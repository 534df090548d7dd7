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

    /** As exact as it has to be: a thread that loses its core in the midst of a reading reads something else. */
    private static final long EXACT_NANOS = 500_000;

    private static final int TRIES = 1000;

    /** As of now. */
    static StampClock read() {
        StampClock best = new StampClock(Instant.EPOCH, 0);
        long shortest = Long.MAX_VALUE;
        for (int i = 0; i < TRIES && shortest >= EXACT_NANOS; i++) {
            long before = System.nanoTime();
            Instant wall = Instant.now();
            long took = System.nanoTime() - before;
            if (took < shortest) {
                shortest = took;
                best = new StampClock(wall, before + took / 2);
            }
        }
        return best;
    }

    Instant instant(long stamp) {
        return wall.plusNanos(stamp - nanoTime);
    }
}
