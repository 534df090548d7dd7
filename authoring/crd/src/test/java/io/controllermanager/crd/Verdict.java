package io.controllermanager.crd;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.math.BigDecimal;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a server says of an object.
 *
 * @param code of the answer
 * @param causes the fields that are named, each with the reason; or the warnings if it is taken
 * @param object as it is kept, but for what each server sets by itself; null if it is refused
 * @param message the server's words, which are shown but not compared
 */
record Verdict(int code, Set<String> causes, @Nullable JsonElement object, String message) {

    private static final List<String> OWN =
            List.of("uid", "creationTimestamp", "managedFields", "namespace", "resourceVersion");

    static Verdict of(int code, List<String> warnings, String body) {
        JsonObject answer = JsonParser.parseString(body).getAsJsonObject();
        if (code < 300) {
            OWN.forEach(answer.getAsJsonObject("metadata")::remove);
            return new Verdict(code, new TreeSet<>(warnings), canonical(answer), "");
        }
        Set<String> causes = new TreeSet<>();
        JsonObject details = answer.getAsJsonObject("details");
        if (details != null && details.has("causes")) {
            for (JsonElement cause : details.getAsJsonArray("causes")) {
                JsonObject named = cause.getAsJsonObject();
                causes.add((named.has("field") ? named.get("field").getAsString() : "") + " "
                        + named.get("reason").getAsString());
            }
        }
        return new Verdict(code, causes, null, answer.get("message").getAsString());
    }

    /** Numbers count, not how they are written. */
    private static JsonElement canonical(JsonElement value) {
        if (value instanceof JsonObject object) {
            JsonObject sorted = new JsonObject();
            new TreeSet<>(object.keySet()).forEach(name -> sorted.add(name, canonical(object.get(name))));
            return sorted;
        } else if (value instanceof JsonArray array) {
            JsonArray list = new JsonArray();
            array.forEach(item -> list.add(canonical(item)));
            return list;
        } else if (value instanceof JsonPrimitive primitive && primitive.isNumber()) {
            BigDecimal number = primitive.getAsBigDecimal();
            return new JsonPrimitive(number.signum() == 0 ? BigDecimal.ZERO : number.stripTrailingZeros());
        }
        return value;
    }

    boolean isLike(Verdict other) {
        return code == other.code
                && causes.equals(other.causes)
                && String.valueOf(object).equals(String.valueOf(other.object));
    }

    @Override
    public String toString() {
        return object == null ? code + " " + causes + "\n      " + message : code + " " + causes + " " + object;
    }
}
