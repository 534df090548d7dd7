package io.controllermanager.informer.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.client.internal.request.Permission;
import io.controllermanager.client.internal.request.ResourceVersions;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a reflector counts, for its status and for a registry. The names are those of client-go's {@code
 * tools/cache/reflector_metrics.go} where it has one, and in its style for the rest; a WatchList counts as a list and as a
 * watch. Counts are read when they are scraped, so that an event costs an addition.
 */
final class ReflectorMetrics implements AutoCloseable {

    /** Types of events that the API server sends. */
    private static final List<String> EVENT_TYPES = List.of("ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR");

    private final MeterRegistry registry;
    private final List<Meter> meters = new ArrayList<>();
    private final LongAdder lists = new LongAdder();
    private final LongAdder watches = new LongAdder();
    private final LongAdder shortWatches = new LongAdder();
    private final LongAdder undecodable = new LongAdder();
    private final Map<WatchEnd, LongAdder> ends = new EnumMap<>(WatchEnd.class);
    private final Map<String, LongAdder> events = new HashMap<>();
    private final Timer listDuration;
    private final Timer watchDuration;
    private final DistributionSummary itemsPerList;
    private final DistributionSummary itemsPerWatch;
    private final Tags tags;
    private volatile @Nullable Duration lastListDuration;
    private volatile int lastListItems;

    @GuardedBy("this")
    private @Nullable Gauge missingPermission;

    @GuardedBy("this")
    private boolean closed;

    /**
     * Registers all meters.
     *
     * @param name the label that tells reflectors apart; made unique by a number if it is taken
     */
    ReflectorMetrics(MeterRegistry registry, String name, ReflectorState state) {
        this.registry = registry;
        for (WatchEnd end : WatchEnd.values()) {
            ends.put(end, new LongAdder());
        }
        EVENT_TYPES.forEach(type -> events.put(type, new LongAdder()));
        synchronized (registry) {
            tags = Tags.of("name", InformerMeters.freeName(registry, "reflector.watches", name));
            counter("reflector.lists", "How often the whole collection was asked for.", tags, lists);
            counter("reflector.watches", "Watches begun.", tags, watches);
            counter(
                    "reflector.short.watches",
                    "Watches that ended within a second without an event.",
                    tags,
                    shortWatches);
            counter("reflector.decode.errors", "Objects and events that could not be decoded.", tags, undecodable);
            ends.forEach((end, count) -> counter(
                    "reflector.watch.ends", "Watches by how they ended.", tags.and("reason", end.label()), count));
            events.forEach((type, count) ->
                    counter("reflector.events", "Events of watches by type.", tags.and("type", type), count));
        }
        listDuration = keep(timer("reflector.list.duration", "How long it takes to read the whole collection."));
        watchDuration = keep(timer("reflector.watch.duration", "How long watches last."));
        itemsPerList = keep(summary("reflector.items.per.list", "How many objects a list brings."));
        itemsPerWatch = keep(summary("reflector.items.per.watch", "How many events a watch brings."));
        gauge("reflector.last.resource.version", "The newest resourceVersion seen.", state, ReflectorMetrics::version);
        gauge("reflector.connected", "Whether a watch is open.", state, s -> s.isConnected() ? 1 : 0);
        gauge(
                "reflector.resource.version.age.seconds",
                "Time since a newer resourceVersion was seen.",
                state,
                s -> seconds(s.resourceVersionAge()));
        gauge(
                "reflector.last.message.age.seconds",
                "Time since the API server said anything.",
                state,
                s -> seconds(s.sinceLastMessage()));
    }

    private <M extends Meter> M keep(M meter) {
        meters.add(meter);
        return meter;
    }

    private void counter(String name, String description, Tags all, LongAdder count) {
        keep(FunctionCounter.builder(name, count, LongAdder::doubleValue)
                .description(description)
                .tags(all)
                .register(registry));
    }

    private Timer timer(String name, String description) {
        return Timer.builder(name).description(description).tags(tags).register(registry);
    }

    private DistributionSummary summary(String name, String description) {
        return DistributionSummary.builder(name)
                .description(description)
                .tags(tags)
                .register(registry);
    }

    private void gauge(String name, String description, ReflectorState state, ToDoubleFunction<ReflectorState> value) {
        keep(Gauge.builder(name, state, value)
                .description(description)
                .tags(tags)
                .register(registry));
    }

    private static double version(ReflectorState state) {
        long number = ResourceVersions.number(state.resourceVersion());
        return number < 0 ? Double.NaN : number;
    }

    private static double seconds(@Nullable Duration duration) {
        return duration == null ? Double.NaN : duration.toNanos() / 1e9;
    }

    void listBegins() {
        lists.increment();
    }

    void listed(Duration duration, int items, int left) {
        lastListDuration = duration;
        lastListItems = items;
        undecodable.add(left);
        listDuration.record(duration);
        itemsPerList.record(items);
    }

    void watchBegins() {
        watches.increment();
    }

    void watchEnded(WatchEnd end, Duration duration, long eventCount) {
        ends.getOrDefault(end, new LongAdder()).increment();
        if (eventCount == 0 && duration.compareTo(Watcher.TOO_SHORT) < 0) {
            shortWatches.increment();
        }
        watchDuration.record(duration);
        itemsPerWatch.record((double) eventCount);
    }

    void event(WatchEvent<?> event) {
        events.getOrDefault(event.type(), undecodable).increment();
    }

    void undecodable() {
        undecodable.increment();
    }

    /** A gauge that is there as long as the permission is missing. */
    synchronized void missing(@Nullable Permission permission) {
        if (closed) {
            return;
        }
        Gauge before = missingPermission;
        if (before != null) {
            registry.remove(before);
            missingPermission = null;
        }
        if (permission != null) {
            missingPermission = Gauge.builder("reflector.missing.permission", () -> 1)
                    .description("What the API server refuses with 403.")
                    .tags(tags.and(
                            "verb", permission.verb(),
                            "resource", permission.resource(),
                            "namespace", permission.namespace() == null ? "" : permission.namespace()))
                    .register(registry);
        }
    }

    long lists() {
        return lists.sum();
    }

    long watches() {
        return watches.sum();
    }

    long undecodableTotal() {
        return undecodable.sum();
    }

    @Nullable
    Duration lastListDuration() {
        return lastListDuration;
    }

    int lastListItems() {
        return lastListItems;
    }

    Map<String, Long> endsByReason() {
        return ends.entrySet().stream()
                .collect(Collectors.toMap(
                        end -> end.getKey().label(), end -> end.getValue().sum()));
    }

    Map<String, Long> eventsByType() {
        return events.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, event -> event.getValue().sum()));
    }

    /** Takes the meters out of the registry. */
    @Override
    public synchronized void close() {
        missing(null);
        // The reflector's thread may have one more thing to say.
        closed = true;
        meters.forEach(registry::remove);
    }
}
