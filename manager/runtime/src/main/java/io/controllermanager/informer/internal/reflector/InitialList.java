package io.controllermanager.informer.internal.reflector;

import io.controllermanager.client.internal.request.ApiRequests;
import io.controllermanager.client.internal.request.ErrorKind;
import io.controllermanager.client.internal.request.Obstacle;
import io.controllermanager.informer.internal.store.IndexedStore;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiException;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the whole collection: by a list at first (it is faster), and by WatchList when it has to be read again, unless the
 * API server has no such thing. As {@code list} and {@code watchList} of client-go's reflector: the first list takes any
 * state that the API server has at hand, a WatchList or a list after a 410 takes the most recent state. Used by the
 * reflector's thread.
 *
 * @param <T> the object's class
 */
final class InitialList<T extends KubernetesObject> {

    private static final Logger log = LoggerFactory.getLogger(InitialList.class);

    /** The objects of a WatchList come in quick succession. A server that pauses among them does not know WatchList. */
    private static final Duration IDLE_LIMIT = Duration.ofSeconds(15);

    private final Watcher.Parts<T> parts;
    private final Watcher<T> watcher;
    private boolean refusesWatchList;

    /**
     * The whole collection.
     *
     * @param objects by key
     * @param session the watch that brought it and goes on with changes; null if a list did
     */
    record Result<T>(Map<String, T> objects, String version, Watcher<T>.@Nullable Session session) {}

    InitialList(Watcher.Parts<T> parts, Watcher<T> watcher) {
        this.parts = parts;
        this.watcher = watcher;
    }

    /**
     * Reads it; null if the reflector is being stopped.
     *
     * @param kept which objects are wanted; the others are dropped as they are read
     */
    @Nullable
    Result<T> read(Predicate<? super T> kept) throws ApiException {
        Obstacle obstacle = parts.errors().obstacle();
        boolean mayNotWatch = obstacle != null
                && obstacle.isForbidden()
                && obstacle.permission().verb().equals("watch");
        boolean first = !parts.state().isListed();
        // Who knows no versions knows no WatchList either, and need not say so.
        if (parts.source().triesWatchList(first)
                && !refusesWatchList
                && !mayNotWatch
                && (first || parts.state().isVersioned())) {
            try {
                return watchList(kept);
            } catch (ApiException e) {
                ErrorKind kind = ErrorKind.of(e);
                if (parts.state().isStopped() || !kind.isBetterListed()) {
                    throw e;
                }
                refused(kind == ErrorKind.INVALID, String.valueOf(e.getMessage()));
            } catch (NoInitialStateException e) {
                refused(e.forGood, String.valueOf(e.getMessage()));
            }
        }
        return parts.state().isStopped() ? null : list(kept);
    }

    private void refused(boolean forGood, String message) {
        refusesWatchList = forGood;
        log.atDebug()
                .addKeyValue("resource", parts.source().target())
                .addKeyValue("forGood", forGood)
                .log("The API server sends no initial state in a watch; it is listed: {}", message);
    }

    private Result<T> watchList(Predicate<? super T> kept) throws ApiException, NoInitialStateException {
        String version = parts.state().listVersion();
        Watcher<T>.Session session = watcher.open(version.equals("0") ? "" : version, true);
        boolean whole = false;
        try {
            session.initialState(IDLE_LIMIT);
            Map<String, T> objects = new LinkedHashMap<>();
            String end = drain(session, objects, kept);
            parts.metrics().lists.increment();
            parts.metrics().listed(session.lasted(), objects.size(), 0);
            session.initialStateEnded();
            whole = true;
            return new Result<>(objects, end, session);
        } catch (IOException e) {
            if (session.isSilent()) {
                throw new NoInitialStateException("nothing said where the initial state ends", false);
            }
            throw ApiRequests.failure("watch " + parts.source().target(), e);
        } finally {
            if (!whole) {
                session.close();
            }
        }
    }

    /** Reads up to the bookmark that ends the initial state; gives its version. */
    private String drain(Watcher<T>.Session session, Map<String, T> objects, Predicate<? super T> kept)
            throws ApiException, IOException, NoInitialStateException {
        WatchEvent<T> event = session.next();
        while (event != null && !parts.state().isStopped()) {
            if (event instanceof WatchEvent.Changed<T> changed && kept.test(changed.object())) {
                objects.put(IndexedStore.key(changed.object()), changed.object());
            } else if (event instanceof WatchEvent.Changed<T> unwanted) {
                objects.remove(IndexedStore.key(unwanted.object()));
            } else if (event instanceof WatchEvent.Removed<T> removed) {
                objects.remove(IndexedStore.key(removed.object()));
            } else if (event instanceof WatchEvent.Bookmark<T> bookmark) {
                if (bookmark.initialStateEnds()) {
                    return bookmark.resourceVersion();
                }
                throw new NoInitialStateException("a bookmark came before the end of the initial state", true);
            }
            event = session.next();
        }
        throw new NoInitialStateException("the stream ended before the initial state did", false);
    }

    private Result<T> list(Predicate<? super T> kept) throws ApiException {
        parts.metrics().lists.increment();
        parts.errors().asking("list");
        long begun = parts.clock().nanoTime();
        ListWatch.Listing<T> listing = parts.source().list(parts.state().listVersion(), kept);
        parts.state().heard();
        parts.metrics()
                .listed(
                        Duration.ofNanos(parts.clock().nanoTime() - begun),
                        listing.items().size(),
                        listing.unreadable());
        Map<String, T> objects = new LinkedHashMap<>(listing.items().size() * 2);
        listing.items().forEach(object -> objects.put(IndexedStore.key(object), object));
        return new Result<>(objects, listing.resourceVersion(), null);
    }

    /** The API server has opened a stream that is to begin with all objects, and does not keep to that. */
    private static final class NoInitialStateException extends Exception {
        private static final long serialVersionUID = 1L;

        private final boolean forGood;

        NoInitialStateException(String message, boolean forGood) {
            super(message);
            this.forGood = forGood;
        }
    }
}
