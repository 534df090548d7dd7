package io.controllermanager.testing.controlplane;

import java.time.Duration;

/** A moment that this JVM's monotonic clock will reach. */
record Deadline(long nanoTime) {

    /** Longer than anything here takes on a busy machine: what takes longer hangs. */
    static final Duration LIMIT = Duration.ofMinutes(3);

    static Deadline generous() {
        return new Deadline(System.nanoTime() + LIMIT.toNanos());
    }

    boolean hasPassed() {
        return System.nanoTime() - nanoTime >= 0;
    }
}
