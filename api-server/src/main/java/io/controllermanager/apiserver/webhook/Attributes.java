package io.controllermanager.apiserver.webhook;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.resource.OpenApi;
import io.controllermanager.apiserver.resource.ResourceType;
import io.controllermanager.apiserver.rest.ResourceRequest;
import org.jspecify.annotations.Nullable;

/**
 * A write that admission decides about (apiserver, pkg/admission/attributes.go).
 *
 * @param name empty where it is yet to be made, or many are meant
 * @param operation {@code CREATE}, {@code UPDATE} or {@code DELETE}
 * @param object what is to be; null for a deletion
 * @param oldObject what is; null for a creation
 * @param user as {@code UserInfo} has it
 */
public record Attributes(
        ResourceRequest request,
        String name,
        String operation,
        @Nullable ObjectNode object,
        @Nullable ObjectNode oldObject,
        ObjectNode options,
        boolean dryRun,
        ObjectNode user) {

    Attributes with(@Nullable ObjectNode newObject, @Nullable ObjectNode newOldObject) {
        return new Attributes(request, name, operation, newObject, newOldObject, options, dryRun, user);
    }

    ResourceType type() {
        return request.type();
    }

    String subresource() {
        return request.subresource();
    }

    /** Of a Namespace it is its own name. */
    String namespace() {
        return isNamespace() ? name : request.namespace();
    }

    /** Whether its objects are of the type, and not such as a Scale. */
    boolean isWhole() {
        return request.shown().type().kind().equals(type().kind());
    }

    boolean isNamespace() {
        return type().is("", "namespaces");
    }

    /**
     * The request of an AdmissionReview.
     *
     * @param as the version of the type in which the webhook wants it; the objects are in that already
     */
    ObjectNode request(ResourceType as) {
        ObjectNode asked = Json.object();
        asked.set("kind", kind(as));
        asked.set("resource", resource(as));
        Json.setText(asked, "subResource", subresource());
        asked.set("requestKind", kind(type()));
        asked.set("requestResource", resource(type()));
        Json.setText(asked, "requestSubResource", subresource());
        Json.setText(asked, "name", name);
        Json.setText(asked, "namespace", namespace());
        asked.put("operation", operation).set("userInfo", user);
        asked.set("object", object);
        asked.set("oldObject", oldObject);
        return asked.put("dryRun", dryRun).set("options", options);
    }

    private ObjectNode kind(ResourceType as) {
        return OpenApi.gvk(isWhole() ? as : request.shown().type());
    }

    private static ObjectNode resource(ResourceType as) {
        return Json.object()
                .put("group", as.group())
                .put("version", as.version())
                .put("resource", as.plural());
    }
}
