package io.controllermanager.workqueue;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** See {@link RateLimiters#maxOf}. */
final class MaxOfRateLimiter<K> implements RateLimiter<K> {

    private final List<RateLimiter<K>> limiters;

    MaxOfRateLimiter(List<RateLimiter<K>> limiters) {
        this.limiters = List.copyOf(limiters);
    }

    @Override
    public Duration when(K key) {
        Duration longest = Duration.ZERO;
        for (RateLimiter<K> limiter : limiters) {
            Duration delay = limiter.when(key);
            if (delay.compareTo(longest) > 0) {
                longest = delay;
            }
        }
        return longest;
    }

    @Override
    public void waits(K key, Duration delay) {
        limiters.forEach(limiter -> limiter.waits(key, delay));
    }

    @Override
    public void forget(K key) {
        limiters.forEach(limiter -> limiter.forget(key));
    }

    @Override
    public int numRequeues(K key) {
        return limiters.stream()
                .mapToInt(limiter -> limiter.numRequeues(key))
                .max()
                .orElse(0);
    }

    @Override
    public int failing() {
        return limiters.stream().mapToInt(RateLimiter::failing).max().orElse(0);
    }

    @Override
    public Map<K, Integer> mostFailed(int limit) {
        Map<K, Integer> failed = new HashMap<>();
        limiters.forEach(
                limiter -> limiter.mostFailed(limit).forEach((key, count) -> failed.merge(key, count, Math::max)));
        Largest<K> most = new Largest<>(limit);
        failed.forEach(most::offer);
        return most.descending();
    }
}
