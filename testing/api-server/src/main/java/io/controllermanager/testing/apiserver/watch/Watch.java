package io.controllermanager.testing.apiserver.watch;

import io.controllermanager.testing.apiserver.http.Response;
import io.controllermanager.testing.apiserver.http.StatusException;
import io.controllermanager.testing.apiserver.resource.ResourceType;
import io.controllermanager.testing.apiserver.selector.Selection;
import io.controllermanager.testing.apiserver.storage.Change;
import io.controllermanager.testing.apiserver.storage.CompactedException;
import io.controllermanager.testing.apiserver.storage.Snapshot;
import io.controllermanager.testing.apiserver.storage.Store;
import io.controllermanager.testing.apiserver.storage.StoredObject;
import io.controllermanager.testing.apiserver.table.Representation;
import java.io.IOException;
import java.time.Duration;

/**
 * One watch. It holds no events of its own, but a position in the log: a slow client falls behind without cost, until
 * history is compacted under it.
 *
 * @param from where to begin, for {@link Start#VERSION}
 * @param bookmarks whether the client takes them
 */
record Watch(
        Store store,
        ResourceType type,
        Selection selection,
        Representation representation,
        Start start,
        long from,
        boolean bookmarks,
        Duration bookmarkInterval,
        Duration timeout)
        implements Response.Events {

    private static final int BATCH = 500;

    /** What a watch begins with. */
    enum Start {
        /** The changes after a version. */
        VERSION,
        /** The changes from now on. */
        NOW,
        /** All objects as if they were new. */
        LIST,
        /** All objects, and a bookmark that says that these were all. */
        LIST_AND_MARK
    }

    @Override
    public void writeTo(Response.Sink sink) throws IOException, InterruptedException {
        long now = System.nanoTime();
        long end = now + timeout.toNanos();
        long nextBookmark = now + bookmarkInterval.toNanos();
        long seen = begin(sink);
        sink.flush();
        try {
            while (System.nanoTime() - end < 0) {
                long wait = Math.min(end, nextBookmark) - System.nanoTime();
                for (Change change : store.changes(type.storage(), seen, BATCH, Math.max(wait, 0))) {
                    send(change, sink);
                    seen = change.version();
                }
                sink.flush();
                if (System.nanoTime() - nextBookmark >= 0) {
                    nextBookmark = System.nanoTime() + bookmarkInterval.toNanos();
                    seen = store.caughtUp(type.storage(), seen);
                    if (bookmarks) {
                        sink.send(representation.bookmark(type, seen, false), true);
                        sink.flush();
                    }
                }
            }
        } catch (CompactedException e) {
            sink.send(representation.error(StatusException.expired(String.valueOf(e.getMessage()))), false);
            sink.flush();
        }
    }

    /** Sends what is there; gives the version from which the log goes on. */
    private long begin(Response.Sink sink) throws IOException {
        if (start == Start.VERSION) {
            return from;
        }
        if (start == Start.NOW) {
            return store.version();
        }
        Snapshot snapshot = store.list(type.storage());
        for (StoredObject object : snapshot.objects()) {
            if (selection.matches(object)) {
                sink.send(representation.event("ADDED", type, object), false);
            }
        }
        if (start == Start.LIST_AND_MARK && bookmarks) {
            sink.send(representation.bookmark(type, snapshot.version(), true), true);
        }
        return snapshot.version();
    }

    /** An object that enters the selection is new to the watcher, one that leaves it is gone. */
    private void send(Change change, Response.Sink sink) throws IOException {
        StoredObject before = change.before();
        boolean was = before != null && selection.matches(before);
        boolean is = !change.deletion() && selection.matches(change.object());
        if (is) {
            sink.send(representation.event(was ? "MODIFIED" : "ADDED", type, change.object()), false);
        } else if (was && before != null) {
            // The state that the watcher knows, under the version of the change that took it out of sight.
            StoredObject last = change.deletion() ? change.object() : before.at(change.version());
            sink.send(representation.event("DELETED", type, last), false);
        }
    }
}
