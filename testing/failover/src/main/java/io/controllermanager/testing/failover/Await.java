package io.controllermanager.testing.failover;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits for what comes by itself. */
final class Await {

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private Await() {}

    /** Whether something is so; what it throws ends the wait. */
    @FunctionalInterface
    interface Condition {
        boolean holds() throws Exception;
    }

    /**
     * Returns when the condition holds.
     *
     * @throws IllegalStateException if it does not in time
     */
    static void until(String what, Duration limit, Condition condition) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (!holds(condition)) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("Not within " + limit + ": " + what);
            }
            LockSupport.parkNanos(POLL_NANOS);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }

    private static boolean holds(Condition condition) {
        try {
            return condition.holds();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Lets time pass. */
    static void pass(Duration time) throws InterruptedException {
        boolean counted = new CountDownLatch(1).await(time.toNanos(), TimeUnit.NANOSECONDS);
        if (counted) {
            throw new AssertionError("nobody counts it down");
        }
    }
}
