package io.controllermanager.controller;

import java.time.Duration;

/**
 * How long a key that failed waits before it is tried again.
 *
 * @param type which of client-go's rate limiters it is
 * @param minBackoff the delay after the first failure; with {@link Type#FAST_SLOW} the short delay
 * @param maxBackoff the longest delay; with {@link Type#FAST_SLOW} the long delay
 * @param jitter the most that is added to a delay at random, as a part of it, so that keys which failed together do not
 *     come back together; 0 for nothing
 * @param qps with {@link Type#BUCKET}, how many retries a second all keys have together
 * @param burst with {@link Type#BUCKET}, how many retries may come at once before that limit holds
 * @param fastAttempts with {@link Type#FAST_SLOW}, how many failures of a key are followed by the short delay
 */
public record RateLimiterOptions(
        Type type, Duration minBackoff, Duration maxBackoff, double jitter, double qps, int burst, int fastAttempts) {

    /** The rate limiters of client-go's {@code util/workqueue/default_rate_limiters.go}. */
    public enum Type {
        /** Each key by itself, the delay doubling with each failure. */
        EXPONENTIAL,
        /** As exponential, and all keys together wait for tokens of one bucket: client-go's old default. */
        BUCKET,
        /** Each key by itself: a short delay for the first failures, a long one for all others. */
        FAST_SLOW
    }

    /** Exponential from 5 ms to 1,000 s without jitter; the bucket would have 10 a second and a burst of 100. */
    public static final RateLimiterOptions DEFAULTS =
            new RateLimiterOptions(Type.EXPONENTIAL, Duration.ofMillis(5), Duration.ofSeconds(1000), 0, 10, 100, 5);

    public RateLimiterOptions {
        require(!minBackoff.isNegative() && !minBackoff.isZero(), "minBackoff must be positive", minBackoff);
        require(
                maxBackoff.compareTo(minBackoff) >= 0,
                "maxBackoff must be at least minBackoff (" + minBackoff + ")",
                maxBackoff);
        require(jitter >= 0 && jitter <= 1, "jitter must be from 0 to 1", jitter);
        require(qps > 0 && !Double.isInfinite(qps), "qps must be more than 0 and finite", qps);
        require(burst >= 1, "burst must be at least 1", burst);
        require(fastAttempts >= 1, "fastAttempts must be at least 1", fastAttempts);
    }

    private static void require(boolean holds, String rule, Object value) {
        if (!holds) {
            throw new IllegalArgumentException(rule + ", but is " + value);
        }
    }

    /** Another kind with the same numbers. */
    public RateLimiterOptions withType(Type newType) {
        return new RateLimiterOptions(newType, minBackoff, maxBackoff, jitter, qps, burst, fastAttempts);
    }

    /** The same with other delays. */
    public RateLimiterOptions withBackoff(Duration newMinBackoff, Duration newMaxBackoff) {
        return new RateLimiterOptions(type, newMinBackoff, newMaxBackoff, jitter, qps, burst, fastAttempts);
    }

    /** The same with another random part. */
    public RateLimiterOptions withJitter(double newJitter) {
        return new RateLimiterOptions(type, minBackoff, maxBackoff, newJitter, qps, burst, fastAttempts);
    }

    /** The same with another bucket. */
    public RateLimiterOptions withBucket(double newQps, int newBurst) {
        return new RateLimiterOptions(type, minBackoff, maxBackoff, jitter, newQps, newBurst, fastAttempts);
    }

    /** The same with another number of short delays. */
    public RateLimiterOptions withFastAttempts(int newFastAttempts) {
        return new RateLimiterOptions(type, minBackoff, maxBackoff, jitter, qps, burst, newFastAttempts);
    }
}
