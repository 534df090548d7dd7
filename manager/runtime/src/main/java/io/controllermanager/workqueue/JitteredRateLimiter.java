package io.controllermanager.workqueue;

import java.time.Duration;
import java.util.Map;
import java.util.function.DoubleSupplier;

/** See {@link RateLimiters#jittered(RateLimiter, double)}. */
final class JitteredRateLimiter<K> implements RateLimiter<K> {

    private final RateLimiter<K> limiter;
    private final double fraction;
    private final DoubleSupplier random;

    JitteredRateLimiter(RateLimiter<K> limiter, double fraction, DoubleSupplier random) {
        if (!(fraction >= 0) || Double.isInfinite(fraction)) {
            throw new IllegalArgumentException("fraction must be a number of at least 0, but is " + fraction);
        }
        this.limiter = limiter;
        this.fraction = fraction;
        this.random = random;
    }

    @Override
    public Duration when(K key) {
        Duration delay = limiter.when(key);
        return delay.plusNanos((long) (RateLimiters.saturatedNanos(delay) * fraction * random.getAsDouble()));
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
