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
    public Map<K, Integer> failures() {
        Map<K, Integer> most = new HashMap<>();
        limiters.forEach(limiter -> limiter.failures().forEach((key, count) -> most.merge(key, count, Math::max)));
        return most;
    }
}
