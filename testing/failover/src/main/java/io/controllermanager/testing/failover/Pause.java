package io.controllermanager.testing.failover;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Lets time pass that is part of what happens. */
final class Pause {

    private Pause() {}

    /** Returns after so long. */
    static void of(Duration time) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
    }
}
