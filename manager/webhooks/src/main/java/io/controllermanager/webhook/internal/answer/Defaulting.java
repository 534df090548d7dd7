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
 * Asks a defaulter, and makes the JSON patch of what it changes. What the class does not know of the object stays.
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
        patch("", sent, MergeDiff.between(before, after), patch);
        JsonObject response = new JsonObject();
        response.addProperty("allowed", true);
        if (!patch.isEmpty()) {
            response.addProperty("patchType", "JSONPatch");
            response.addProperty(
                    "patch", Base64.getEncoder().encodeToString(patch.toString().getBytes(StandardCharsets.UTF_8)));
        }
        return response;
    }

    /** A merge patch as a JSON patch of the object as it was sent; of what is not in there, nothing is taken out. */
    private static void patch(String path, JsonObject sent, JsonObject change, JsonArray patch) {
        for (String name : change.keySet()) {
            JsonElement value = change.get(name);
            JsonElement present = sent.get(name);
            String at = path + "/" + name.replace("~", "~0").replace("/", "~1");
            if (value instanceof JsonObject deeper && present instanceof JsonObject there) {
                patch(at, there, deeper, patch);
            } else if (!value.isJsonNull()) {
                patch.add(operation("add", at, value));
            } else if (present != null) {
                patch.add(operation("remove", at, JsonNull.INSTANCE));
            }
        }
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
