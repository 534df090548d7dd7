package io.controllermanager.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.http.StatusException.Cause;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.patch.JsonPatch;
import io.controllermanager.apiserver.patch.MergePatch;
import io.controllermanager.apiserver.patch.StrategicMergePatch;
import io.controllermanager.apiserver.schema.GoTexts;
import java.util.List;

/** Applies a patch's body by its media type. Server-side apply is no patch in this sense. */
final class Patches {

    private static final String JSON = "application/json-patch+json";
    private static final String MERGE = "application/merge-patch+json";
    static final String APPLY = "application/apply-patch+yaml";

    private Patches() {}

    /** Refuses a kind of patch that the resource does not take. */
    static void check(String mediaType, ResourceRequest request) {
        List<String> supported = request.type().patches();
        if (!supported.contains(mediaType)) {
            throw StatusException.unsupportedMediaType(String.join(", ", supported));
        }
    }

    /** Gives the patched object, fit for its type, and its own warnings; the one given may be changed. */
    static ObjectNode apply(String mediaType, ResourceRequest request, ObjectNode object, List<String> warnings) {
        JsonNode patch =
                Decoder.parse(request.http().body(), false, request.type().kind(), false);
        if (!mediaType.equals(JSON) && !patch.isObject()) {
            String before = mediaType.equals(MERGE) ? "error decoding patch: " : "";
            throw StatusException.badRequest(before + "json: cannot unmarshal " + GoTexts.kind(patch)
                    + " into Go value of type map[string]interface {}");
        }
        JsonNode patched = switch (mediaType) {
            case JSON -> JsonPatch.apply(object, patch);
            case MERGE -> MergePatch.apply(object, patch);
            default ->
                StrategicMergePatch.apply(
                        object, (ObjectNode) patch, request.type().schema());
        };
        warnings.clear();
        try {
            if (!(patched instanceof ObjectNode result)) {
                throw StatusException.badRequest("couldn't get version/kind; json parse error: expected an object");
            }
            warnings.addAll(Decoder.fit(request, result));
            return result;
        } catch (StatusException e) {
            // Where what a patch left does not fit, it is the patch that is wrong.
            Cause wrong = Cause.invalid("patch", Json.text(patched.toString()), String.valueOf(e.getMessage()));
            throw e.code() != 400 ? e : StatusException.invalid("", "", List.of(wrong));
        }
    }
}
