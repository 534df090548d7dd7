package io.controllermanager.testing.controlplane;

import java.time.Duration;

/** A moment that this JVM's monotonic clock will reach. */
record Deadline(long nanoTime) {

    static Deadline after(Duration time) {
        return new Deadline(System.nanoTime() + time.toNanos());
    }

    boolean hasPassed() {
        return System.nanoTime() - nanoTime >= 0;
    }
}
