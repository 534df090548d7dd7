package io.controllermanager.webhook.internal.serving;

import io.controllermanager.client.internal.request.Meters;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;

/** Counts the requests of one path, under controller-runtime's names ({@code pkg/webhook/internal/metrics}). */
final class RequestMeters implements AutoCloseable {

    /** From a millisecond to the longest time that an API server waits. */
    private static final Duration[] BUCKETS = LongStream.of(
                    1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000)
            .mapToObj(Duration::ofMillis)
            .toArray(Duration[]::new);

    private final Meters meters;
    private final Timer latency;
    private final AtomicInteger inFlight = new AtomicInteger();
    private final ConcurrentHashMap<Integer, Counter> requests = new ConcurrentHashMap<>();

    RequestMeters(MeterRegistry registry, String path) {
        meters = new Meters(registry, Tags.of("webhook", path));
        latency = meters.timer(Timer.builder("controller.runtime.webhook.latency")
                .description("How long webhooks take to answer.")
                .serviceLevelObjectives(BUCKETS));
        meters.gauge(
                "controller.runtime.webhook.requests.in.flight",
                "Requests being answered.",
                inFlight,
                AtomicInteger::get);
        counter(200);
        counter(500);
    }

    private Counter counter(int code) {
        return requests.computeIfAbsent(code, this::register);
    }

    private synchronized Counter register(int code) {
        return meters.counter(
                "controller.runtime.webhook.requests", "Requests by HTTP status.", "code", Integer.toString(code));
    }

    void begin() {
        inFlight.incrementAndGet();
    }

    void end(int code, Duration took) {
        inFlight.decrementAndGet();
        latency.record(took);
        counter(code).increment();
    }

    @Override
    public synchronized void close() {
        meters.close();
    }
}
