package io.controllermanager.test;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Waits for other threads of this process. The limit tells a hang from a slow machine, and nothing else: a busy machine makes
 * a test slow, not red.
 */
final class Patience {

    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final Duration LOOK = Duration.ofMillis(2);

    private Patience() {}

    /**
     * Asks every two milliseconds until there is nothing to wait for.
     *
     * @param reason what to wait for, null for nothing; what it throws ends the wait
     * @throws AssertionError with the last reason if three minutes have passed
     */
    static void until(Supplier<@Nullable String> reason) {
        long begun = System.nanoTime();
        for (String last = reason.get(); last != null; last = reason.get()) {
            if (System.nanoTime() - begun > LIMIT.toNanos()) {
                throw new AssertionError("After " + LIMIT.toMinutes() + " minutes: " + last);
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new IllegalStateException("interrupted while waiting: " + last);
            }
            LockSupport.parkNanos(LOOK.toNanos());
        }
    }
}
