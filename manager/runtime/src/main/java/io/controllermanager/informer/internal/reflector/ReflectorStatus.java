package io.controllermanager.informer.internal.reflector;

import io.controllermanager.client.internal.request.Obstacle;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How an informer's connection to the API server is; an informer of several namespaces has one for each.
 *
 * @param namespace the namespace watched, null for all
 * @param connected whether a watch is open
 * @param disconnectedFor how long none has been, null while one is
 * @param resourceVersion the newest resourceVersion seen, empty before the first list
 * @param resourceVersionAge time since it was seen, null before that
 * @param sinceLastMessage time since the API server last said anything (an event or bookmark), null before that
 * @param lists how often the whole collection has been asked for
 * @param lastListDuration how long that took the last time that it succeeded, null before that
 * @param lastListItems how many objects came then
 * @param watches how many watches have been begun
 * @param watchEnds how many of them ended, by how: regular, expired, failed, cut, silent, garbled, stopped
 * @param events how many events have come, by type
 * @param undecodable how many objects and events could not be decoded
 * @param missingPermission what the API server refuses with 403: verb, resource and namespace; null if nothing
 * @param lastError what went wrong last, null if nothing has
 * @param lastErrorAt when that was
 */
public record ReflectorStatus(
        @Nullable String namespace,
        boolean connected,
        @Nullable Duration disconnectedFor,
        String resourceVersion,
        @Nullable Duration resourceVersionAge,
        @Nullable Duration sinceLastMessage,
        long lists,
        @Nullable Duration lastListDuration,
        int lastListItems,
        long watches,
        Map<String, Long> watchEnds,
        Map<String, Long> events,
        long undecodable,
        @Nullable String missingPermission,
        @Nullable String lastError,
        @Nullable Instant lastErrorAt) {

    public ReflectorStatus {
        watchEnds = Collections.unmodifiableMap(new TreeMap<>(watchEnds));
        events = Collections.unmodifiableMap(new TreeMap<>(events));
    }

    public static ReflectorStatus of(
            ListWatch<?> source, ReflectorState state, ReflectorMetrics metrics, ReflectorErrors errors) {
        ReflectorErrors.Failure last = errors.last();
        Obstacle obstacle = errors.obstacle();
        Duration disconnectedFor = state.disconnectedFor();
        return new ReflectorStatus(
                source.permission("watch").namespace(),
                disconnectedFor == null,
                disconnectedFor,
                state.resourceVersion(),
                state.resourceVersionAge(),
                state.sinceLastMessage(),
                metrics.lists.sum(),
                metrics.lastListDuration,
                metrics.lastListItems,
                metrics.watches.sum(),
                ReflectorMetrics.sums(metrics.ends),
                ReflectorMetrics.sums(metrics.events),
                metrics.undecodable.sum(),
                obstacle != null && obstacle.isForbidden()
                        ? obstacle.permission().toString()
                        : null,
                last == null ? null : last.message(),
                last == null ? null : last.at());
    }
}
