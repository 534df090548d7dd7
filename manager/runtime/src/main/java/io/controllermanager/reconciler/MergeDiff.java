package io.controllermanager.reconciler;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import java.util.Map;

/** The merge patch (RFC 7386) that leads from one object to another. */
final class MergeDiff {

    private MergeDiff() {}

    /** The patch; empty if the two are equal. */
    static JsonObject between(JsonObject from, JsonObject to) {
        JsonObject patch = new JsonObject();
        for (Map.Entry<String, JsonElement> entry : to.entrySet()) {
            JsonElement before = from.get(entry.getKey());
            JsonElement after = entry.getValue();
            if (before instanceof JsonObject one && after instanceof JsonObject other) {
                JsonObject part = between(one, other);
                if (!part.isEmpty()) {
                    patch.add(entry.getKey(), part);
                }
            } else if (!after.equals(before)) {
                patch.add(entry.getKey(), after);
            }
        }
        for (String name : from.keySet()) {
            if (!to.has(name)) {
                patch.add(name, JsonNull.INSTANCE);
            }
        }
        return patch;
    }

    /** Whether a patch replaces a list, with which it replaces what others may have put there meanwhile. */
    static boolean replacesList(JsonElement patch) {
        return patch instanceof JsonArray
                || (patch instanceof JsonObject object
                        && object.entrySet().stream().anyMatch(entry -> replacesList(entry.getValue())));
    }
}
