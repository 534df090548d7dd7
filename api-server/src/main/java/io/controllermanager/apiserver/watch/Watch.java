package io.controllermanager.apiserver.watch;

import io.controllermanager.apiserver.http.Request;
import io.controllermanager.apiserver.http.Response;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.resource.ResourceType;
import io.controllermanager.apiserver.rest.Reader;
import io.controllermanager.apiserver.rest.ResourceRequest;
import io.controllermanager.apiserver.rest.Versions;
import io.controllermanager.apiserver.selector.Selection;
import io.controllermanager.apiserver.storage.Change;
import io.controllermanager.apiserver.storage.Snapshot;
import io.controllermanager.apiserver.storage.Store;
import io.controllermanager.apiserver.storage.StoredObject;
import io.controllermanager.apiserver.table.Representation;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * One watch. It holds no events of its own, but a position in the log: a slow client falls behind without cost, until
 * history is compacted under it. A client that went away without a word is noticed when the next event or bookmark is
 * written, or when the watch's time is over.
 */
public final class Watch implements Response.Events {

    /** How long a watch lasts that does not say; the real server takes a random time from half an hour up. */
    private static final long TIMEOUT_SECONDS = 1800;

    private static final int BATCH = 500;

    /** How long before its end a watch gets its last bookmark, so that the next one begins where it is. */
    private static final Duration LAST_BOOKMARK = Duration.ofSeconds(2);

    private final Store store;
    private final Request http;
    private final Duration bookmarkInterval;
    private final ResourceType type;
    private final Selection selection;
    private final Representation representation;
    private final long from;
    private final Duration timeout;

    /**
     * Begins a watch.
     *
     * @param bookmarkInterval how often it gets a bookmark, if it takes any
     * @throws StatusException for parameters that make no sense; what is wrong later is told of in the stream
     */
    public Watch(Store store, Duration bookmarkInterval, ResourceRequest request) {
        this.store = store;
        this.http = request.http();
        this.bookmarkInterval = bookmarkInterval;
        this.type = request.type();
        this.selection = selection(request);
        this.representation = Representation.of(http);
        this.from = Reader.version(http.parameter("resourceVersion"), 500);
        long seconds = Objects.requireNonNullElse(http.number("timeoutSeconds"), 0L);
        this.timeout = Duration.ofSeconds(seconds > 0 ? seconds : TIMEOUT_SECONDS);
        String of = "resourceVersionMatch";
        String match = http.parameter(of);
        boolean chooses = http.has("sendInitialEvents");
        boolean matchesOtherwise = chooses && !match.equals("NotOlderThan");
        Reader.refuse(matchesOtherwise, of, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
        boolean isLone = !match.isEmpty() && !chooses;
        Reader.refuse(isLone, of, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
    }

    /** The real server has no cache of Events, and its storage filters watches only if labels or fields select. */
    private static Selection selection(ResourceRequest request) {
        Selection selection = request.selection();
        return request.type().plural().equals("events") && !request.type().isCustom() && selection.hasNoSelector()
                ? selection.ofAllShards()
                : selection;
    }

    @Override
    public void writeTo(Response.Sink sink) throws IOException, InterruptedException {
        long start = System.nanoTime();
        long end = nanos(timeout);
        long interval = nanos(bookmarkInterval);
        long nextBookmark = nextBookmark(0, interval, end);
        long nudges = 0;
        try {
            long seen = begin(sink);
            sink.flush();
            for (long time = System.nanoTime() - start; time < end; time = System.nanoTime() - start) {
                long wait = Math.min(end, nextBookmark) - time;
                Store.Changes changes = store.changes(type.storage(), seen, BATCH, Math.max(wait, 0), nudges);
                for (Change change : changes.list()) {
                    send(change, sink);
                }
                if (changes.ended()) {
                    return;
                }
                seen = changes.upTo();
                long now = System.nanoTime() - start;
                if (now >= nextBookmark || changes.nudges() != nudges) {
                    nudges = changes.nudges();
                    nextBookmark = nextBookmark(now, interval, end);
                    if (http.flag("allowWatchBookmarks")) {
                        sink.send(representation.bookmark(type, seen, false), true);
                    }
                }
                sink.flush();
            }
        } catch (StatusException e) {
            sink.send(representation.error(e), false);
            sink.flush();
        }
    }

    /**
     * When a watch gets its next bookmark (apiserver, pkg/storage/cacher/cache_watcher.go, nextBookmarkTime).
     *
     * @param now nanoseconds since it began, as all else here
     */
    static long nextBookmark(long now, long interval, long end) {
        long last = end - nanos(LAST_BOOKMARK);
        return now < last ? Math.min(now + interval, last) : now + interval;
    }

    /** As far ahead as two moments may be compared: what is longer never ends. */
    private static long nanos(Duration time) {
        return Math.min(TimeUnit.NANOSECONDS.convert(time), Long.MAX_VALUE / 2);
    }

    /** Sends what is there, if it is wanted; gives the version from which the log goes on. */
    private long begin(Response.Sink sink) throws IOException, InterruptedException {
        boolean initialEvents = http.flag("sendInitialEvents");
        if (!initialEvents && from > 0) {
            // Not only what the log still has: who asks for a compacted version is refused.
            store.checkWatch(type.storage(), from);
            return from;
        }
        Snapshot snapshot = store.list(type.storage());
        if (from > snapshot.version()) {
            throw StatusException.tooLargeVersion(from, snapshot.version());
        }
        if (initialEvents || !http.has("sendInitialEvents")) {
            List<StoredObject> wanted = snapshot.objects().values().stream()
                    .filter(selection::matches)
                    .toList();
            Versions.prepare(wanted, type);
            for (StoredObject object : wanted) {
                sink.send(representation.event("ADDED", type, object), false);
            }
        }
        if (initialEvents && http.flag("allowWatchBookmarks")) {
            sink.send(representation.bookmark(type, snapshot.version(), true), true);
        }
        return snapshot.version();
    }

    /** An object that enters the selection is new to the watcher, one that leaves it is gone. */
    private void send(Change change, Response.Sink sink) throws IOException, InterruptedException {
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
