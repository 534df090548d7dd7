package io.controllermanager.informer.internal;

import io.controllermanager.time.Clock;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How long a reflector waits after failures: 0.8 s, doubling up to 30 s, each lengthened by up to its own length, starting
 * again from 0.8 s after two quiet minutes. The figures are those of client-go's {@code tools/cache/reflector.go}. An API server
 * that turns a request away (429) and says for how long is taken at its word, as by client-go's {@code rest/with_retry.go}:
 * it has not failed, so that this does not count. Used by one thread.
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
}
