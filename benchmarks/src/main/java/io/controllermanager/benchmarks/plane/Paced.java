package io.controllermanager.benchmarks.plane;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Work in even steps, in several threads, so that a slow step does not delay those that are due. */
public final class Paced {

    private Paced() {}

    /** What one thread works with. */
    @FunctionalInterface
    public interface Steps extends AutoCloseable {

        /** Does a step, by its number. */
        void run(int number) throws Exception;

        @Override
        default void close() throws IOException {}
    }

    /**
     * Does the steps 0 to {@code count - 1}, and returns once all are done.
     *
     * @param threads how many steps may be under way
     * @param begin when the first is due, by {@link System#nanoTime()}
     * @param steps makes what a thread works with
     * @throws IOException if a step fails
     */
    public static void run(int threads, int count, int perSecond, long begin, Callable<Steps> steps)
            throws IOException, InterruptedException {
        AtomicInteger next = new AtomicInteger();
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                all.add(executor.submit(() -> {
                    try (Steps own = steps.call()) {
                        for (int number = next.getAndIncrement(); number < count; number = next.getAndIncrement()) {
                            awaitDue(begin + TimeUnit.SECONDS.toNanos(number) / perSecond);
                            own.run(number);
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        } finally {
            executor.shutdownNow();
        }
    }

    private static void awaitDue(long due) throws InterruptedException {
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
            LockSupport.parkNanos(left);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }
}
