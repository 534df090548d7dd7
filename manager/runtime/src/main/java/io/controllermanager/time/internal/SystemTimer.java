package io.controllermanager.time.internal;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One daemon thread that serves every delay of the process. Closing it drops what has not run. */
public final class SystemTimer implements Timer, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(SystemTimer.class);

    private final ScheduledThreadPoolExecutor executor;

    /**
     * Starts the thread on first use.
     *
     * @param threadName the name of the timer's thread
     */
    public SystemTimer(String threadName) {
        this.executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, threadName);
            thread.setDaemon(true);
            // Whoever comes first starts it, a web server's thread too, whose class loader is not to be held.
            thread.setContextClassLoader(SystemTimer.class.getClassLoader());
            return thread;
        });
        this.executor.setRemoveOnCancelPolicy(true);
        this.executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public Cancellable schedule(Duration delay, Runnable task) {
        Future<?> future = executor.schedule(() -> runSafely(task), delay.toNanos(), TimeUnit.NANOSECONDS);
        return () -> future.cancel(false);
    }

    private static void runSafely(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            // The executor would keep it in a future that nobody reads.
            log.error(
                    "A task of the timer {} failed: {}", Thread.currentThread().getName(), e.toString(), e);
        }
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
