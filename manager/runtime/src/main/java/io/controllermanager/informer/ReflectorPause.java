package io.controllermanager.informer;

import io.controllermanager.time.Timer;
import java.time.Duration;

/** A reflector's wait, which others can end. */
final class ReflectorPause {

    private final Timer timer;
    private final Object lock = new Object();
    private boolean waiting;
    private boolean closed;

    ReflectorPause(Timer timer) {
        this.timer = timer;
    }

    /** Waits; says whether the wait was ended early. Interruption ends it as {@link #end} does. */
    boolean sleep(Duration delay) {
        boolean[] expired = new boolean[1];
        Timer.Cancellable alarm;
        synchronized (lock) {
            if (closed) {
                // The timer may be closed as well, and would refuse.
                return true;
            }
            waiting = true;
            alarm = timer.schedule(delay, () -> {
                synchronized (lock) {
                    expired[0] = true;
                    waiting = false;
                    lock.notifyAll();
                }
            });
        }
        try {
            synchronized (lock) {
                while (waiting && !closed) {
                    lock.wait();
                }
                return !expired[0];
            }
        } catch (InterruptedException e) {
            // Only the reflector's end interrupts its thread, and its loop sees that by itself.
            return true;
        } finally {
            alarm.cancel();
        }
    }

    /** Ends a wait that is under way. */
    void end() {
        synchronized (lock) {
            waiting = false;
            lock.notifyAll();
        }
    }

    /** Ends the wait that is under way and all that come. */
    void close() {
        synchronized (lock) {
            closed = true;
            lock.notifyAll();
        }
    }
}
