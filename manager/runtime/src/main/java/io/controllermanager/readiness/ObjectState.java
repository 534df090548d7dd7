package io.controllermanager.readiness;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * What an object says, field by field, and sentences about it.
 *
 * @param kind the kind with its group
 * @param json the object
 */
record ObjectState(String kind, JsonObject json) {

    boolean has(String... path) {
        JsonElement found = at(path);
        return found != null && !(found.isJsonPrimitive() && found.getAsString().isEmpty());
    }

    long number(long missing, String... path) {
        JsonElement found = at(path);
        return found == null ? missing : found.getAsLong();
    }

    String text(String missing, String... path) {
        JsonElement found = at(path);
        return found == null ? missing : found.getAsString();
    }

    /** The status of a condition, null if there is none of the type. */
    @Nullable
    String status(String type) {
        return condition(type, "status");
    }

    boolean is(String type) {
        return "True".equals(status(type));
    }

    /** What a condition has to say. */
    String message(String type, String otherwise) {
        String message = condition(type, "message");
        return message == null || message.isEmpty() ? otherwise : "says " + type + ": " + message;
    }

    @Nullable
    String condition(String type, String field) {
        if (at("status", "conditions") instanceof JsonArray conditions) {
            for (JsonElement each : conditions) {
                if (each instanceof JsonObject condition
                        && condition.has("type")
                        && condition.get("type").getAsString().equals(type)) {
                    return condition.has(field) ? condition.get(field).getAsString() : null;
                }
            }
        }
        return null;
    }

    Readiness ready() {
        return Readiness.ready(word() + "Ready", "the " + word() + " is ready");
    }

    Readiness progressing(String reason, String what) {
        return Readiness.progressing(word() + reason, "the " + word() + " " + what);
    }

    /** With a sentence of its own. */
    Readiness counted(String reason, String sentence) {
        return Readiness.progressing(word() + reason, sentence);
    }

    Readiness failed(String reason, String what) {
        return Readiness.failed(word() + reason, "the " + word() + " " + what);
    }

    private String word() {
        int dot = kind.indexOf('.');
        return dot < 0 ? kind : kind.substring(0, dot);
    }

    private @Nullable JsonElement at(String... path) {
        JsonElement found = json;
        for (String name : path) {
            found = found instanceof JsonObject object ? object.get(name) : null;
        }
        return found == null || found.isJsonNull() ? null : found;
    }
}
