package io.controllermanager.testing.apiserver.rest;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.flipkart.zjsonpatch.CompatibilityFlags;
import com.flipkart.zjsonpatch.JsonPatch;
import com.flipkart.zjsonpatch.JsonPatchApplicationException;
import io.controllermanager.testing.apiserver.http.StatusException;
import io.controllermanager.testing.apiserver.json.Json;
import io.controllermanager.testing.apiserver.patch.MergePatch;
import io.controllermanager.testing.apiserver.patch.StrategicMergePatch;
import io.controllermanager.testing.apiserver.schema.Schema;
import java.util.EnumSet;

/** Applies a patch's body by its media type. Server-side apply is no patch in this sense. */
final class Patches {

    static final String JSON = "application/json-patch+json";
    static final String MERGE = "application/merge-patch+json";
    static final String STRATEGIC = "application/strategic-merge-patch+json";
    static final String APPLY = "application/apply-patch+yaml";

    /** It adds what it is to replace, but does not remove what is not there. */
    private static final EnumSet<CompatibilityFlags> AS_THE_REAL_SERVER = EnumSet.of(
            CompatibilityFlags.ALLOW_MISSING_TARGET_OBJECT_ON_REPLACE, CompatibilityFlags.FORBID_REMOVE_MISSING_OBJECT);

    private Patches() {}

    /** Gives the patched object; the one given may be changed. */
    static ObjectNode apply(String mediaType, ResourceRequest request, ObjectNode object) {
        JsonNode patch =
                Decoder.parse(request.http().body(), false, request.type().kind(), false);
        JsonNode patched;
        switch (mediaType) {
            case JSON -> patched = jsonPatch(patch, object);
            case MERGE -> {
                if (!patch.isObject()) {
                    throw StatusException.badRequest("error decoding patch: expected an object");
                }
                patched = MergePatch.apply(object, patch);
            }
            case STRATEGIC -> patched = strategic(request, object, patch);
            default -> throw StatusException.unsupportedMediaType(String.join(", ", JSON, MERGE, STRATEGIC, APPLY));
        }
        if (!(patched instanceof ObjectNode result)) {
            throw StatusException.badRequest("the patch leaves no object");
        }
        return result;
    }

    private static JsonNode jsonPatch(JsonNode patch, ObjectNode object) {
        if (!patch.isArray() && !patch.isNull()) {
            throw StatusException.badRequest("error decoding patch: expected an array");
        }
        try {
            JsonNode patched = object;
            for (JsonNode operation : patch) {
                if (!isTestOfNothing(operation, patched)) {
                    patched = JsonPatch.apply(
                            Json.array().add(asTheRealServer(operation, patched)), patched, AS_THE_REAL_SERVER);
                }
            }
            return patched;
        } catch (JsonPatchApplicationException e) {
            throw StatusException.rejected();
        }
    }

    /** What is not there is null (evanphx/json-patch, which the real server uses). */
    private static boolean isTestOfNothing(JsonNode operation, JsonNode object) {
        return operation.path("op").asText().equals("test")
                && !operation.hasNonNull("value")
                && isFree(object, operation.path("path").asText());
    }

    private static JsonNode asTheRealServer(JsonNode operation, JsonNode object) {
        boolean copiesNothing = operation.path("op").asText().equals("copy")
                && isFree(object, operation.path("from").asText());
        return copiesNothing
                ? Json.object().put("op", "add").putNull("value").set("path", operation.path("path"))
                : operation;
    }

    /** Whether an object is there which has no such field. */
    private static boolean isFree(JsonNode object, String pointer) {
        if (!pointer.startsWith("/")) {
            return false;
        }
        JsonPointer path = JsonPointer.compile(pointer);
        return object.at(path.head()).isObject() && object.at(path).isMissingNode();
    }

    private static JsonNode strategic(ResourceRequest request, ObjectNode object, JsonNode patch) {
        if (request.type().isCustom()) {
            throw StatusException.unsupportedMediaType(String.join(", ", JSON, MERGE, APPLY));
        }
        if (!(patch instanceof ObjectNode changes)) {
            throw StatusException.badRequest("error decoding patch: cannot unmarshal " + patch.getNodeType());
        }
        Schema schema = request.type().schema();
        return StrategicMergePatch.apply(object, changes, schema);
    }
}
