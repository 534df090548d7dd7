package io.controllermanager.time.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.time.Clock;
import java.time.Duration;

/** So many tokens at once, and then so many a second. Safe for use by several threads. */
public final class TokenBucket {

    private final Clock clock;
    private final double perNano;
    private final int burst;

    @GuardedBy("this")
    private double tokens;

    @GuardedBy("this")
    private long filledAt;

    /** Full. */
    public TokenBucket(Clock clock, double perSecond, int burst) {
        this.clock = clock;
        this.perNano = perSecond / 1e9;
        this.burst = burst;
        this.tokens = burst;
        this.filledAt = clock.nanoTime();
    }

    /** Takes a token, on credit if need be; returns the time until the debt is paid. */
    public synchronized Duration take() {
        fill();
        tokens--;
        return tokens >= 0 ? Duration.ZERO : Duration.ofNanos((long) Math.ceil(-tokens / perNano));
    }

    /** Takes a token if there is one; returns whether there was. */
    public synchronized boolean takeIfThere() {
        fill();
        boolean there = tokens >= 1;
        tokens -= there ? 1 : 0;
        return there;
    }

    /** A clock that jumps back gives no tokens for the jump, and takes none away; forward, no more than the bucket holds. */
    @GuardedBy("this")
    private void fill() {
        long now = clock.nanoTime();
        tokens = Math.min(burst, tokens + Math.max(0, now - filledAt) * perNano);
        filledAt = now;
    }
}
