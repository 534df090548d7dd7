package io.controllermanager.webhook.internal.answer;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.client.internal.json.MergeDiff;
import io.controllermanager.webhook.Defaulter;
import io.kubernetes.client.common.KubernetesObject;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Asks a defaulter, and makes the JSON patch of what it changes. What the class does not know of the object stays, but for lists out
 * of which something is taken or whose order changes: those are replaced.
 *
 * @param <T> the objects' class
 */
public record Defaulting<T extends KubernetesObject>(ResourceType<T> type, Defaulter<T> defaulter)
        implements AdmissionQuestion.Webhook<T> {

    @Override
    public JsonObject answer(T object, JsonObject sent, LiveAdmission<T> admission) {
        JsonObject before = ApiJson.tree(object).getAsJsonObject();
        JsonObject after =
                ApiJson.tree(defaulter.withDefaults(object, admission)).getAsJsonObject();
        JsonArray patch = new JsonArray();
        patch("", sent, before, after, patch);
        JsonObject response = new JsonObject();
        response.addProperty("allowed", true);
        if (!patch.isEmpty()) {
            response.addProperty("patchType", "JSONPatch");
            response.addProperty(
                    "patch", Base64.getEncoder().encodeToString(patch.toString().getBytes(StandardCharsets.UTF_8)));
        }
        return response;
    }

    /** What leads from one object to the other, for the object as it was sent; of what is not in there, nothing is taken out. */
    private static void patch(String path, JsonObject sent, JsonObject before, JsonObject after, JsonArray patch) {
        for (String name : MergeDiff.between(before, after).keySet()) {
            JsonElement value = after.get(name);
            JsonElement present = sent.get(name);
            String at = path + "/" + name.replace("~", "~0").replace("/", "~1");
            if (value == null) {
                if (present != null) {
                    patch.add(operation("remove", at, JsonNull.INSTANCE));
                }
            } else if (value instanceof JsonObject deeper
                    && present instanceof JsonObject there
                    && before.get(name) instanceof JsonObject was) {
                patch(at, there, was, deeper, patch);
            } else if (!(value instanceof JsonArray list
                    && present instanceof JsonArray there
                    && before.get(name) instanceof JsonArray was
                    && patch(at, there, was, list, patch))) {
                patch.add(operation("add", at, value));
            }
        }
    }

    /** The same for a list to which something is appended at most, and whose objects are the same by name; whether it is one. */
    private static boolean patch(String path, JsonArray sent, JsonArray before, JsonArray after, JsonArray patch) {
        if (sent.size() != before.size() || after.size() < before.size()) {
            return false;
        }
        JsonArray operations = new JsonArray();
        for (int i = 0; i < after.size(); i++) {
            if (i >= before.size()) {
                operations.add(operation("add", path + "/-", after.get(i)));
            } else if (!before.get(i).equals(after.get(i))) {
                if (!(sent.get(i) instanceof JsonObject there
                        && before.get(i) instanceof JsonObject was
                        && after.get(i) instanceof JsonObject now
                        && was.has("name")
                        && was.get("name").equals(now.get("name")))) {
                    return false;
                }
                patch(path + "/" + i, there, was, now, operations);
            }
        }
        patch.addAll(operations);
        return true;
    }

    private static JsonObject operation(String op, String path, JsonElement value) {
        JsonObject operation = new JsonObject();
        operation.addProperty("op", op);
        operation.addProperty("path", path);
        if (!value.isJsonNull()) {
            operation.add("value", value);
        }
        return operation;
    }
}
