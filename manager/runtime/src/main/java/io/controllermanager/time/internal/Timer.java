package io.controllermanager.time.internal;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** Calls back after a delay. Safe for use by several threads. */
public interface Timer {

    /**
     * Runs a task once after a delay.
     *
     * @param delay how long to wait, measured by the monotonic clock; zero or negative means at once, on the timer's
     *     thread all the same
     * @param task what to run; must be brief and must not block, since all tasks share the timer's thread
     * @return a handle that takes the task back
     */
    Cancellable schedule(Duration delay, Runnable task);

    /**
     * Keeps the calling thread waiting for as long as this timer takes for the delay; never to be called on the timer's
     * own thread.
     *
     * @param delay how long to wait; zero or negative means not at all
     * @throws InterruptedException if interrupted meanwhile
     */
    default void sleep(Duration delay) throws InterruptedException {
        sleep(delay, new CountDownLatch(1));
    }

    /**
     * As the other one, but ends early once a latch is open.
     *
     * @param over opened, at the end of the delay at the latest
     */
    default void sleep(Duration delay, CountDownLatch over) throws InterruptedException {
        if (delay.isZero() || delay.isNegative()) {
            return;
        }
        Cancellable alarm = schedule(delay, over::countDown);
        try {
            over.await();
        } finally {
            alarm.cancel();
        }
    }

    /** Takes back what has not run yet. */
    @FunctionalInterface
    interface Cancellable {

        /** Takes the task back if it has not begun; otherwise does nothing. Never blocks. */
        void cancel();
    }
}
