package io.controllermanager.client.internal.connection;

import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import io.controllermanager.time.internal.TokenBucket;
import java.io.IOException;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Holds requests back as a token bucket allows, in the order they come, as client-go's {@code util/flowcontrol}; watches
 * pass, as in client-go's {@code rest/request.go}.
 */
final class RateLimit implements HostInterceptor {

    /** Null for no limit. */
    final @Nullable TokenBucket tokens;

    private final Timer timer;

    RateLimit(RequestLimits limits, Clock clock, Timer timer) {
        this.tokens = limits.limited() ? new TokenBucket(clock, limits.qps(), limits.burst()) : null;
        this.timer = timer;
    }

    @Override
    public Response intercept(Chain chain) throws IOException {
        if (tokens != null && !HostInterceptor.watches(chain.request())) {
            HostInterceptor.sleep(timer, tokens.take(), "held back by the client-side rate limit");
        }
        return chain.proceed(chain.request());
    }
}
