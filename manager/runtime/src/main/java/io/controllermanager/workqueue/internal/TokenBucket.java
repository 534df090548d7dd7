package io.controllermanager.workqueue.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.time.Clock;
import java.time.Duration;

/** See {@link Backoff#tokenBucket}. Each call takes a token; a debt of tokens is the time until it is paid. */
final class TokenBucket {

    private final Clock clock;
    private final double perNano;
    private final int burst;

    @GuardedBy("this")
    private double tokens;

    @GuardedBy("this")
    private long filledAt;

    TokenBucket(Clock clock, double perSecond, int burst) {
        Backoff.require(
                perSecond > 0 && !Double.isInfinite(perSecond), "perSecond must be positive, but is " + perSecond);
        Backoff.require(burst >= 1, "burst must be at least 1, but is " + burst);
        this.clock = clock;
        this.perNano = perSecond / 1e9;
        this.burst = burst;
        this.tokens = burst;
        this.filledAt = clock.nanoTime();
    }

    synchronized Duration take() {
        long now = clock.nanoTime();
        // A clock that jumps back gives no tokens for the jump, and takes none away; forward, no more than the bucket
        // holds.
        tokens = Math.min(burst, tokens + Math.max(0, now - filledAt) * perNano) - 1;
        filledAt = now;
        return tokens >= 0 ? Duration.ZERO : Duration.ofNanos((long) Math.ceil(-tokens / perNano));
    }
}
