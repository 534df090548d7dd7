package io.controllermanager.workqueue;

import io.controllermanager.time.Clock;
import java.time.Duration;
import java.util.Map;

/** See {@link RateLimiters#fastSlow}. */
final class FastSlowRateLimiter<K> implements RateLimiter<K> {

    private final FailureTracker<K> failures;
    private final Duration fast;
    private final Duration slow;
    private final int fastAttempts;

    FastSlowRateLimiter(Clock clock, Duration fast, Duration slow, int fastAttempts, Duration longestWork) {
        if (fast.isNegative()) {
            throw new IllegalArgumentException("fast must not be negative, but is " + fast);
        }
        if (slow.compareTo(fast) < 0) {
            throw new IllegalArgumentException("slow must be at least fast (" + fast + "), but is " + slow);
        }
        if (fastAttempts < 0) {
            throw new IllegalArgumentException("fastAttempts must not be negative, but is " + fastAttempts);
        }
        this.failures = new FailureTracker<>(clock, RateLimiters.lifetime(slow, longestWork));
        this.fast = fast;
        this.slow = slow;
        this.fastAttempts = fastAttempts;
    }

    @Override
    public Duration when(K key) {
        return failures.increment(key) < fastAttempts ? fast : slow;
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
