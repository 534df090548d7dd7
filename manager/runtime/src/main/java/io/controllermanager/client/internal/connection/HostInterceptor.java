package io.controllermanager.client.internal.connection;

import io.controllermanager.time.internal.Timer;
import java.io.InterruptedIOException;
import java.time.Duration;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.Request;

/** Marks the interceptors that a connection adds of its own, so that clients derived from it can choose among them. */
interface HostInterceptor extends Interceptor {

    /** Whether the request's answer is a stream that may rightly be silent for long: a watch, followed logs, exec. */
    static boolean streams(Request request) {
        HttpUrl url = request.url();
        return isTrue(url.queryParameter("watch"))
                || isTrue(url.queryParameter("follow"))
                || request.header("Upgrade") != null;
    }

    /** Whether the request is a watch. */
    static boolean watches(Request request) {
        return isTrue(request.url().queryParameter("watch"));
    }

    /** Whether the request may change something on the API server. */
    static boolean mutates(Request request) {
        return switch (request.method()) {
            case "GET", "HEAD", "OPTIONS" -> false;
            default -> true;
        };
    }

    /**
     * Sleeps on a request's thread.
     *
     * @param why comes after "interrupted while" in the error
     */
    static void sleep(Timer timer, Duration duration, String why) throws InterruptedIOException {
        try {
            timer.sleep(duration);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while " + why);
        }
    }

    private static boolean isTrue(@org.jspecify.annotations.Nullable String value) {
        return "true".equals(value) || "1".equals(value);
    }
}
