package io.controllermanager.informer;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How an informer is at one moment.
 *
 * @param resource the type's qualified name and version, or the class name where only that is known
 * @param namespaces the namespaces watched, empty for all
 * @param started whether it has been started
 * @param synced whether the initial list has been stored
 * @param connected whether a watch is open
 * @param objects how many objects are held
 * @param lastSyncResourceVersion the newest resourceVersion seen, empty before the first list
 * @param lists how many lists have been made
 * @param watches how many watches have been opened
 * @param sinceLastMessage time since the API server last said anything (an event or bookmark), null before that
 * @param lastError what went wrong last, null if nothing has
 * @param lastErrorAt when that was
 * @param ownWrites how many writes of this process readers see that the watch has not brought yet
 * @param mutations how many changes to stored objects have been found, if they are looked for
 * @param handlers how those are who are told of changes
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
        List<HandlerStatus> handlers) {}
