package io.controllermanager.workqueue;

import java.time.Duration;
import java.util.Map;

/** See {@link RateLimiters#atMost}. */
final class MaxWaitRateLimiter<K> implements RateLimiter<K> {

    private final RateLimiter<K> limiter;
    private final Duration longest;

    MaxWaitRateLimiter(RateLimiter<K> limiter, Duration longest) {
        if (longest.isNegative()) {
            throw new IllegalArgumentException("longest must not be negative, but is " + longest);
        }
        this.limiter = limiter;
        this.longest = longest;
    }

    @Override
    public Duration when(K key) {
        Duration delay = limiter.when(key);
        return delay.compareTo(longest) > 0 ? longest : delay;
    }

    @Override
    public void waits(K key, Duration delay) {
        limiter.waits(key, delay);
    }

    @Override
    public void forget(K key) {
        limiter.forget(key);
    }

    @Override
    public int numRequeues(K key) {
        return limiter.numRequeues(key);
    }

    @Override
    public int failing() {
        return limiter.failing();
    }

    @Override
    public Map<K, Integer> mostFailed(int limit) {
        return limiter.mostFailed(limit);
    }
}
