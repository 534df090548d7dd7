package io.controllermanager.workqueue.internal;

import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.TokenBucket;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import java.util.function.IntFunction;

/**
 * How long a key waits before it is tried again, by how often it has failed: the rate limiters of client-go's {@code
 * util/workqueue/default_rate_limiters.go}. Safe for use by several threads.
 *
 * @param longest the longest delay, by which it is decided how long failures are remembered; a token bucket or jitter may
 *     have a key wait longer
 * @param delays the delay after the first, second, ... failure
 */
public record Backoff(Duration longest, IntFunction<Duration> delays) {

    /** 5 ms after the first failure, twice as long after each further one, 1,000 s at most. */
    public static final Backoff DEFAULT = exponential(Duration.ofMillis(5), Duration.ofSeconds(1000));

    /**
     * The delay doubles with each failure.
     *
     * @param min the delay after the first failure
     * @param max the longest delay
     * @throws IllegalArgumentException if min is not positive or max is less than min
     */
    public static Backoff exponential(Duration min, Duration max) {
        require(!min.isNegative() && !min.isZero(), "min must be positive, but is " + min);
        require(max.compareTo(min) >= 0, "max must be at least min (" + min + "), but is " + max);
        long minNanos = saturatedNanos(min);
        long maxNanos = saturatedNanos(max);
        return new Backoff(max, failures -> {
            int before = failures - 1;
            // Shifting left overflows where shifting the limit right does not.
            boolean tooLong = before >= Long.SIZE - 1 || minNanos > maxNanos >> before;
            return Duration.ofNanos(tooLong ? maxNanos : minNanos << before);
        });
    }

    /**
     * A short delay for the first failures, a long one for all others.
     *
     * @param fastAttempts how many failures are followed by the short delay
     */
    public static Backoff fastSlow(Duration fast, Duration slow, int fastAttempts) {
        require(!fast.isNegative(), "fast must not be negative, but is " + fast);
        require(slow.compareTo(fast) >= 0, "slow must be at least fast (" + fast + "), but is " + slow);
        require(fastAttempts >= 0, "fastAttempts must not be negative, but is " + fastAttempts);
        return new Backoff(slow, failures -> failures <= fastAttempts ? fast : slow);
    }

    /**
     * All keys together: a bucket of tokens; each failure takes one, and waits for it if there is none.
     *
     * @param perSecond how many tokens are added a second
     * @param burst how many the bucket holds; it is full at first
     */
    public static Backoff tokenBucket(Clock clock, double perSecond, int burst) {
        require(perSecond > 0 && !Double.isInfinite(perSecond), "perSecond must be positive, but is " + perSecond);
        require(burst >= 1, "burst must be at least 1, but is " + burst);
        TokenBucket bucket = new TokenBucket(clock, perSecond, burst);
        return new Backoff(Duration.ZERO, failures -> bucket.take());
    }

    /** How long a key waits that has just failed for this many times. Asked once for each failure. */
    public Duration after(int failures) {
        return delays.apply(failures);
    }

    /** The longer of both delays. With a token bucket it is client-go's default, which controller-runtime has given up. */
    public Backoff orLonger(Backoff other) {
        return new Backoff(longer(longest, other.longest), failures -> longer(after(failures), other.after(failures)));
    }

    /**
     * Lengthens each delay by a random part, so that keys which failed together are not retried together.
     *
     * @param fraction the most that is added, as a part of the delay: with 0.2, a delay of 10 s becomes 10 to 12 s
     */
    public Backoff jittered(double fraction) {
        return jittered(fraction, () -> ThreadLocalRandom.current().nextDouble());
    }

    /** As {@link #jittered(double)}, with a source of numbers from 0 to below 1. */
    Backoff jittered(double fraction, DoubleSupplier random) {
        require(
                fraction >= 0 && fraction < Double.POSITIVE_INFINITY,
                "fraction must be a number of at least 0, but is " + fraction);
        return new Backoff(longest, failures -> {
            Duration delay = after(failures);
            return delay.plusNanos((long) (saturatedNanos(delay) * fraction * random.getAsDouble()));
        });
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    /** In nanoseconds; at most a hundred years, so that adding it to a time does not overflow. */
    static long saturatedNanos(Duration duration) {
        long limit = Long.MAX_VALUE / 3;
        if (duration.toSeconds() >= limit / 1_000_000_000L) {
            return limit;
        }
        return duration.isNegative() ? 0 : duration.toNanos();
    }
}
