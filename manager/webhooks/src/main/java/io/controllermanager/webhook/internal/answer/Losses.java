package io.controllermanager.webhook.internal.answer;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.client.internal.json.MergeDiff;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a version cannot hold of an object, so that it can come back. Both are merge patches with the same paths; a list counts as
 * one value.
 *
 * @param left what is left of the object once it has been to the version and back
 * @param lost what the object had there
 */
record Losses(JsonObject left, JsonObject lost) {

    private static final Set<String> CARRIED_OVER = Set.of("apiVersion", "kind", "metadata");

    /**
     * What is lost.
     *
     * @param object as it was
     * @param back the same after a conversion and back
     */
    static Losses between(JsonObject object, JsonObject back) {
        return new Losses(difference(object, back), difference(back, object));
    }

    private static JsonObject difference(JsonObject from, JsonObject to) {
        JsonObject difference = MergeDiff.between(from, to);
        CARRIED_OVER.forEach(difference::remove);
        return difference;
    }

    /** The annotation that has what an object in a version has lost. */
    static String annotation(String version) {
        return Conversions.LOSSES + version;
    }

    /** Null if the text is none that {@link #text} has made, such as one that a user has changed. */
    static @Nullable Losses parse(String text) {
        try {
            JsonObject both = JsonParser.parseString(text).getAsJsonObject();
            JsonObject left = both.getAsJsonObject("left");
            JsonObject lost = both.getAsJsonObject("lost");
            return left == null || lost == null ? null : new Losses(left, lost);
        } catch (RuntimeException e) {
            return null;
        }
    }

    String text() {
        JsonObject both = new JsonObject();
        both.add("left", left);
        both.add("lost", lost);
        return both.toString();
    }

    boolean isEmpty() {
        return lost.isEmpty();
    }

    /** Gives an object back what it has lost, but for what somebody has changed in the other version. */
    void restore(JsonObject object) {
        restore(object, left, lost);
    }

    private static void restore(JsonObject into, JsonObject left, JsonObject lost) {
        for (String name : lost.keySet()) {
            JsonElement value = lost.get(name);
            JsonElement was = left.get(name);
            JsonElement is = into.get(name);
            if (value instanceof JsonObject deeperLost && was instanceof JsonObject deeperLeft) {
                if (is instanceof JsonObject deeper) {
                    restore(deeper, deeperLeft, deeperLost);
                }
            } else if (is == null ? was == null || was.isJsonNull() : was != null && MergeDiff.areSame(is, was)) {
                into.remove(name);
                if (!value.isJsonNull()) {
                    into.add(name, value);
                }
            }
        }
    }
}
