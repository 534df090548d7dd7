package io.controllermanager.client.internal.connection;

import io.controllermanager.time.Clock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Counts requests and their duration under client-go's names ({@code component-base/metrics/prometheus/restclient}). Each
 * try counts. A watch counts as a request once it is open, and its duration is not measured, as in client-go.
 */
final class RequestMetrics implements HostInterceptor {

    private static final Duration[] BUCKETS = LongStream.of(
                    5, 25, 100, 250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000)
            .mapToObj(Duration::ofMillis)
            .toArray(Duration[]::new);

    private final @Nullable MeterRegistry registry;
    private final Clock clock;

    // Looked up on every request: a registry's own look-up builds tags and identifiers each time.
    private final Map<List<String>, Counter> counters = new ConcurrentHashMap<>();
    private final Map<List<String>, Timer> timers = new ConcurrentHashMap<>();

    RequestMetrics(@Nullable MeterRegistry registry, Clock clock) {
        this.registry = registry;
        this.clock = clock;
    }

    @Override
    public Response intercept(Chain chain) throws IOException {
        if (registry == null) {
            return chain.proceed(chain.request());
        }
        long start = clock.nanoTime();
        String code = "<error>";
        try {
            Response response = chain.proceed(chain.request());
            code = Integer.toString(response.code());
            return response;
        } finally {
            record(registry, chain, code, clock.nanoTime() - start);
        }
    }

    private void record(MeterRegistry target, Chain chain, String code, long nanos) {
        String method = chain.request().method();
        String host = chain.request().url().host() + ":" + chain.request().url().port();
        counters.computeIfAbsent(
                        List.of(code, method, host),
                        key -> Counter.builder("rest_client_requests")
                                .description("Number of HTTP requests, partitioned by status code, method, and host.")
                                .tag("code", code)
                                .tag("method", method)
                                .tag("host", host)
                                .register(target))
                .increment();
        if (!HostInterceptor.streams(chain.request())) {
            timers.computeIfAbsent(
                            List.of(method, host),
                            key -> Timer.builder("rest_client_request_duration")
                                    .description("Request latency in seconds. Broken down by verb, and host.")
                                    .tag("verb", method)
                                    .tag("host", host)
                                    .serviceLevelObjectives(BUCKETS)
                                    .register(target))
                    .record(nanos, TimeUnit.NANOSECONDS);
        }
    }
}
