package io.controllermanager.controller.internal;

import io.controllermanager.client.internal.request.Meters;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * A controller's meters. Those that begin with {@code controller.runtime} have in Prometheus the names, labels and
 * buckets of controller-runtime's {@code pkg/internal/controller/metrics}, and are there from the start with the value
 * zero; the others are ours.
 */
final class ReconcileMetrics implements AutoCloseable {

    /** Upstream's buckets, in milliseconds. */
    private static final Duration[] BUCKETS = IntStream.of(
                    5, 10, 25, 50, 100, 150, 200, 250, 300, 350, 400, 450, 500, 600, 700, 800, 900, 1000, 1250, 1500,
                    1750, 2000, 2500, 3000, 3500, 4000, 4500, 5000, 6000, 7000, 8000, 9000, 10_000, 15_000, 20_000,
                    25_000, 30_000, 40_000, 50_000, 60_000)
            .mapToObj(Duration::ofMillis)
            .toArray(Duration[]::new);

    private final Meters meters;
    private final Map<ReconcileResult, Counter> results = new EnumMap<>(ReconcileResult.class);
    final Counter errors;
    final Counter terminalErrors;
    final Counter panics;
    final Counter timeouts;
    final Counter mappingErrors;
    private final Timer time;

    ReconcileMetrics(MeterRegistry registry, String controller) {
        this.meters = new Meters(registry, Tags.of("controller", controller));
        for (ReconcileResult result : ReconcileResult.values()) {
            results.put(
                    result,
                    meters.counter("controller.runtime.reconcile", "Reconciles by result.", "result", result.label()));
        }
        this.errors = meters.counter("controller.runtime.reconcile.errors", "Reconciles that failed.");
        this.terminalErrors = meters.counter(
                "controller.runtime.terminal.reconcile.errors",
                "Reconciles that failed with an error that is not retried.");
        this.panics =
                meters.counter("controller.runtime.reconcile.panics", "Reconciles that failed with a Java Error.");
        this.timeouts = meters.counter(
                "controller.runtime.reconcile.timeouts", "Reconciles that were interrupted at their time limit.");
        this.mappingErrors = meters.counter(
                "controller.manager.event.mapping.errors",
                "Events whose predicate or mapping function threw an exception.");
        this.time = meters.timer(Timer.builder("controller.runtime.reconcile.time")
                .description("How long reconciles take.")
                .serviceLevelObjectives(BUCKETS));
    }

    /** Adds the gauges of the controller's workers. */
    void bind(Controller controller) {
        meters.gauge(
                "controller.runtime.max.concurrent.reconciles",
                "How many keys are reconciled at once at most.",
                controller,
                Controller::workers);
        meters.gauge(
                "controller.runtime.active.workers",
                "How many keys are being reconciled.",
                controller,
                Controller::activeWorkers);
        meters.gauge(
                "controller.manager.stuck.workers",
                "How many reconciles go on although they have been interrupted.",
                controller,
                Controller::stuckWorkers);
        meters.gauge(
                "controller.manager.paused.objects",
                "How many objects are not reconciled because an annotation pauses them.",
                controller,
                Controller::pausedKeys);
    }

    void reconciled(ReconcileResult result, long nanos) {
        time.record(nanos, TimeUnit.NANOSECONDS);
        Objects.requireNonNull(results.get(result)).increment();
    }

    /** Takes the meters out of the registry. */
    @Override
    public void close() {
        meters.close();
    }
}
