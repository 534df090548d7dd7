package io.controllermanager.informer;

import io.controllermanager.client.ResourceVersions;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * What a reflector counts, for its status and for a registry. The names are those of client-go's {@code
 * tools/cache/reflector_metrics.go} where it has one, and in its style for the rest; a WatchList counts as a list and as a
 * watch. Counts are read when they are scraped, so that an event costs an addition.
 */
final class ReflectorMetrics implements AutoCloseable {

    private final @Nullable MeterRegistry registry;
    private final List<Meter> meters = new ArrayList<>();
    private final LongAdder lists = new LongAdder();
    private final LongAdder watches = new LongAdder();
    private final LongAdder shortWatches = new LongAdder();
    private final LongAdder undecodable = new LongAdder();
    private final Map<WatchEnd, LongAdder> ends = new EnumMap<>(WatchEnd.class);
    private final Map<EventKind, LongAdder> events = new EnumMap<>(EventKind.class);
    private final @Nullable Timer listDuration;
    private final @Nullable Timer watchDuration;
    private final @Nullable DistributionSummary itemsPerList;
    private final @Nullable DistributionSummary itemsPerWatch;
    private final Tags tags;
    private volatile @Nullable Duration lastListDuration;
    private volatile int lastListItems;
    private @Nullable Gauge missingPermission;
    private boolean closed;

    /** The kinds of a watch's events. */
    enum EventKind {
        ADDED,
        MODIFIED,
        DELETED,
        BOOKMARK,
        ERROR;

        static @Nullable EventKind of(WatchEvent<?> event) {
            if (event instanceof WatchEvent.Changed<?> changed) {
                return changed.added() ? ADDED : MODIFIED;
            }
            if (event instanceof WatchEvent.Removed<?>) {
                return DELETED;
            }
            if (event instanceof WatchEvent.Bookmark<?>) {
                return BOOKMARK;
            }
            return event instanceof WatchEvent.Failed<?> ? ERROR : null;
        }
    }

    /**
     * Registers all meters.
     *
     * @param registry null for none
     * @param name the label that tells reflectors apart; made unique by a number if it is taken
     */
    ReflectorMetrics(@Nullable MeterRegistry registry, String name, Reflector<?> reflector) {
        this.registry = registry;
        for (WatchEnd end : WatchEnd.values()) {
            ends.put(end, new LongAdder());
        }
        for (EventKind kind : EventKind.values()) {
            events.put(kind, new LongAdder());
        }
        if (registry == null) {
            tags = Tags.empty();
            listDuration = null;
            watchDuration = null;
            itemsPerList = null;
            itemsPerWatch = null;
            return;
        }
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
            events.forEach((kind, count) ->
                    counter("reflector.events", "Events of watches by type.", tags.and("type", kind.name()), count));
        }
        listDuration = keep(Timer.builder("reflector.list.duration")
                .description("How long it takes to read the whole collection.")
                .tags(tags)
                .register(registry));
        watchDuration = keep(Timer.builder("reflector.watch.duration")
                .description("How long watches last.")
                .tags(tags)
                .register(registry));
        itemsPerList = keep(DistributionSummary.builder("reflector.items.per.list")
                .description("How many objects a list brings.")
                .tags(tags)
                .register(registry));
        itemsPerWatch = keep(DistributionSummary.builder("reflector.items.per.watch")
                .description("How many events a watch brings.")
                .tags(tags)
                .register(registry));
        gauge(
                "reflector.last.resource.version",
                "The newest resourceVersion seen.",
                reflector,
                r -> number(r.resourceVersion()));
        gauge("reflector.connected", "Whether a watch is open.", reflector, r -> r.connected() ? 1 : 0);
        age(
                "reflector.resource.version.age",
                "Time since a newer resourceVersion was seen.",
                reflector,
                r -> seconds(r.resourceVersionAge()));
        age(
                "reflector.last.message.age",
                "Time since the API server said anything.",
                reflector,
                r -> seconds(r.sinceLastMessage()));
    }

    private <M extends Meter> M keep(M meter) {
        synchronized (meters) {
            meters.add(meter);
        }
        return meter;
    }

    private void counter(String name, String description, Tags all, LongAdder count) {
        if (registry != null) {
            keep(FunctionCounter.builder(name, count, LongAdder::doubleValue)
                    .description(description)
                    .tags(all)
                    .register(registry));
        }
    }

    private void gauge(String name, String description, Reflector<?> reflector, ToDoubleFunction<Reflector<?>> value) {
        if (registry != null) {
            keep(Gauge.builder(name, reflector, value)
                    .description(description)
                    .tags(tags)
                    .register(registry));
        }
    }

    private void age(String name, String description, Reflector<?> reflector, ToDoubleFunction<Reflector<?>> value) {
        if (registry != null) {
            keep(TimeGauge.builder(name, reflector, TimeUnit.SECONDS, value)
                    .description(description)
                    .tags(tags)
                    .register(registry));
        }
    }

    private static double number(String resourceVersion) {
        long number = ResourceVersions.number(resourceVersion);
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
        if (listDuration != null && itemsPerList != null) {
            listDuration.record(duration);
            itemsPerList.record(items);
        }
    }

    void watchBegins() {
        watches.increment();
    }

    void watchEnded(WatchEnd end, Duration duration, long eventCount) {
        ends.getOrDefault(end, new LongAdder()).increment();
        if (eventCount == 0 && duration.compareTo(Reflector.TOO_SHORT) < 0) {
            shortWatches.increment();
        }
        if (watchDuration != null && itemsPerWatch != null) {
            watchDuration.record(duration);
            itemsPerWatch.record((double) eventCount);
        }
    }

    void event(WatchEvent<?> event) {
        EventKind kind = EventKind.of(event);
        if (kind == null) {
            undecodable.increment();
        } else {
            events.getOrDefault(kind, undecodable).increment();
        }
    }

    void undecodable() {
        undecodable.increment();
    }

    /** A gauge that is there as long as the permission is missing. */
    synchronized void missing(@Nullable Permission permission) {
        if (registry == null || closed) {
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
        Map<String, Long> counts = new TreeMap<>();
        ends.forEach((end, count) -> counts.put(end.label(), count.sum()));
        return counts;
    }

    Map<String, Long> eventsByType() {
        Map<String, Long> counts = new TreeMap<>();
        events.forEach((kind, count) -> counts.put(kind.name(), count.sum()));
        return counts;
    }

    /** Takes the meters out of the registry. */
    @Override
    public void close() {
        synchronized (this) {
            missing(null);
            // The reflector's thread may have one more thing to say.
            closed = true;
        }
        synchronized (meters) {
            if (registry != null) {
                meters.forEach(registry::remove);
            }
            meters.clear();
        }
    }
}
