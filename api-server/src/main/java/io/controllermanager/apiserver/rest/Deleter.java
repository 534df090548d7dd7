package io.controllermanager.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.access.AccessControl;
import io.controllermanager.apiserver.http.Request;
import io.controllermanager.apiserver.http.Response;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.http.StatusException.Cause;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import io.controllermanager.apiserver.resource.ResourceType;
import io.controllermanager.apiserver.resource.Trait;
import io.controllermanager.apiserver.storage.StoredObject;
import io.controllermanager.apiserver.table.Representation;
import io.controllermanager.apiserver.webhook.Webhooks;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Deletes objects and collections of them. */
public record Deleter(Commits commits, AccessControl access, Webhooks webhooks) {

    /** What no one may delete (apiserver, admission/plugin/namespace/lifecycle). */
    private static final Set<String> IMMORTAL = Set.of("default", "kube-public", "kube-system");

    private static final Set<String> POLICIES = Set.of("Foreground", "Background", "Orphan");

    public Response delete(ResourceRequest request) {
        return delete(request, options(request));
    }

    Response delete(ResourceRequest request, JsonNode options) {
        boolean dryRun = request.isDryRun(options.path("dryRun"));
        Deletion deletion = deletion(request, options);
        while (true) {
            StoredObject current = request.existing(commits.store());
            check(request.type(), current, options.path("preconditions"));
            if (request.type().is("", "namespaces") && IMMORTAL.contains(request.name())) {
                throw StatusException.forbidden("namespaces", request.name(), "this namespace may not be deleted");
            }
            List<String> warnings = new ArrayList<>();
            // The real server asks nobody about an eviction's deletion.
            if (request.subresource().isEmpty()) {
                admit(request, current, options, warnings);
            }
            if (dryRun) {
                String resource = current.key().resource();
                ObjectNode tree = Versions.tree(current, request.type());
                ObjectNode marked = commits.mark(resource, tree.deepCopy(), deletion);
                boolean seen = !Commits.isFinished(marked) || Deletion.isGraceful(resource);
                return answer(request, options, seen ? marked : tree, warnings);
            }
            StoredObject after = commits.delete(current, deletion);
            if (after != null) {
                return answer(request, options, Versions.tree(after, request.type()), warnings);
            }
        }
    }

    /** Tells of a deletion, and shows the object as it waits, or was last. */
    private static Response answer(ResourceRequest request, JsonNode options, ObjectNode last, List<String> warnings) {
        ResourceType type = request.type();
        boolean gone = Commits.isFinished(last) || !Meta.isBeingDeleted(last);
        if (!gone || type.has(Trait.SHOWN_WHEN_GONE)) {
            JsonNode orphan = options.path("orphanDependents");
            int code = !gone && orphan.isBoolean() && !orphan.asBoolean() ? 202 : 200;
            return Representation.of(request.http()).one(code, type, last, warnings);
        }
        ObjectNode status = ResourceRequest.success();
        ObjectNode details = status.putObject("details").put("name", Meta.name(last));
        Json.setText(details, "group", type.group());
        details.put("kind", type.plural()).put("uid", Meta.uid(last));
        return Representation.of(request.http()).document(200, status, warnings);
    }

    /** Asks webhooks about a deletion; of what cannot be converted there is none. */
    private void admit(ResourceRequest request, StoredObject object, JsonNode options, List<String> warnings) {
        if (request.type().converter() == null && !webhooks.areThere()) {
            return;
        }
        ObjectNode old = Versions.tree(object, request.type());
        webhooks.admit(request.deletion(old, options, access.sender(request.http())), warnings);
    }

    public Response deleteCollection(ResourceRequest request) {
        JsonNode options = options(request);
        boolean dryRun = request.isDryRun(options.path("dryRun"));
        Deletion deletion = deletion(request, options);
        Reader.Listing listing = new Reader(commits.store()).select(request);
        List<String> warnings = new ArrayList<>();
        for (StoredObject object : listing.objects()) {
            check(request.type(), object, options.path("preconditions"));
            admit(request, object, options, warnings);
            if (!dryRun) {
                commits.deleteSurely(object, deletion);
            }
        }
        return Representation.of(request.http()).list(request.type(), listing.objects(), listing.metadata());
    }

    private static JsonNode options(ResourceRequest request) {
        Request http = request.http();
        if (http.body().length > 0) {
            // With a body the parameters count for nothing, as with the real server.
            return Decoder.deleteOptions(http);
        }
        ObjectNode options = Json.object().put("orphanDependents", http.flag("orphanDependents"));
        options.put("propagationPolicy", http.parameter("propagationPolicy"));
        options.put("gracePeriodSeconds", http.number("gracePeriodSeconds"));
        // What is not asked for is not there.
        options.retain(http.url().queryParameterNames());
        for (String field : List.of("uid", "resourceVersion")) {
            if (!http.parameter(field).isEmpty()) {
                Json.child(options, "preconditions").put(field, http.parameter(field));
            }
        }
        Json.setTexts(options, "dryRun", http.url().queryParameterValues("dryRun"));
        return options;
    }

    private static Deletion deletion(ResourceRequest request, JsonNode options) {
        boolean chosen = options.has("propagationPolicy");
        String policy = options.path("propagationPolicy").asText("");
        JsonNode orphan = options.path("orphanDependents");
        JsonNode grace = options.path("gracePeriodSeconds");
        if (orphan.isBoolean() && chosen) {
            String why = "orphanDependents and deletionPropagation cannot be both set";
            throw request.badOptions(Cause.invalid("propagationPolicy", policy, why));
        }
        if (chosen && !POLICIES.contains(policy)) {
            throw request.unsupported(
                    "propagationPolicy", policy, List.of("Foreground", "Background", "Orphan", "nil"));
        }
        if (orphan.isBoolean()) {
            policy = orphan.asBoolean() ? "Orphan" : "Background";
        } else if (policy.isEmpty() && request.type().has(Trait.ORPHANS)) {
            policy = "Orphan";
        }
        return new Deletion(policy, grace.isIntegralNumber() ? grace.asLong() : null);
    }

    static void check(ResourceType type, StoredObject object, JsonNode preconditions) {
        String version = Long.toString(object.version());
        check(type, object, "UID", preconditions.path("uid"), object.uid(), "deleted and then recreated");
        check(type, object, "ResourceVersion", preconditions.path("resourceVersion"), version, "modified");
    }

    private static void check(
            ResourceType type, StoredObject object, String what, JsonNode wanted, String is, String happened) {
        if (wanted.isTextual() && !wanted.asText().equals(is)) {
            String why = "the " + what + " in the precondition (" + wanted.asText() + ") does not match the " + what
                    + " in record (" + is + "). The object might have been " + happened;
            throw StatusException.conflict(
                    type.inGroup(type.kind()), object.key().name(), why);
        }
    }
}
