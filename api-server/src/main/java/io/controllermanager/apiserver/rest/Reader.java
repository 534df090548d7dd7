package io.controllermanager.apiserver.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.http.Response;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.http.StatusException.Cause;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.selector.Selection;
import io.controllermanager.apiserver.storage.Snapshot;
import io.controllermanager.apiserver.storage.Store;
import io.controllermanager.apiserver.storage.StoredObject;
import io.controllermanager.apiserver.table.Representation;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Gets and lists objects. */
public record Reader(Store store) {

    public Response get(ResourceRequest request) {
        known(version(request.http().parameter("resourceVersion"), 500));
        StoredObject object = request.existing(store);
        if (request.isScale()) {
            ObjectNode scale = ScaleView.of(request).get(Versions.tree(object, request.type()));
            return Representation.of(request.http()).one(200, request.shown().type(), scale, List.of());
        }
        return Representation.of(request.http()).one(request.type(), object);
    }

    public Response list(ResourceRequest request) {
        Listing listing = select(request);
        return Representation.of(request.http()).list(request.type(), listing.objects(), listing.metadata());
    }

    /** What a request is about that names a collection, as it was at one moment. */
    record Listing(ObjectNode metadata, List<StoredObject> objects) {}

    Listing select(ResourceRequest request) {
        Selection selection = request.selection();
        request.http().number("timeoutSeconds");
        String version = request.http().parameter("resourceVersion");
        boolean continued = !request.http().parameter("continue").isEmpty();
        long limit = Objects.requireNonNullElse(request.http().number("limit"), 0L);
        if (limit <= 0 || (version.equals("0") && !continued)) {
            // For any version the real server answers out of its cache, which knows no pages.
            limit = Long.MAX_VALUE;
        }
        Snapshot snapshot = snapshot(request, limit < Long.MAX_VALUE).in(request.namespace());
        ObjectNode metadata = Json.object().put("resourceVersion", Long.toString(snapshot.version()));
        List<StoredObject> chosen = new ArrayList<>();
        for (StoredObject object : snapshot.objects().values()) {
            if (chosen.size() == limit) {
                // The real server does not look whether any of the rest is wanted, and counts it without the shards.
                String last = chosen.get(chosen.size() - 1).key().path();
                metadata.put("continue", new ContinueToken(snapshot.version(), last).encode());
                if (selection.hasNoSelector()) {
                    metadata.put("remainingItemCount", snapshot.objects().size() - limit);
                }
                break;
            }
            if (selection.matches(object)) {
                chosen.add(object);
            }
        }
        // The real server's lists of custom resources cannot hold of which shards they are.
        if (!selection.shards().isEverything() && !request.type().isCustom()) {
            metadata.putObject("shardInfo").put("selector", selection.shards().toString());
        }
        return new Listing(metadata, chosen);
    }

    /** The state that a list is of, from where it goes on. */
    private Snapshot snapshot(ResourceRequest request, boolean limited) {
        String text = request.http().parameter("resourceVersion");
        String match = request.http().parameter("resourceVersionMatch");
        String storage = request.type().storage();
        boolean initialEvents = request.http().has("sendInitialEvents");
        refuse(initialEvents, "sendInitialEvents", "sendInitialEvents is forbidden for list");
        boolean continued = !request.http().parameter("continue").isEmpty();
        checkMatch(text, match, continued);
        if (continued) {
            if (!text.isEmpty() && !text.equals("0")) {
                throw StatusException.badRequest("specifying resource version is not allowed when using continue");
            }
            ContinueToken token = ContinueToken.parse(request.http().parameter("continue"));
            long version = token.version() < 0 ? store.version() : token.version();
            try {
                return store.list(storage, version).after(token.start());
            } catch (StatusException e) {
                throw StatusException.expired(
                                "The provided continue parameter is too old to display a consistent list result. You can"
                                        + " start a new list without the continue parameter, or use the continue token in"
                                        + " this response to retrieve the remainder of the results. Continuing with the"
                                        + " provided token results in an inconsistent list - objects that were created,"
                                        + " modified, or deleted between the time the first chunk was returned and now"
                                        + " may show up in the list.")
                        .continueWith(new ContinueToken(-1, token.start()).encode());
            }
        }
        long wanted = known(version(text, 400));
        boolean exact = match.equals("Exact") || (match.isEmpty() && limited && wanted > 0);
        if (!exact) {
            return store.list(storage);
        }
        try {
            return store.list(storage, wanted);
        } catch (StatusException e) {
            throw StatusException.expired("The resourceVersion for the provided list is too old.");
        }
    }

    private long known(long version) {
        if (version > store.version()) {
            throw StatusException.tooLargeVersion(version, store.version());
        }
        return version;
    }

    private static void checkMatch(String version, String match, boolean continued) {
        if (match.isEmpty()) {
            return;
        }
        String of = "resourceVersionMatch";
        refuse(continued, of, "resourceVersionMatch is forbidden when continue is provided");
        refuse(version.isEmpty(), of, "resourceVersionMatch is forbidden unless resourceVersion is provided");
        boolean exactlyAny = match.equals("Exact") && version.equals("0");
        refuse(exactlyAny, of, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
        if (!match.equals("Exact") && !match.equals("NotOlderThan")) {
            throw listOptions(Cause.unsupported("resourceVersionMatch", match, List.of("Exact", "NotOlderThan")));
        }
    }

    /** Refuses a list or watch for a parameter that makes no sense. */
    public static void refuse(boolean wrong, String parameter, String why) {
        if (wrong) {
            throw listOptions(Cause.forbidden(parameter, why));
        }
    }

    private static StatusException listOptions(Cause cause) {
        return StatusException.invalid("ListOptions.meta.k8s.io", "", List.of(cause));
    }

    /**
     * Reads a version.
     *
     * @param code what it refuses with: 400 where apimachinery judges it, and 500 where the storage is the first to see it
     * @throws StatusException for what is no version
     */
    public static long version(String text, int code) {
        try {
            return text.isEmpty() ? 0 : Long.parseUnsignedLong(text);
        } catch (NumberFormatException e) {
            String why = "resourceVersion: Invalid value: \"" + text + "\": strconv.ParseUint: parsing \"" + text
                    + "\": invalid syntax";
            throw code == 400
                    ? StatusException.badRequest("invalid resource version: " + why)
                    : StatusException.of(code, "", why);
        }
    }
}
