package io.controllermanager.workqueue;

import io.controllermanager.time.Clock;
import java.time.Duration;
import java.util.Map;

/** See {@link RateLimiters#exponential(Clock, Duration, Duration, Duration)}. */
final class ExponentialRateLimiter<K> implements RateLimiter<K> {

    private final FailureTracker<K> failures;
    private final long minNanos;
    private final long maxNanos;

    ExponentialRateLimiter(Clock clock, Duration min, Duration max, Duration longestWork) {
        if (min.isNegative() || min.isZero()) {
            throw new IllegalArgumentException("min must be positive, but is " + min);
        }
        if (max.compareTo(min) < 0) {
            throw new IllegalArgumentException("max must be at least min (" + min + "), but is " + max);
        }
        this.failures = new FailureTracker<>(clock, RateLimiters.lifetime(max, longestWork));
        this.minNanos = RateLimiters.saturatedNanos(min);
        this.maxNanos = RateLimiters.saturatedNanos(max);
    }

    @Override
    public Duration when(K key) {
        int before = failures.increment(key);
        // Shifting left overflows where shifting the limit right does not.
        if (before >= Long.SIZE - 1 || minNanos > maxNanos >> before) {
            return Duration.ofNanos(maxNanos);
        }
        return Duration.ofNanos(minNanos << before);
    }

    @Override
    public void waits(K key, Duration delay) {
        failures.waits(delay);
    }

    @Override
    public void forget(K key) {
        failures.forget(key);
    }

    @Override
    public int numRequeues(K key) {
        return failures.count(key);
    }

    @Override
    public int failing() {
        return failures.size();
    }

    @Override
    public Map<K, Integer> mostFailed(int limit) {
        return failures.most(limit);
    }
}
