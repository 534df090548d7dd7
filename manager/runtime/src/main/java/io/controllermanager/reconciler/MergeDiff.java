package io.controllermanager.reconciler;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.controllermanager.client.internal.JsonNumbers;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

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
            } else if (!areSame(after, before)) {
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

    /** Gson takes whole numbers that it has read for doubles when it compares them. */
    private static boolean areSame(JsonElement one, @Nullable JsonElement other) {
        if (one instanceof JsonObject object && other instanceof JsonObject there) {
            return object.keySet().equals(there.keySet())
                    && object.entrySet().stream()
                            .allMatch(entry -> areSame(entry.getValue(), there.get(entry.getKey())));
        }
        if (one instanceof JsonArray list && other instanceof JsonArray there) {
            return list.size() == there.size()
                    && IntStream.range(0, list.size()).allMatch(i -> areSame(list.get(i), there.get(i)));
        }
        if (one instanceof JsonPrimitive value
                && value.isNumber()
                && other instanceof JsonPrimitive there
                && there.isNumber()) {
            return JsonNumbers.areSame(value.getAsString(), there.getAsString());
        }
        return one.equals(other);
    }

    /** Whether a patch replaces a list, with which it replaces what others may have put there meanwhile. */
    static boolean replacesList(JsonElement patch) {
        return patch instanceof JsonArray
                || (patch instanceof JsonObject object
                        && object.entrySet().stream().anyMatch(entry -> replacesList(entry.getValue())));
    }
}
