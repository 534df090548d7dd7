package io.controllermanager.informer.internal.reflector;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.client.internal.request.Meters;
import io.controllermanager.client.internal.request.Permission;
import io.controllermanager.client.internal.request.ResourceVersions;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a reflector counts, for its status and for a registry. The names are those of client-go's {@code
 * tools/cache/reflector_metrics.go} where it has one, and in its style for the rest; a WatchList counts as a list and as a
 * watch. Counts are read when they are scraped, so that an event costs an addition.
 */
final class ReflectorMetrics implements AutoCloseable {

    /** How often the whole collection was asked for. */
    final LongAdder lists = new LongAdder();

    /** Watches begun. */
    final LongAdder watches = new LongAdder();

    /** Objects and events that could not be decoded. */
    final LongAdder undecodable = new LongAdder();

    private final LongAdder shortWatches = new LongAdder();

    /** Watches by how they ended, and events by the types that the API server sends. */
    final Map<String, LongAdder> ends =
            counts(Arrays.stream(Watcher.End.values()).map(Watcher.End::label).toList());

    final Map<String, LongAdder> events = counts(List.of("ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"));
    private final Meters meters;
    private final Timer listDuration;
    private final Timer watchDuration;
    private final DistributionSummary itemsPerList;
    private final DistributionSummary itemsPerWatch;
    volatile @Nullable Duration lastListDuration;
    volatile int lastListItems;

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
        meters = new Meters(
                registry, name, "reflector.connected", "Whether a watch is open.", state, s -> s.isConnected() ? 1 : 0);
        counter("reflector.lists", "How often the whole collection was asked for.", lists);
        counter("reflector.watches", "Watches begun.", watches);
        counter("reflector.short.watches", "Watches that ended within a second without an event.", shortWatches);
        counter("reflector.decode.errors", "Objects and events that could not be decoded.", undecodable);
        ends.forEach(
                (end, count) -> counter("reflector.watch.ends", "Watches by how they ended.", count, "reason", end));
        events.forEach((type, count) -> counter("reflector.events", "Events of watches by type.", count, "type", type));
        listDuration = meters.timer("reflector.list.duration", "How long it takes to read the whole collection.");
        watchDuration = meters.timer("reflector.watch.duration", "How long watches last.");
        itemsPerList = meters.summary("reflector.items.per.list", "How many objects a list brings.");
        itemsPerWatch = meters.summary("reflector.items.per.watch", "How many events a watch brings.");
        meters.gauge(
                "reflector.last.resource.version",
                "The newest resourceVersion seen.",
                state,
                s -> number(ResourceVersions.number(s.resourceVersion())));
        meters.gauge(
                "reflector.resource.version.age.seconds",
                "Time since a newer resourceVersion was seen.",
                state,
                s -> seconds(s.resourceVersionAge()));
        meters.gauge(
                "reflector.last.message.age.seconds",
                "Time since the API server said anything.",
                state,
                s -> seconds(s.sinceLastMessage()));
    }

    private static Map<String, LongAdder> counts(List<String> names) {
        return names.stream().collect(Collectors.toUnmodifiableMap(name -> name, name -> new LongAdder()));
    }

    private void counter(String name, String description, LongAdder count, String... more) {
        meters.counter(name, description, count, LongAdder::doubleValue, more);
    }

    private static double number(long version) {
        return version < 0 ? Double.NaN : version;
    }

    private static double seconds(@Nullable Duration duration) {
        return duration == null ? Double.NaN : duration.toNanos() / 1e9;
    }

    void listed(Duration duration, int items, int left) {
        lastListDuration = duration;
        lastListItems = items;
        undecodable.add(left);
        listDuration.record(duration);
        itemsPerList.record(items);
    }

    void watchEnded(Watcher.End end, Duration duration, long eventCount) {
        ends.getOrDefault(end.label(), undecodable).increment();
        if (eventCount == 0 && duration.compareTo(Watcher.TOO_SHORT) < 0) {
            shortWatches.increment();
        }
        watchDuration.record(duration);
        itemsPerWatch.record((double) eventCount);
    }

    void event(WatchEvent<?> event) {
        events.getOrDefault(event.type(), undecodable).increment();
    }

    /** A gauge that is there as long as the permission is missing. */
    synchronized void missing(@Nullable Permission permission) {
        if (missingPermission != null) {
            meters.remove(missingPermission);
            missingPermission = null;
        }
        // The reflector's thread may have one more thing to say when this is closed.
        if (permission != null && !closed) {
            missingPermission = meters.gauge(
                    "reflector.missing.permission",
                    "What the API server refuses with 403.",
                    this,
                    metrics -> 1,
                    "verb",
                    permission.verb(),
                    "resource",
                    permission.resource(),
                    "namespace",
                    permission.namespace() == null ? "" : permission.namespace());
        }
    }

    /** Counts as they are now. */
    static Map<String, Long> sums(Map<String, LongAdder> counts) {
        return counts.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, count -> count.getValue().sum()));
    }

    /** Takes the meters out of the registry. */
    @Override
    public synchronized void close() {
        closed = true;
        meters.close();
    }
}
