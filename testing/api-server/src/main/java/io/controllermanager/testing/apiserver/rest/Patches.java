package io.controllermanager.testing.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.flipkart.zjsonpatch.CompatibilityFlags;
import com.flipkart.zjsonpatch.InvalidJsonPatchException;
import com.flipkart.zjsonpatch.JsonPatch;
import com.flipkart.zjsonpatch.JsonPatchApplicationException;
import io.controllermanager.testing.apiserver.http.StatusException;
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

    private static final String REJECTED = "the server rejected our request due to an error in our request";

    private Patches() {}

    /** Gives the patched object; the one given may be changed. */
    static ObjectNode apply(String mediaType, ResourceRequest request, ObjectNode object) {
        JsonNode patch =
                Decoder.parse(request.http().body(), false, request.type().kind(), false);
        JsonNode patched;
        switch (mediaType) {
            case JSON -> patched = jsonPatch(patch, object);
            case MERGE -> patched = MergePatch.apply(object, patch);
            case STRATEGIC -> patched = strategic(request, object, patch);
            default -> throw StatusException.unsupportedMediaType(String.join(", ", JSON, MERGE, STRATEGIC, APPLY));
        }
        if (!(patched instanceof ObjectNode result)) {
            throw StatusException.badRequest("the patch leaves no object");
        }
        return result;
    }

    private static JsonNode jsonPatch(JsonNode patch, ObjectNode object) {
        try {
            return JsonPatch.apply(patch, object, AS_THE_REAL_SERVER);
        } catch (InvalidJsonPatchException e) {
            throw patch.isArray()
                    ? StatusException.of(422, "Invalid", REJECTED)
                    : StatusException.badRequest("error decoding patch: " + e.getMessage());
        } catch (JsonPatchApplicationException e) {
            throw StatusException.of(422, "Invalid", REJECTED);
        }
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
