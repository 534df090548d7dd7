package io.controllermanager.informer.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.time.internal.Timer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** A reflector's wait, which others can end. */
final class ReflectorPause {

    private final Timer timer;

    /** Completed with whether the wait was ended early. */
    @GuardedBy("this")
    private CompletableFuture<Boolean> wait = new CompletableFuture<>();

    @GuardedBy("this")
    private boolean closed;

    ReflectorPause(Timer timer) {
        this.timer = timer;
    }

    /** Waits; says whether the wait was ended early. Interruption ends it as {@link #end} does. */
    boolean sleep(Duration delay) {
        CompletableFuture<Boolean> over = new CompletableFuture<>();
        Timer.Cancellable alarm;
        // The lock, since a timer that is closed as well would refuse.
        synchronized (this) {
            if (closed) {
                return true;
            }
            wait = over;
            alarm = timer.schedule(delay, () -> over.complete(false));
        }
        try {
            return over.get();
        } catch (InterruptedException | ExecutionException e) {
            // Only the reflector's end interrupts its thread, and its loop sees that by itself.
            return true;
        } finally {
            alarm.cancel();
        }
    }

    /** Ends a wait that is under way. */
    synchronized void end() {
        wait.complete(true);
    }

    /** Ends the wait that is under way and all that come. */
    synchronized void close() {
        closed = true;
        end();
    }
}
