package io.controllermanager.informer.internal;

import io.controllermanager.client.internal.request.Meters;
import io.controllermanager.informer.internal.delivery.HandlerStatus;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.ToDoubleFunction;

/** What an informer shows of its store in a registry; its reflectors have meters of their own. */
final class InformerMeters {

    private InformerMeters() {}

    /**
     * Registers all meters, until they are closed.
     *
     * @param name the label that tells informers apart; made unique by a number if it is taken
     */
    static Meters of(MeterRegistry registry, String name, ListWatchInformer<?> informer) {
        Meters meters = new Meters(
                registry,
                name,
                "informer.objects",
                "Objects held.",
                informer,
                i -> i.status().objects());
        meters.gauge(
                "informer.objects.size.bytes",
                "About how many bytes of JSON the objects held would take; their heap is about twice that.",
                informer,
                i -> i.status().approximateBytes());
        meters.gauge(
                "informer.synced", "Whether the initial state has been stored.", informer, i -> i.hasSynced() ? 1 : 0);
        meters.gauge(
                "informer.handler.backlog",
                "Events that wait for handlers.",
                informer,
                i -> sum(i, HandlerStatus::backlog));
        meters.gauge(
                "informer.handler.lag.seconds",
                "For how long the oldest event has waited that a handler has not finished with.",
                informer,
                i -> i.status().handlers().stream()
                        .mapToDouble(handler -> handler.lag().toNanos() / 1e9)
                        .max()
                        .orElse(0));
        meters.counter(
                "informer.handler.failures",
                "How often handlers have thrown something.",
                informer,
                i -> sum(i, HandlerStatus::failures));
        return meters;
    }

    private static double sum(ListWatchInformer<?> informer, ToDoubleFunction<HandlerStatus> value) {
        return informer.status().handlers().stream().mapToDouble(value).sum();
    }
}
