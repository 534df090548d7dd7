package io.controllermanager.workqueue;

import io.controllermanager.time.Clock;
import java.time.Duration;

/** See {@link RateLimiters#tokenBucket}. Each call takes a token; a debt of tokens is the time until it is paid. */
final class TokenBucketRateLimiter<K> implements RateLimiter<K> {

    private final Clock clock;
    private final double perNano;
    private final int burst;
    private double tokens;
    private long filledAt;

    TokenBucketRateLimiter(Clock clock, double perSecond, int burst) {
        if (!(perSecond > 0) || Double.isInfinite(perSecond)) {
            throw new IllegalArgumentException("perSecond must be positive, but is " + perSecond);
        }
        if (burst < 1) {
            throw new IllegalArgumentException("burst must be at least 1, but is " + burst);
        }
        this.clock = clock;
        this.perNano = perSecond / 1e9;
        this.burst = burst;
        this.tokens = burst;
        this.filledAt = clock.nanoTime();
    }

    @Override
    public synchronized Duration when(K key) {
        long now = clock.nanoTime();
        // A clock that jumps back gives no tokens for the jump, and takes none away; forward, no more than the bucket
        // holds.
        tokens = Math.min(burst, tokens + Math.max(0, now - filledAt) * perNano) - 1;
        filledAt = now;
        return tokens >= 0 ? Duration.ZERO : Duration.ofNanos((long) Math.ceil(-tokens / perNano));
    }

    @Override
    public void forget(K key) {}

    @Override
    public int numRequeues(K key) {
        return 0;
    }
}
