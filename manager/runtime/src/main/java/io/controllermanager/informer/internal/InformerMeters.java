package io.controllermanager.informer.internal;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** What an informer shows of its store in a registry; its reflectors have meters of their own. */
final class InformerMeters implements AutoCloseable {

    private final MeterRegistry registry;
    private final List<Meter> meters = new ArrayList<>();
    private final Tags tags;

    /**
     * Registers all meters.
     *
     * @param name the label that tells informers apart; made unique by a number if it is taken
     */
    InformerMeters(MeterRegistry registry, String name, ListWatchInformer<?> informer) {
        this.registry = registry;
        synchronized (registry) {
            tags = Tags.of("name", freeName(registry, "informer.objects", name));
            gauge("informer.objects", "Objects held.", informer, i -> i.status().objects());
        }
        gauge(
                "informer.objects.size.bytes",
                "About how many bytes of JSON the objects held would take; their heap is about twice that.",
                informer,
                i -> i.status().approximateBytes());
        gauge("informer.synced", "Whether the initial state has been stored.", informer, i -> i.hasSynced() ? 1 : 0);
        gauge(
                "informer.handler.backlog",
                "Events that wait for handlers.",
                informer,
                i -> i.status().handlers().stream()
                        .mapToDouble(HandlerStatus::backlog)
                        .sum());
        gauge(
                "informer.handler.lag.seconds",
                "For how long the oldest event has waited that a handler has not finished with.",
                informer,
                i -> i.status().handlers().stream()
                        .mapToDouble(handler -> handler.lag().toNanos() / 1e9)
                        .max()
                        .orElse(0));
        meters.add(FunctionCounter.builder(
                        "informer.handler.failures",
                        informer,
                        i -> i.status().handlers().stream()
                                .mapToDouble(HandlerStatus::failures)
                                .sum())
                .description("How often handlers have thrown something.")
                .tags(tags)
                .register(registry));
    }

    private void gauge(
            String name,
            String description,
            ListWatchInformer<?> informer,
            ToDoubleFunction<ListWatchInformer<?>> value) {
        meters.add(Gauge.builder(name, informer, value)
                .description(description)
                .tags(tags)
                .register(registry));
    }

    /** A value of the label {@code name} that no such meter has. */
    static String freeName(MeterRegistry registry, String meter, String wanted) {
        String name = wanted;
        for (int number = 2; registry.find(meter).tag("name", name).meter() != null; number++) {
            name = wanted + "-" + number;
        }
        return name;
    }

    /** Takes the meters out of the registry. */
    @Override
    public void close() {
        meters.forEach(registry::remove);
    }
}
