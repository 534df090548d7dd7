package io.controllermanager.client.internal.json;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Merge patches (RFC 7386). */
public final class MergeDiff {

    private MergeDiff() {}

    /** What a patch makes of an object; neither is changed. */
    public static JsonObject apply(JsonObject object, JsonObject patch) {
        JsonObject result = object.deepCopy();
        for (Map.Entry<String, JsonElement> entry : patch.entrySet()) {
            JsonElement there = result.get(entry.getKey());
            if (entry.getValue() instanceof JsonNull) {
                result.remove(entry.getKey());
            } else if (entry.getValue() instanceof JsonObject part) {
                result.add(entry.getKey(), apply(there instanceof JsonObject whole ? whole : new JsonObject(), part));
            } else {
                result.add(entry.getKey(), entry.getValue().deepCopy());
            }
        }
        return result;
    }

    /** The patch that leads from one object to another; empty if the two are equal. */
    public static JsonObject between(JsonObject from, JsonObject to) {
        JsonObject patch = new JsonObject();
        for (Map.Entry<String, JsonElement> entry : to.entrySet()) {
            JsonElement part = change(from.get(entry.getKey()), entry.getValue());
            if (part != null) {
                patch.add(entry.getKey(), part);
            }
        }
        for (String name : from.keySet()) {
            if (!to.has(name)) {
                patch.add(name, JsonNull.INSTANCE);
            }
        }
        return patch;
    }

    /** What a patch has for a value, null if it stays as it is. */
    private static @Nullable JsonElement change(@Nullable JsonElement from, JsonElement to) {
        if (from instanceof JsonObject one && to instanceof JsonObject other) {
            JsonObject patch = between(one, other);
            return patch.isEmpty() ? null : patch;
        }
        return areSame(from, to) ? null : to;
    }

    /** Whether the API server takes the one for the other. */
    public static boolean areSame(@Nullable JsonElement one, @Nullable JsonElement other) {
        if (one instanceof JsonObject from && other instanceof JsonObject to) {
            return from.size() == to.size()
                    && from.entrySet().stream().allMatch(part -> areSame(part.getValue(), to.get(part.getKey())));
        }
        if (one instanceof JsonArray from && other instanceof JsonArray to) {
            return from.size() == to.size()
                    && IntStream.range(0, from.size()).allMatch(i -> areSame(from.get(i), to.get(i)));
        }
        return (one instanceof JsonPrimitive from && other instanceof JsonPrimitive to)
                ? areSame(from, to)
                : Objects.equals(one, other);
    }

    /** Gson takes whole numbers that it has read for doubles when it compares them. */
    public static boolean areSame(JsonPrimitive one, JsonPrimitive other) {
        boolean numbers = one.isNumber() && other.isNumber();
        return numbers ? JsonNumbers.areSame(one.getAsString(), other.getAsString()) : one.equals(other);
    }

    /** Whether a patch replaces a list, with which it replaces what others may have put there meanwhile. */
    public static boolean replacesList(JsonElement patch) {
        return patch instanceof JsonArray
                || (patch instanceof JsonObject object
                        && object.entrySet().stream().anyMatch(entry -> replacesList(entry.getValue())));
    }
}
