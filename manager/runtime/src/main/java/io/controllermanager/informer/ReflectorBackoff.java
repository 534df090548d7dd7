package io.controllermanager.informer;

import io.controllermanager.time.Clock;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How long a reflector waits after failures: 0.8 s, doubling up to 30 s, each drawn out by up to its own length, from the
 * start again after two quiet minutes. The figures are those of client-go's {@code tools/cache/reflector.go}. Used by one
 * thread.
 */
final class ReflectorBackoff {

    private static final Duration FIRST = Duration.ofMillis(800);
    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final Duration QUIET = Duration.ofMinutes(2);

    private final Clock clock;
    private Duration next = FIRST;
    private long lastFailureNanos;

    ReflectorBackoff(Clock clock) {
        this.clock = clock;
        this.lastFailureNanos = clock.nanoTime();
    }

    /** How long to wait after one more failure. */
    Duration afterFailure() {
        long now = clock.nanoTime();
        if (now - lastFailureNanos > QUIET.toNanos()) {
            next = FIRST;
        }
        lastFailureNanos = now;
        Duration delay = next;
        Duration doubled = next.multipliedBy(2);
        next = doubled.compareTo(LONGEST) > 0 ? LONGEST : doubled;
        return Duration.ofNanos(
                (long) (delay.toNanos() * (1 + ThreadLocalRandom.current().nextDouble())));
    }

    /** Forgets failures: whatever caused them is known to be over. */
    void reset() {
        next = FIRST;
    }
}
