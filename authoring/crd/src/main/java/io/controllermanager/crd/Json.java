package io.controllermanager.crd;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonParseException;
import com.google.gson.JsonPrimitive;
import com.google.gson.Strictness;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** JSON as it is in annotations and objects. */
public final class Json {

    private static final Gson STRICT =
            new GsonBuilder().setStrictness(Strictness.STRICT).create();

    private Json() {}

    /** What a text says, null if it is no JSON or nothing. */
    static @Nullable JsonElement parse(String text) {
        try {
            return STRICT.fromJson(text, JsonElement.class);
        } catch (JsonParseException e) {
            return null;
        }
    }

    /**
     * As lists, maps and plain values.
     *
     * @throws IllegalArgumentException if there is a null in it
     */
    public static Object plain(JsonElement json) {
        if (json.isJsonObject()) {
            Map<String, Object> members = new LinkedHashMap<>();
            json.getAsJsonObject().entrySet().forEach(member -> members.put(member.getKey(), plain(member.getValue())));
            return members;
        }
        if (json.isJsonArray()) {
            List<Object> items = new ArrayList<>();
            json.getAsJsonArray().forEach(item -> items.add(plain(item)));
            return items;
        }
        if (json.isJsonNull()) {
            throw new IllegalArgumentException("null is no default");
        }
        JsonPrimitive value = json.getAsJsonPrimitive();
        if (value.isBoolean()) {
            return value.getAsBoolean();
        }
        return value.isNumber() ? Schema.number(value.getAsBigDecimal()) : value.getAsString();
    }
}
