package io.controllermanager.leaderelection.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Threads that several executors share. Each executor does one task after the other, and never waits for another's: a thread
 * is made when all are busy. One ends when it was idle for a while; all end when all executors have ended.
 */
final class SharedThreads {

    /** Longer than the time between two renewals, so that no thread is made for each. */
    private static final long IDLE_SECONDS = 10;

    private final ThreadPoolExecutor pool;

    @GuardedBy("this")
    private int executors;

    /** Has no thread yet. */
    SharedThreads(ThreadFactory factory) {
        this.pool = new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), factory);
    }

    static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /** One more executor. */
    Serial executor() {
        count(1);
        return new Serial();
    }

    private synchronized void count(int more) {
        executors += more;
        pool.setKeepAliveTime(executors == 0 ? 0 : IDLE_SECONDS, TimeUnit.SECONDS);
    }

    /** One task after the other. */
    final class Serial implements Executor {

        @GuardedBy("this")
        private final Queue<Runnable> tasks = new ArrayDeque<>();

        @GuardedBy("this")
        private boolean running;

        @GuardedBy("this")
        private boolean ended;

        /**
         * {@inheritDoc}
         *
         * @throws OutOfMemoryError if there can be no thread for it now; the task is done before the next one then
         */
        @Override
        public synchronized void execute(Runnable task) {
            if (ended) {
                throw new RejectedExecutionException("ended");
            }
            tasks.add(task);
            if (!running) {
                running = true;
                try {
                    pool.execute(this::work);
                } catch (RuntimeException | Error e) {
                    running = false;
                    throw e;
                }
            }
        }

        /** Takes no more tasks. Those that it has are done. */
        synchronized void end() {
            if (!ended) {
                try {
                    execute(() -> count(-1));
                } finally {
                    ended = true;
                }
            }
        }

        private void work() {
            for (Runnable task = next(); task != null; task = next()) {
                try {
                    task.run();
                } catch (RuntimeException | Error e) {
                    Thread thread = Thread.currentThread();
                    thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
                }
            }
        }

        private synchronized @Nullable Runnable next() {
            Runnable task = tasks.poll();
            running = task != null;
            return task;
        }
    }
}
