package io.controllermanager.workqueue;

import io.controllermanager.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/**
 * The rate limiters of client-go's {@code util/workqueue/default_rate_limiters.go}. Unlike there, failures that nobody
 * forgets do not pile up: a key's count is dropped once it has a lifetime behind it since its last delay ended, where a
 * lifetime is twice the longest delay, a minute at least, and the longest time that work on a key takes. It is dropped at
 * the latest after two lifetimes and twice the longest time that any key had to wait.
 */
public final class RateLimiters {

    private static final Duration MIN_DELAY = Duration.ofMillis(5);
    private static final Duration MAX_DELAY = Duration.ofSeconds(1000);
    private static final Duration SHORTEST_LIFETIME = Duration.ofMinutes(1);

    private RateLimiters() {}

    /** Each key by itself: 5 ms after its first failure, twice as long after each further one, 1,000 s at most. */
    public static <K> RateLimiter<K> exponential(Clock clock) {
        return exponential(clock, MIN_DELAY, MAX_DELAY);
    }

    /**
     * Each key by itself, the delay doubling with each failure.
     *
     * @param min the delay after the first failure
     * @param max the longest delay
     * @throws IllegalArgumentException if min is not positive or max is less than min
     */
    public static <K> RateLimiter<K> exponential(Clock clock, Duration min, Duration max) {
        return exponential(clock, min, max, Duration.ZERO);
    }

    /**
     * As {@link #exponential(Clock, Duration, Duration)}, for work that takes a while.
     *
     * @param longestWork how long work on a key takes at most before it fails: that much longer are failures remembered
     */
    public static <K> RateLimiter<K> exponential(Clock clock, Duration min, Duration max, Duration longestWork) {
        return new ExponentialRateLimiter<>(clock, min, max, longestWork);
    }

    /**
     * Each key by itself: a short delay for the first failures, a long one for all others.
     *
     * @param fastAttempts how many failures are followed by the short delay
     */
    public static <K> RateLimiter<K> fastSlow(Clock clock, Duration fast, Duration slow, int fastAttempts) {
        return fastSlow(clock, fast, slow, fastAttempts, Duration.ZERO);
    }

    /**
     * As {@link #fastSlow(Clock, Duration, Duration, int)}, for work that takes a while.
     *
     * @param longestWork how long work on a key takes at most before it fails: that much longer are failures remembered
     */
    public static <K> RateLimiter<K> fastSlow(
            Clock clock, Duration fast, Duration slow, int fastAttempts, Duration longestWork) {
        return new FastSlowRateLimiter<>(clock, fast, slow, fastAttempts, longestWork);
    }

    /**
     * All keys together: a bucket of tokens; each retry takes one, and waits for it if there is none.
     *
     * @param perSecond how many tokens are added a second
     * @param burst how many the bucket holds; it is full at first
     */
    public static <K> RateLimiter<K> tokenBucket(Clock clock, double perSecond, int burst) {
        return new TokenBucketRateLimiter<>(clock, perSecond, burst);
    }

    /**
     * Lengthens each delay by a random part, so that keys which failed together are not retried together.
     *
     * @param fraction the most that is added, as a part of the delay: with 0.2, a delay of 10 s becomes 10 to 12 s
     */
    public static <K> RateLimiter<K> jittered(RateLimiter<K> limiter, double fraction) {
        return jittered(limiter, fraction, () -> ThreadLocalRandom.current().nextDouble());
    }

    /** As {@link #jittered(RateLimiter, double)}, with a source of numbers from 0 to below 1. */
    public static <K> RateLimiter<K> jittered(RateLimiter<K> limiter, double fraction, DoubleSupplier random) {
        return new JitteredRateLimiter<>(limiter, fraction, random);
    }

    /**
     * A limiter's delays, but together no more retries than a token bucket allows: client-go's default for controllers,
     * with 10 a second and a burst of 100, which controller-runtime has given up: after an outage, 50,000 failing keys
     * need 83 minutes.
     *
     * @param perSecond how many retries of all keys together a second
     * @param burst how many at once after a quiet time
     */
    public static <K> RateLimiter<K> withTokenBucket(RateLimiter<K> limiter, Clock clock, double perSecond, int burst) {
        return maxOf(List.of(limiter, tokenBucket(clock, perSecond, burst)));
    }

    /** A limiter's delays, but none longer than this. */
    public static <K> RateLimiter<K> atMost(RateLimiter<K> limiter, Duration longest) {
        return new MaxWaitRateLimiter<>(limiter, longest);
    }

    /** The longest of the limiters' delays; each of them counts the failure. */
    public static <K> RateLimiter<K> maxOf(List<RateLimiter<K>> limiters) {
        return new MaxOfRateLimiter<>(limiters);
    }

    /** How long failures are remembered at least from the end of a delay. */
    static Duration lifetime(Duration longestDelay, Duration longestWork) {
        try {
            Duration twice = longestDelay.multipliedBy(2);
            return longestWork.plus(twice.compareTo(SHORTEST_LIFETIME) < 0 ? SHORTEST_LIFETIME : twice);
        } catch (ArithmeticException tooLong) {
            return longestDelay;
        }
    }

    /** In nanoseconds; at most a hundred years, so that adding it to a time does not overflow. */
    static long saturatedNanos(Duration duration) {
        long limit = Long.MAX_VALUE / 3;
        if (duration.toSeconds() >= limit / 1_000_000_000L) {
            return limit;
        }
        if (duration.isNegative()) {
            return 0;
        }
        return duration.toNanos();
    }
}
