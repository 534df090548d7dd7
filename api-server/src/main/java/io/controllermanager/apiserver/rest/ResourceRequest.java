package io.controllermanager.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.http.Request;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.http.StatusException.Cause;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import io.controllermanager.apiserver.patch.FieldOwnership;
import io.controllermanager.apiserver.patch.Manager;
import io.controllermanager.apiserver.resource.BuiltIns;
import io.controllermanager.apiserver.resource.ResourceType;
import io.controllermanager.apiserver.selector.FieldSelector;
import io.controllermanager.apiserver.selector.LabelSelector;
import io.controllermanager.apiserver.selector.Selection;
import io.controllermanager.apiserver.selector.ShardSelector;
import io.controllermanager.apiserver.storage.Key;
import io.controllermanager.apiserver.storage.Store;
import io.controllermanager.apiserver.storage.StoredObject;
import io.controllermanager.apiserver.webhook.Attributes;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request for objects.
 *
 * @param namespace empty outside of namespaces and for all of them
 * @param name empty for the collection
 * @param subresource empty for the object itself
 * @param sharded whether {@code shardSelector} is a parameter; else it is ignored, as what is unknown
 */
public record ResourceRequest(
        Request http, ResourceType type, String namespace, String name, String subresource, boolean sharded) {

    Key key(String objectName) {
        return new Key(type.storage(), namespace, objectName);
    }

    Key key() {
        return key(name);
    }

    boolean isScale() {
        return subresource.equals("scale");
    }

    /** The same with the type of what is read and written, which of a scale is a Scale, and of a token its request. */
    public ResourceRequest shown() {
        ResourceType shown = BuiltIns.all().shown(type, subresource);
        return new ResourceRequest(http, shown, namespace, name, subresource, sharded);
    }

    boolean isDryRun() {
        ArrayNode asked = Json.array();
        http.url().queryParameterValues("dryRun").forEach(asked::add);
        return isDryRun(asked);
    }

    /** Whether a write that asks for these stages is for show. */
    boolean isDryRun(JsonNode asked) {
        if (!Set.of("All").containsAll(Json.texts(asked))) {
            throw unsupported("dryRun", asked, List.of("All"));
        }
        return !asked.isEmpty();
    }

    /** A parameter has a value that it cannot have. */
    StatusException unsupported(String parameter, Object value, List<String> supported) {
        return badOptions(Cause.unsupported(parameter, value, supported));
    }

    StatusException badOptions(Cause cause) {
        String kind = switch (http.method()) {
            case "POST" -> "CreateOptions";
            case "PUT" -> "UpdateOptions";
            case "PATCH" -> "PatchOptions";
            default -> "DeleteOptions";
        };
        return StatusException.invalid(kind + ".meta.k8s.io", "", List.of(cause));
    }

    /** The parameters of a write that is a creation or an update. */
    private ObjectNode options(String operation) {
        ObjectNode options = Json.object().put("kind", operation + "Options").put("apiVersion", "meta.k8s.io/v1");
        List<String> dryRun = http.url().queryParameterValues("dryRun").stream()
                .filter(Objects::nonNull)
                .toList();
        Json.setTexts(options, "dryRun", dryRun);
        for (String parameter : List.of("fieldManager", "fieldValidation")) {
            Json.setText(options, parameter, http.parameter(parameter));
        }
        return options;
    }

    /**
     * A creation or an update as admission sees it.
     *
     * @param object what is to be; the server makes its name if it has a {@code generateName}
     * @param old null for a creation
     * @param user who writes
     */
    Attributes attributes(ObjectNode object, @Nullable ObjectNode old, ObjectNode user) {
        String operation = old == null ? "Create" : "Update";
        boolean made = !Meta.text(object, "generateName").isEmpty();
        String known = name.isEmpty() && !made ? Meta.name(object) : name;
        String verb = operation.toUpperCase(Locale.ROOT);
        return new Attributes(this, known, verb, object, old, options(operation), isDryRun(), user);
    }

    /** A deletion as admission sees it. */
    Attributes deletion(ObjectNode old, JsonNode options, ObjectNode user) {
        ObjectNode whole = options.deepCopy();
        whole.put("kind", "DeleteOptions").put("apiVersion", "meta.k8s.io/v1");
        return new Attributes(this, name, "DELETE", null, old, whole, isDryRun(options.path("dryRun")), user);
    }

    /** Who writes: the manager that the request names, else the program. */
    Manager manager(boolean apply) {
        String named = http.parameter("fieldManager");
        if (named.getBytes(StandardCharsets.UTF_8).length > Manager.MAX_LENGTH) {
            throw badOptions(Cause.tooLong("fieldManager", Manager.MAX_LENGTH));
        }
        if (named.matches("(?s).*\\p{Cntrl}.*")) {
            throw badOptions(Cause.invalid("fieldManager", named, "invalid character"));
        }
        String program = http.header("User-Agent").split("/", 2)[0];
        String manager = named.isEmpty() ? program.isEmpty() ? "unknown" : program : named;
        return new Manager(manager, apply, type.apiVersion(), subresource);
    }

    /** Paths that such a write leaves as they were, and so gives nobody to manage (the registries' GetResetFields). */
    List<String> kept() {
        return switch (subresource) {
            case "" -> type.keptByUpdate();
            case "status" -> type.keptByStatus();
            case "ephemeralcontainers" -> List.of("metadata", "status");
            case "approval" -> List.of("spec", "status.certificate");
            default -> List.of();
        };
    }

    /** Who manages what of the type, and of that what such a request can give. */
    FieldOwnership ownership() {
        return new FieldOwnership(type.schema(), kept(), Versions.views(type));
    }

    /** What the request selects by namespace, name, labels, fields and shards. */
    public Selection selection() {
        String fields = name.isEmpty() ? http.parameter("fieldSelector") : "metadata.name=" + name;
        return new Selection(
                namespace,
                LabelSelector.parse(http.parameter("labelSelector")),
                FieldSelector.parse(fields, type, object -> Versions.shown(object, type)),
                sharded ? ShardSelector.parse(http.parameter("shardSelector")) : ShardSelector.EVERYTHING);
    }

    /** The object that it names, in its newest state; 404 if there is none. */
    StoredObject existing(Store store) {
        return store.existing(key(), type.groupResource());
    }

    StatusException conflict(String why) {
        return StatusException.conflict(type.groupResource(), name, why);
    }

    StatusException invalid(String objectName, List<Cause> causes) {
        return StatusException.invalid(type.inGroup(type.kind()), objectName, causes);
    }

    /** A {@code Status} that tells of success. */
    static ObjectNode success() {
        ObjectNode status = Json.object().put("kind", "Status").put("apiVersion", "v1");
        status.putObject("metadata");
        return status.put("status", "Success");
    }
}
