package io.controllermanager.informer.internal;

import io.controllermanager.informer.internal.delivery.HandlerStatus;
import io.controllermanager.informer.internal.reflector.ReflectorStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How an informer is at one moment. What is said of lists, watches and errors adds up its reflectors.
 *
 * @param resource the type's qualified name and version, or the class name where only that is known
 * @param namespaces the namespaces watched, empty for all
 * @param started whether it has been started
 * @param synced whether the initial list has been stored
 * @param connected whether a watch is open
 * @param objects how many objects are held
 * @param lastSyncResourceVersion the newest resourceVersion seen, empty before the first list
 * @param lists how often the whole collection has been asked for, by a list or a WatchList
 * @param watches how many watches have been begun
 * @param sinceLastMessage time since the API server last said anything (an event or bookmark), null before that
 * @param lastError what went wrong last, also with a list of shards that have come; null if nothing has
 * @param lastErrorAt when that was
 * @param ownWrites how many writes of this process readers see that the watch has not brought yet
 * @param mutations how many changes to stored objects have been found, if they are looked for
 * @param handlers how those are who are told of changes
 * @param approximateBytes about how many bytes of JSON the objects held would take
 * @param reflectors its connections to the API server, one for each namespace or one for all
 */
public record InformerStatus(
        String resource,
        Set<String> namespaces,
        boolean started,
        boolean synced,
        boolean connected,
        int objects,
        String lastSyncResourceVersion,
        long lists,
        long watches,
        @Nullable Duration sinceLastMessage,
        @Nullable String lastError,
        @Nullable Instant lastErrorAt,
        int ownWrites,
        long mutations,
        List<HandlerStatus> handlers,
        long approximateBytes,
        List<ReflectorStatus> reflectors) {

    public InformerStatus {
        handlers = List.copyOf(handlers);
        reflectors = List.copyOf(reflectors);
    }

    /**
     * Adds up.
     *
     * @param lists reflectors that list and do not watch, of which nothing but errors counts
     */
    static InformerStatus of(
            String resource,
            Set<String> namespaces,
            boolean started,
            boolean synced,
            int objects,
            String resourceVersion,
            int ownWrites,
            long mutations,
            List<HandlerStatus> handlers,
            long approximateBytes,
            List<ReflectorStatus> reflectors,
            List<ReflectorStatus> lists) {
        ReflectorStatus failedLast = Stream.concat(reflectors.stream(), lists.stream())
                .filter(reflector -> reflector.lastErrorAt() != null)
                .max(Comparator.comparing(reflector -> Objects.requireNonNull(reflector.lastErrorAt())))
                .orElse(null);
        return new InformerStatus(
                resource,
                namespaces,
                started,
                synced,
                !reflectors.isEmpty() && reflectors.stream().allMatch(ReflectorStatus::connected),
                objects,
                resourceVersion,
                reflectors.stream().mapToLong(ReflectorStatus::lists).sum(),
                reflectors.stream().mapToLong(ReflectorStatus::watches).sum(),
                // The one that has been silent for longest is the one to worry about.
                reflectors.stream()
                        .map(ReflectorStatus::sinceLastMessage)
                        .filter(Objects::nonNull)
                        .max(Comparator.naturalOrder())
                        .orElse(null),
                failedLast == null ? null : failedLast.lastError(),
                failedLast == null ? null : failedLast.lastErrorAt(),
                ownWrites,
                mutations,
                handlers,
                approximateBytes,
                reflectors);
    }
}
