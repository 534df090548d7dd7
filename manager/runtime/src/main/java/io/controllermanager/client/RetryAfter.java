package io.controllermanager.client;

import io.controllermanager.time.Timer;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Sends a request again that the API server has turned away with 429 and a {@code Retry-After} header. A 429 means that
 * the request was not begun, so that writes are sent again too. Bounded in tries, as client-go's {@code
 * rest.withRetry}.
 *
 * @param timer ends the waits
 */
record RetryAfter(Timer timer) implements HostInterceptor {

    /** As client-go's default. */
    static final int MAX_RETRIES = 10;

    /** A server that asks for longer is not waited for: the caller has its own way to come back later. */
    static final int LONGEST_WAIT_SECONDS = 30;

    @Override
    public Response intercept(Chain chain) throws IOException {
        Response response = chain.proceed(chain.request());
        for (int retries = 0; retries < MAX_RETRIES; retries++) {
            Integer seconds = waitSeconds(response);
            if (seconds == null
                    || (chain.request().body() != null && chain.request().body().isOneShot())) {
                break;
            }
            response.close();
            await(seconds);
            response = chain.proceed(chain.request());
        }
        return response;
    }

    private static @Nullable Integer waitSeconds(Response response) {
        String header = response.header("Retry-After");
        if (response.code() != 429 || header == null) {
            return null;
        }
        try {
            int seconds = Integer.parseInt(header.trim());
            return seconds < 0 || seconds > LONGEST_WAIT_SECONDS ? null : seconds;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private void await(int seconds) throws InterruptedIOException {
        try {
            timer.sleep(Duration.ofSeconds(seconds));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting as the API server's Retry-After says");
        }
    }
}
