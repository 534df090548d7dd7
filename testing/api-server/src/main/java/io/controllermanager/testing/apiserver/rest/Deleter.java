package io.controllermanager.testing.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.apiserver.http.Request;
import io.controllermanager.testing.apiserver.http.Response;
import io.controllermanager.testing.apiserver.http.StatusException;
import io.controllermanager.testing.apiserver.http.StatusException.Cause;
import io.controllermanager.testing.apiserver.json.Json;
import io.controllermanager.testing.apiserver.resource.ResourceType;
import io.controllermanager.testing.apiserver.selector.Selection;
import io.controllermanager.testing.apiserver.storage.StoredObject;
import io.controllermanager.testing.apiserver.table.Representation;
import java.util.List;
import java.util.Locale;

/** Deletes objects and collections of them. */
public final class Deleter {

    private final Commits commits;

    public Deleter(Commits commits) {
        this.commits = commits;
    }

    public Response delete(ResourceRequest request) {
        JsonNode options = options(request);
        while (true) {
            StoredObject current = commits.store().get(request.key());
            if (current == null) {
                throw request.notFound(request.name());
            }
            check(request.type(), current, options.path("preconditions"));
            if (isDryRun(options)) {
                return deleted(request, current);
            }
            StoredObject after = commits.delete(current, finalizer(request, options));
            if (after != null) {
                ObjectNode tree = Versions.tree(after, request.type());
                // What nothing keeps is gone; the rest is shown as it waits.
                boolean gone =
                        Commits.isFinished(tree) || !tree.path("metadata").has("deletionTimestamp");
                return gone
                        ? deleted(request, current)
                        : Representation.of(request.http()).one(200, request.type(), tree, List.of());
            }
        }
    }

    private static Response deleted(ResourceRequest request, StoredObject object) {
        ObjectNode status = ResourceRequest.success();
        ObjectNode details =
                status.putObject("details").put("name", object.key().name());
        if (!request.type().group().isEmpty()) {
            details.put("group", request.type().group());
        }
        details.put("kind", request.type().plural()).put("uid", object.uid());
        return Representation.of(request.http()).document(200, status);
    }

    public Response deleteCollection(ResourceRequest request) {
        JsonNode options = options(request);
        Selection selection = request.selection();
        List<StoredObject> chosen = commits.store().list(request.type().storage()).objects().values().stream()
                .filter(selection::matches)
                .toList();
        if (!isDryRun(options)) {
            String finalizer = finalizer(request, options);
            chosen.forEach(object -> commits.deleteSurely(object, finalizer));
        }
        ObjectNode metadata = Json.object()
                .put("resourceVersion", Long.toString(commits.store().version()));
        return Representation.of(request.http())
                .list(request.type(), chosen, Reader.withShards(metadata, request.type(), selection));
    }

    private static JsonNode options(ResourceRequest request) {
        Request http = request.http();
        if (http.body().length > 0) {
            // With a body the parameters count for nothing, as with the real server.
            return Decoder.deleteOptions(http);
        }
        ObjectNode options = Json.object().put("orphanDependents", http.flag("orphanDependents"));
        if (http.has("propagationPolicy")) {
            options.put("propagationPolicy", http.parameter("propagationPolicy"));
        }
        if (request.isDryRun()) {
            options.putArray("dryRun").add("All");
        }
        return options;
    }

    private static boolean isDryRun(JsonNode options) {
        return options.path("dryRun").path(0).asText().equals("All");
    }

    private static String finalizer(ResourceRequest request, JsonNode options) {
        String policy = options.path("propagationPolicy").asText("");
        if (options.path("orphanDependents").asBoolean()) {
            if (!policy.isEmpty()) {
                throw request.badOptions(new Cause(
                        "FieldValueInvalid",
                        "Invalid value: \"" + policy
                                + "\": orphanDependents and deletionPropagation cannot be both set",
                        "propagationPolicy"));
            }
            policy = "Orphan";
        }
        // For the sake of clients from before there were policies.
        boolean orphaning = request.type().is("batch", "jobs") || request.type().is("", "replicationcontrollers");
        return switch (policy) {
            case "" -> orphaning ? GarbageCollector.ORPHAN : "";
            case "Background" -> "";
            case "Foreground" -> GarbageCollector.FOREGROUND;
            case "Orphan" -> GarbageCollector.ORPHAN;
            default ->
                throw request.unsupported("propagationPolicy", policy, List.of("Background", "Foreground", "Orphan"));
        };
    }

    private static void check(ResourceType type, StoredObject object, JsonNode preconditions) {
        check(type, object, "UID", preconditions.path("uid"), object.uid(), "deleted and then recreated");
        check(
                type,
                object,
                "ResourceVersion",
                preconditions.path("resourceVersion"),
                Long.toString(object.version()),
                "modified");
    }

    private static void check(
            ResourceType type, StoredObject object, String what, JsonNode wanted, String is, String happened) {
        if (wanted.isTextual() && !wanted.asText().equals(is)) {
            throw StatusException.conflict(
                    type.group(),
                    type.kind(),
                    object.key().name(),
                    String.format(
                            Locale.ROOT,
                            "the %s in the precondition (%s) does not match the %s in record (%s). The object might have"
                                    + " been %s",
                            what,
                            wanted.asText(),
                            what,
                            is,
                            happened));
        }
    }
}
