package io.controllermanager.informer.internal;

import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import java.time.Duration;

/** Ends a stream that has said nothing for too long. */
final class IdleGuard implements AutoCloseable {

    private final Clock clock;
    private final Timer timer;
    private final Runnable onSilence;
    private volatile Duration limit;
    private volatile long heardNanos;
    private volatile boolean closed;
    private volatile boolean silent;
    private volatile Timer.Cancellable next;

    /**
     * Begins to count.
     *
     * @param onSilence makes whoever reads the stream stop waiting
     */
    IdleGuard(Duration limit, Clock clock, Timer timer, Runnable onSilence) {
        this.limit = limit;
        this.clock = clock;
        this.timer = timer;
        this.onSilence = onSilence;
        this.heardNanos = clock.nanoTime();
        this.next = timer.schedule(limit, this::check);
    }

    /** The stream has said something. */
    void heard() {
        heardNanos = clock.nanoTime();
    }

    /** Sets another limit, counted from what was heard last. */
    void limit(Duration newLimit) {
        limit = newLimit;
        next.cancel();
        check();
    }

    /** Whether the stream was ended for its silence. */
    boolean silent() {
        return silent;
    }

    private void check() {
        if (closed) {
            return;
        }
        Duration left = limit.minusNanos(clock.nanoTime() - heardNanos);
        if (left.isNegative() || left.isZero()) {
            silent = true;
            onSilence.run();
        } else {
            next = timer.schedule(left, this::check);
            if (closed) {
                // In between: whoever closed has cancelled the one before.
                next.cancel();
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        next.cancel();
    }
}
