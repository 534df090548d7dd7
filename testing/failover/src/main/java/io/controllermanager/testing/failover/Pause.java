package io.controllermanager.testing.failover;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Lets time pass that is part of what happens. */
final class Pause {

    private Pause() {}

    /** Returns after so long. */
    static void of(Duration time) throws InterruptedException {
        boolean counted = new CountDownLatch(1).await(time.toNanos(), TimeUnit.NANOSECONDS);
        if (counted) {
            throw new AssertionError("nobody counts it down");
        }
    }
}
