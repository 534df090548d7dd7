package io.controllermanager.client.internal.access;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.client.internal.transport.ApiAccessException;
import io.controllermanager.time.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Supplier;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Sends a bearer token that may change: it is read again once it is a minute old, as client-go does with files, and at once
 * when the API server answers 401, whose request is then sent once more.
 */
final class BearerTokens implements Interceptor {

    private static final Duration LIFETIME = Duration.ofMinutes(1);

    private final Supplier<@Nullable String> source;
    private final Clock clock;

    @GuardedBy("this")
    private String token;

    @GuardedBy("this")
    private long readAt;

    /**
     * Reads the token for the first time.
     *
     * @param source gives the present token, null if it has none
     * @throws ApiAccessException if the source has no token
     */
    BearerTokens(Supplier<@Nullable String> source, Clock clock, String description) {
        this.source = source;
        this.clock = clock;
        String first = source.get();
        if (first == null) {
            throw new ApiAccessException(description + " has no token");
        }
        this.token = first;
        this.readAt = clock.nanoTime();
    }

    @Override
    public Response intercept(Chain chain) throws IOException {
        String sent = present(null);
        Response response = chain.proceed(authorized(chain.request(), sent));
        if (response.code() != 401) {
            return response;
        }
        String renewed = present(sent);
        if (renewed.equals(sent)) {
            return response;
        }
        response.close();
        return chain.proceed(authorized(chain.request(), renewed));
    }

    /**
     * The token, read again if it is old.
     *
     * @param refused is read again too, unless another thread has done so since it was sent; null if none is
     */
    private synchronized String present(@Nullable String refused) {
        if (refused == null ? clock.nanoTime() - readAt >= LIFETIME.toNanos() : token.equals(refused)) {
            readAt = clock.nanoTime();
            String read = source.get();
            // A source that fails for a while must not take away a token that may still be good.
            if (read != null && isSendable(read)) {
                token = read;
            }
        }
        return token;
    }

    /** Whether a header can have it. */
    static boolean isSendable(String token) {
        return token.chars().allMatch(c -> c >= ' ' && c <= '~');
    }

    static Request authorized(Request request, String token) {
        return request.newBuilder().header("Authorization", "Bearer " + token).build();
    }
}
