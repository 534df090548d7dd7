package io.controllermanager.testing.support;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * How long tests wait for something that is bound to happen. The limit is generous: it tells a hang from a slow machine,
 * and nothing else. A test that needs a shorter time needs virtual time instead. Safe for any thread.
 */
public final class Waiting {

    /** The limit of every wait in tests: three minutes. */
    public static final Duration LIMIT = Duration.ofMinutes(3);

    private Waiting() {}

    /**
     * Waits until a latch is open.
     *
     * @throws AssertionError if it is still closed after {@link #LIMIT}
     */
    public static void on(CountDownLatch latch) throws InterruptedException {
        if (!latch.await(LIMIT.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new AssertionError("The latch is closed after " + LIMIT.toSeconds() + " s: " + latch);
        }
    }

    /**
     * Waits for a future and returns its result.
     *
     * @throws AssertionError if it is not done after {@link #LIMIT}
     */
    public static <T> T on(Future<T> future) throws InterruptedException, ExecutionException {
        try {
            return future.get(LIMIT.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError("The future is not done after " + LIMIT.toSeconds() + " s: " + future, e);
        }
    }

    /**
     * Waits for the next element of a queue and takes it.
     *
     * @throws AssertionError if the queue is still empty after {@link #LIMIT}
     */
    public static <T> T on(BlockingQueue<T> queue) throws InterruptedException {
        T next = queue.poll(LIMIT.toNanos(), TimeUnit.NANOSECONDS);
        if (next == null) {
            throw new AssertionError("The queue is empty after " + LIMIT.toSeconds() + " s");
        }
        return next;
    }

    /**
     * Waits for a process to end and returns its exit code.
     *
     * @throws AssertionError if it runs after {@link #LIMIT}
     */
    public static int on(Process process) throws InterruptedException {
        if (!process.waitFor(LIMIT.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new AssertionError("The process runs after " + LIMIT.toSeconds() + " s: " + process);
        }
        return process.exitValue();
    }

    /**
     * Waits for a thread to end.
     *
     * @throws AssertionError if it lives after {@link #LIMIT}
     */
    public static void on(Thread thread) throws InterruptedException {
        thread.join(LIMIT.toMillis());
        if (thread.isAlive()) {
            throw new AssertionError("The thread lives after " + LIMIT.toSeconds() + " s: " + thread);
        }
    }
}
