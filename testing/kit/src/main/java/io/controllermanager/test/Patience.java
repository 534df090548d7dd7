package io.controllermanager.test;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Waits for other threads of this process. The limits tell a hang from a slow machine, and nothing else: a busy machine makes
 * a test slow, not red.
 */
final class Patience {

    /** How long to wait altogether, which is also how long one reconcile may take. */
    private static final Duration LIMIT = Duration.ofMinutes(3);

    /** How long nothing may change while nobody works: longer than the pause before any retry of a host. */
    private static final Duration STILL = Duration.ofSeconds(35);

    private static final Duration LOOK = Duration.ofMillis(2);

    private Patience() {}

    /**
     * Something to wait for.
     *
     * @param reason in words; while they are the same, nothing has changed
     * @param worked whether somebody works on it
     */
    record Reason(String reason, boolean worked) {}

    /**
     * How long it has been waited for, in nanoseconds of one clock.
     *
     * @param begun when the wait began
     * @param since since when the reason has been the same
     */
    record Wait(Reason reason, long begun, long since) {

        Wait next(Reason now, long time) {
            return new Wait(now, begun, now.equals(reason) ? since : time);
        }

        boolean isOver(long time) {
            Duration limit = reason.worked() ? LIMIT : STILL;
            return time - since > limit.toNanos() || time - begun > LIMIT.toNanos();
        }
    }

    /**
     * Asks every two milliseconds until there is nothing to wait for.
     *
     * @param reason what to wait for, null for nothing; what it throws ends the wait
     * @throws AssertionError with the last reason if three minutes have passed, or 35 seconds in which nobody works and
     *     nothing changes
     */
    static void until(Supplier<@Nullable Reason> reason) {
        long begun = System.nanoTime();
        Wait wait = null;
        for (Reason last = reason.get(); last != null; last = reason.get()) {
            long now = System.nanoTime();
            wait = wait == null ? new Wait(last, begun, now) : wait.next(last, now);
            if (wait.isOver(now)) {
                throw new AssertionError(
                        "After " + Duration.ofNanos(now - begun).toSeconds() + " s: " + last.reason());
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new IllegalStateException("interrupted while waiting: " + last.reason());
            }
            LockSupport.parkNanos(LOOK.toNanos());
        }
    }
}
