package io.controllermanager.client.internal.connection;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import java.io.IOException;
import java.time.Duration;
import okhttp3.Response;

/**
 * Holds requests back as a token bucket allows, in the order they come, as client-go's {@code util/flowcontrol}; watches
 * pass, as in client-go's {@code rest/request.go}.
 */
final class RateLimit implements HostInterceptor {

    private final RequestLimits limits;
    private final Clock clock;
    private final Timer timer;

    @GuardedBy("this")
    private double tokens;

    @GuardedBy("this")
    private long refilledAt;

    RateLimit(RequestLimits limits, Clock clock, Timer timer) {
        this.limits = limits;
        this.clock = clock;
        this.timer = timer;
        this.tokens = limits.burst();
        this.refilledAt = clock.nanoTime();
    }

    @Override
    public Response intercept(Chain chain) throws IOException {
        if (limits.limited() && !HostInterceptor.watches(chain.request())) {
            Duration wait = Duration.ofNanos(reserve());
            HostInterceptor.sleep(timer, wait, "held back by the client-side rate limit");
        }
        return chain.proceed(chain.request());
    }

    /** Takes a token, on credit if need be, and says how many nanoseconds to wait for it. */
    synchronized long reserve() {
        long now = clock.nanoTime();
        tokens = Math.min(limits.burst(), tokens + (now - refilledAt) / 1e9 * limits.qps());
        refilledAt = now;
        tokens--;
        return tokens >= 0 ? 0 : (long) (-tokens / limits.qps() * 1e9);
    }
}
