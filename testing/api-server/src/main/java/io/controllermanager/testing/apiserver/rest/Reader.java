package io.controllermanager.testing.apiserver.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.apiserver.http.Response;
import io.controllermanager.testing.apiserver.http.StatusException;
import io.controllermanager.testing.apiserver.http.StatusException.Cause;
import io.controllermanager.testing.apiserver.json.Json;
import io.controllermanager.testing.apiserver.resource.Scale;
import io.controllermanager.testing.apiserver.selector.Selection;
import io.controllermanager.testing.apiserver.storage.CompactedException;
import io.controllermanager.testing.apiserver.storage.Snapshot;
import io.controllermanager.testing.apiserver.storage.Store;
import io.controllermanager.testing.apiserver.storage.StoredObject;
import io.controllermanager.testing.apiserver.table.Representation;
import java.util.ArrayList;
import java.util.List;

/** Gets and lists objects. */
public final class Reader {

    private final Store store;

    public Reader(Store store) {
        this.store = store;
    }

    public Response get(ResourceRequest request) {
        long wanted = version(request.http().parameter("resourceVersion"));
        if (wanted > store.version()) {
            throw StatusException.tooLargeVersion(wanted, store.version());
        }
        StoredObject object = store.get(request.key());
        if (object == null) {
            throw request.notFound(request.name());
        }
        Scale scale = request.type().scale();
        if (request.subresource().equals("scale") && scale != null) {
            ObjectNode view = ScaleView.of(Versions.tree(object, request.type()), scale);
            return Representation.of(request.http()).document(200, view);
        }
        return Representation.of(request.http()).one(request.type(), object);
    }

    public Response list(ResourceRequest request) {
        Selection selection = request.selection();
        Long limit = request.http().number("limit");
        Snapshot snapshot = snapshot(request, limit != null && limit > 0);
        List<StoredObject> chosen = new ArrayList<>();
        ObjectNode metadata = Json.object().put("resourceVersion", Long.toString(snapshot.version()));
        long left = 0;
        for (StoredObject object : snapshot.objects()) {
            if (selection.matches(object)) {
                if (limit == null || limit <= 0 || chosen.size() < limit) {
                    chosen.add(object);
                } else {
                    left++;
                }
            }
        }
        if (left > 0) {
            String last = chosen.get(chosen.size() - 1).key().path();
            metadata.put("continue", new ContinueToken(snapshot.version(), last).encode());
            if (selection.hasNoSelector()) {
                metadata.put("remainingItemCount", left);
            }
        }
        return Representation.of(request.http()).list(request.type(), chosen, metadata);
    }

    /** The state that a list is of, from where it goes on. */
    private Snapshot snapshot(ResourceRequest request, boolean limited) {
        String text = request.http().parameter("resourceVersion");
        String match = request.http().parameter("resourceVersionMatch");
        String storage = request.type().storage();
        checkMatch(text, match, request.http().has("continue"));
        if (request.http().has("continue")) {
            if (!text.isEmpty() && !text.equals("0")) {
                throw StatusException.badRequest("specifying resource version is not allowed when using continue");
            }
            ContinueToken token = ContinueToken.parse(request.http().parameter("continue"));
            long version = token.version() < 0 ? store.version() : token.version();
            try {
                return store.list(storage, version, token.start());
            } catch (CompactedException e) {
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
        long wanted = version(text);
        if (wanted > store.version()) {
            throw StatusException.tooLargeVersion(wanted, store.version());
        }
        boolean exact = match.equals("Exact") || (match.isEmpty() && limited && wanted > 0);
        if (!exact) {
            return store.list(storage);
        }
        try {
            return store.list(storage, wanted, "");
        } catch (CompactedException e) {
            throw StatusException.expired("The resourceVersion for the provided list is too old.");
        }
    }

    private static void checkMatch(String version, String match, boolean continued) {
        if (match.isEmpty()) {
            return;
        }
        String wrong = null;
        if (continued) {
            wrong = "resourceVersionMatch is forbidden when continue is provided";
        } else if (version.isEmpty()) {
            wrong = "resourceVersionMatch is forbidden unless resourceVersion is provided";
        } else if (match.equals("Exact") && version.equals("0")) {
            wrong = "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"";
        }
        if (wrong != null) {
            throw listOptions(new Cause("FieldValueForbidden", "Forbidden: " + wrong, "resourceVersionMatch"));
        }
        if (!match.equals("Exact") && !match.equals("NotOlderThan")) {
            throw listOptions(new Cause(
                    "FieldValueNotSupported",
                    "Unsupported value: \"" + match + "\": supported values: \"Exact\", \"NotOlderThan\"",
                    "resourceVersionMatch"));
        }
    }

    /** A refusal of a list's or watch's parameters. */
    public static StatusException listOptions(Cause cause) {
        return StatusException.invalid("meta.k8s.io", "ListOptions", "", List.of(cause));
    }

    /**
     * Reads a version.
     *
     * @throws StatusException 400 for what is no version
     */
    public static long version(String text) {
        try {
            return text.isEmpty() ? 0 : Long.parseUnsignedLong(text);
        } catch (NumberFormatException e) {
            throw StatusException.badRequest("invalid resource version: resourceVersion: Invalid value: \"" + text
                    + "\": strconv.ParseUint: parsing \"" + text + "\": invalid syntax");
        }
    }
}
