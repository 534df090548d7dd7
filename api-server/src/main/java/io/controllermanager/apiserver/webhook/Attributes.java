package io.controllermanager.apiserver.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.resource.ResourceType;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A write that admission decides about (apiserver, pkg/admission/attributes.go).
 *
 * @param type of the request's path
 * @param shown of the object, such as a Scale
 * @param namespace of a Namespace it is its own name
 * @param name empty where it is yet to be made, or many are meant
 * @param operation {@code CREATE}, {@code UPDATE} or {@code DELETE}
 * @param object what is to be; null for a deletion
 * @param oldObject what is; null for a creation
 * @param user as {@code UserInfo} has it
 */
public record Attributes(
        ResourceType type,
        ResourceType shown,
        String subresource,
        String namespace,
        String name,
        String operation,
        @Nullable ObjectNode object,
        @Nullable ObjectNode oldObject,
        ObjectNode options,
        boolean dryRun,
        ObjectNode user) {

    Attributes with(@Nullable ObjectNode newObject, @Nullable ObjectNode newOldObject) {
        return new Attributes(
                type, shown, subresource, namespace, name, operation, newObject, newOldObject, options, dryRun, user);
    }

    /** Whether its objects are of the type, and not such as a Scale. */
    boolean isWhole() {
        return shown.kind().equals(type.kind());
    }

    boolean isNamespace() {
        return type.is("", "namespaces");
    }

    /**
     * The request of an AdmissionReview.
     *
     * @param as the version of the type in which the webhook wants it; the objects are in that already
     */
    ObjectNode request(ResourceType as) {
        ObjectNode request = Json.object();
        request.set("kind", kind(as));
        request.set("resource", resource(as));
        Json.setText(request, "subResource", subresource);
        request.set("requestKind", kind(type));
        request.set("requestResource", resource(type));
        Json.setText(request, "requestSubResource", subresource);
        Json.setText(request, "name", name);
        Json.setText(request, "namespace", namespace);
        request.put("operation", operation).set("userInfo", user);
        request.set("object", orNull(object));
        request.set("oldObject", orNull(oldObject));
        return request.put("dryRun", dryRun).set("options", options);
    }

    private ObjectNode kind(ResourceType as) {
        ResourceType kind = isWhole() ? as : shown;
        return Json.object()
                .put("group", kind.group())
                .put("version", kind.version())
                .put("kind", kind.kind());
    }

    private static ObjectNode resource(ResourceType as) {
        return Json.object()
                .put("group", as.group())
                .put("version", as.version())
                .put("resource", as.plural());
    }

    private static JsonNode orNull(@Nullable ObjectNode node) {
        return Objects.requireNonNullElse(node, NullNode.getInstance());
    }
}
