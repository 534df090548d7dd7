package io.controllermanager.informer.internal.reflector;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A reflector's wait, which others can end. After failures that is 0.8 s, doubling up to 30 s, each lengthened by up to its
 * own length, starting again from 0.8 s after two quiet minutes. The figures are those of client-go's {@code
 * tools/cache/reflector.go}. An API server that turns a request away (429) and says for how long is taken at its word, as by
 * client-go's {@code rest/with_retry.go}: it has not failed, so that this does not count.
 */
final class ReflectorPause {

    private static final Duration FIRST = Duration.ofMillis(800);
    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final Duration QUIET = Duration.ofMinutes(2);

    private final Clock clock;
    private final Timer timer;

    /** These two are used by the reflector's thread. */
    private Duration next = FIRST;

    private long lastFailureNanos;

    /** Completed with whether the wait was ended early. */
    @GuardedBy("this")
    private CompletableFuture<Boolean> wait = new CompletableFuture<>();

    @GuardedBy("this")
    private boolean closed;

    ReflectorPause(Clock clock, Timer timer) {
        this.clock = clock;
        this.timer = timer;
        this.lastFailureNanos = clock.nanoTime();
    }

    /**
     * How long to wait after one more failure.
     *
     * @param code the HTTP status code, 0 if there was no answer
     * @param asked how long the API server asks to wait, zero if it does not
     */
    Duration afterFailure(int code, Duration asked) {
        if (code == 429 && !asked.isZero()) {
            return asked;
        }
        long now = clock.nanoTime();
        if (now - lastFailureNanos > QUIET.toNanos()) {
            next = FIRST;
        }
        lastFailureNanos = now;
        Duration delay = next;
        Duration doubled = next.multipliedBy(2);
        next = doubled.compareTo(LONGEST) > 0 ? LONGEST : doubled;
        Duration drawnOut = Duration.ofNanos(
                (long) (delay.toNanos() * (1 + ThreadLocalRandom.current().nextDouble())));
        return drawnOut.compareTo(asked) < 0 ? asked : drawnOut;
    }

    /** Forgets failures: whatever caused them is known to be over. */
    void reset() {
        next = FIRST;
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
