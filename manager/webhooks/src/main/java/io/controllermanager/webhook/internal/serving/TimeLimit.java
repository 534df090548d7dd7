package io.controllermanager.webhook.internal.serving;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.time.internal.Timer;
import java.time.Duration;

/** Interrupts the thread that makes it once its time is over, unless it is closed before. */
final class TimeLimit implements AutoCloseable {

    private final Thread worker = Thread.currentThread();
    private final Timer.Cancellable alarm;

    @GuardedBy("this")
    private boolean over;

    @GuardedBy("this")
    private boolean closed;

    TimeLimit(Duration limit, Timer timer) {
        alarm = timer.schedule(limit, this::end);
    }

    private synchronized void end() {
        if (!closed) {
            over = true;
            worker.interrupt();
        }
    }

    /** Whether the thread was interrupted. */
    synchronized boolean isOver() {
        return over;
    }

    /** The thread is not interrupted after this, and is no longer if it was. */
    @Override
    public void close() {
        alarm.cancel();
        synchronized (this) {
            closed = true;
            if (over) {
                // The thread serves others next.
                boolean ignored = Thread.interrupted();
            }
        }
    }
}
