package io.controllermanager.client.internal.connection;

import io.controllermanager.time.internal.Timer;
import io.kubernetes.client.openapi.ApiException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Sends a request again that the API server has turned away with 429 and a {@code Retry-After} header. A 429 means that
 * the request was not begun, so that writes are sent again too; a server error that comes with that header does not quite,
 * and only reads are. Bounded in tries, as client-go's {@code rest/with_retry.go}.
 */
public final class RetryAfter implements HostInterceptor {

    /** As client-go's default. */
    static final int MAX_RETRIES = 10;

    /** A server that asks for longer is not waited for: the caller has its own way to come back later. */
    static final int LONGEST_WAIT_SECONDS = 30;

    private final Timer timer;

    /** The tag of a request whose sender sees to it. */
    private enum Caller {
        WAITS
    }

    /**
     * Waits.
     *
     * @param timer ends the waits
     */
    RetryAfter(Timer timer) {
        this.timer = timer;
    }

    /** The same request, but turned away it is the caller who waits as long as {@link #of} says and sends it again. */
    public static Request leftToCaller(Request request) {
        return request.newBuilder().tag(Caller.class, Caller.WAITS).build();
    }

    /** How long the API server's answer asks to wait before the next try; zero if it does not. */
    public static Duration of(ApiException error) {
        Map<String, List<String>> headers = error.getResponseHeaders();
        if (headers == null || !mayAsk(error.getCode())) {
            return Duration.ZERO;
        }
        return headers.entrySet().stream()
                .filter(header -> "Retry-After".equalsIgnoreCase(header.getKey()))
                .flatMap(header -> header.getValue().stream().limit(1))
                .findFirst()
                .map(RetryAfter::seconds)
                .map(Duration::ofSeconds)
                .orElse(Duration.ZERO);
    }

    @Override
    public Response intercept(Interceptor.Chain chain) throws IOException {
        Response response = chain.proceed(chain.request());
        if (chain.request().tag(Caller.class) != null) {
            return response;
        }
        for (int retries = 0; retries < MAX_RETRIES; retries++) {
            Integer seconds = waitSeconds(chain.request(), response);
            if (seconds == null
                    || (chain.request().body() != null && chain.request().body().isOneShot())) {
                break;
            }
            response.close();
            HostInterceptor.sleep(timer, Duration.ofSeconds(seconds), "waiting as the API server's Retry-After says");
            response = chain.proceed(chain.request());
        }
        return response;
    }

    private static @Nullable Integer waitSeconds(Request request, Response response) {
        boolean heeded = response.code() == 429 || (mayAsk(response.code()) && !HostInterceptor.mutates(request));
        Integer seconds = heeded ? seconds(response.header("Retry-After")) : null;
        return seconds == null || seconds > LONGEST_WAIT_SECONDS ? null : seconds;
    }

    private static boolean mayAsk(int code) {
        return code == 429 || code >= 500;
    }

    private static @Nullable Integer seconds(@Nullable String header) {
        if (header == null) {
            return null;
        }
        try {
            int seconds = Integer.parseInt(header.trim());
            return seconds < 0 ? null : seconds;
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
