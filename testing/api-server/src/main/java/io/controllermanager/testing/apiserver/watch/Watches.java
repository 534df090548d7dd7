package io.controllermanager.testing.apiserver.watch;

import io.controllermanager.testing.apiserver.http.Request;
import io.controllermanager.testing.apiserver.http.Response;
import io.controllermanager.testing.apiserver.http.StatusException;
import io.controllermanager.testing.apiserver.http.StatusException.Cause;
import io.controllermanager.testing.apiserver.resource.ResourceType;
import io.controllermanager.testing.apiserver.rest.Reader;
import io.controllermanager.testing.apiserver.rest.ResourceRequest;
import io.controllermanager.testing.apiserver.selector.Selection;
import io.controllermanager.testing.apiserver.storage.Store;
import io.controllermanager.testing.apiserver.table.Representation;
import java.time.Duration;

/** Opens watches. */
public final class Watches {

    /** How long a watch lasts that does not say; the real server takes a random time from half an hour up. */
    private static final Duration TIMEOUT = Duration.ofMinutes(30);

    private final Store store;
    private final Duration bookmarkInterval;

    /**
     * Watches of a store.
     *
     * @param bookmarkInterval how often a watch that takes bookmarks gets one
     */
    public Watches(Store store, Duration bookmarkInterval) {
        this.store = store;
        this.bookmarkInterval = bookmarkInterval;
    }

    /**
     * Begins a watch.
     *
     * @throws StatusException for parameters that make no sense; what is wrong later is told of in the stream
     */
    public Response open(ResourceRequest request) {
        Request http = request.http();
        ResourceType type = request.type();
        Selection selection = request.selection();
        Representation representation = Representation.of(http);
        String version = http.parameter("resourceVersion");
        long from = Reader.version(version);
        boolean initialEvents = http.flag("sendInitialEvents");
        check(http);
        if (initialEvents && from > store.version()) {
            throw StatusException.tooLargeVersion(from, store.version());
        }
        Long seconds = http.number("timeoutSeconds");
        Watch.Start start;
        if (initialEvents) {
            start = Watch.Start.LIST_AND_MARK;
        } else if (from > 0) {
            start = Watch.Start.VERSION;
        } else {
            start = http.has("sendInitialEvents") ? Watch.Start.NOW : Watch.Start.LIST;
        }
        return new Response.Stream(
                "application/json",
                new Watch(
                        store,
                        type,
                        selection,
                        representation,
                        start,
                        from,
                        http.flag("allowWatchBookmarks"),
                        bookmarkInterval,
                        seconds == null || seconds <= 0 ? TIMEOUT : Duration.ofSeconds(seconds)));
    }

    private static void check(Request http) {
        String match = http.parameter("resourceVersionMatch");
        String wrong = null;
        if (http.has("sendInitialEvents") && !match.equals("NotOlderThan")) {
            wrong = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
        } else if (!match.isEmpty() && !http.has("sendInitialEvents")) {
            wrong = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
        }
        if (wrong != null) {
            throw Reader.listOptions(new Cause("FieldValueForbidden", "Forbidden: " + wrong, "resourceVersionMatch"));
        }
    }
}
