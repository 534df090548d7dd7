package io.controllermanager.reconciler;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.controllermanager.client.internal.json.ApiJson;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1Condition;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Conditions by the rules of KEP-1623 and apimachinery's {@code meta.SetStatusCondition}: a transition is a change of the
 * status, and its time stays as long as that does. Conditions of other types stay as they are, and all keep their order.
 */
public final class Conditions {

    private Conditions() {}

    /** The condition of an object, of whatever class; null if it has none of that type. */
    public static @Nullable V1Condition of(KubernetesObject object, String type) {
        return list(StatusWriter.statusOf(object)).asList().stream()
                .filter(condition -> isOf(type, condition))
                .findFirst()
                .map(Conditions::read)
                .orElse(null);
    }

    /** All but the one that tells of a failure. */
    static JsonArray withoutFailure(JsonArray present) {
        JsonArray kept = new JsonArray();
        for (JsonElement condition : present) {
            if (!isOf(ErrorCondition.TYPE, condition) || !ErrorCondition.isOne(read(condition))) {
                kept.add(condition);
            }
        }
        return kept;
    }

    /**
     * Sets conditions.
     *
     * @param present those so far; not changed
     * @param wanted those to set, one of each type
     * @param generation the object's, null if it has none
     * @param now the time of those whose status changes
     */
    static JsonArray merge(JsonArray present, List<StatusCondition> wanted, @Nullable Long generation, Instant now) {
        List<StatusCondition> missing = new ArrayList<>(wanted);
        JsonArray merged = new JsonArray();
        for (JsonElement before : present) {
            StatusCondition replacement = wanted.stream()
                    .filter(condition -> isOf(condition.type(), before))
                    .findFirst()
                    .orElse(null);
            merged.add(replacement == null ? before : json(replacement, before.getAsJsonObject(), generation, now));
            missing.remove(replacement);
        }
        missing.forEach(condition -> merged.add(json(condition, new JsonObject(), generation, now)));
        return merged;
    }

    private static JsonObject json(
            StatusCondition condition, JsonObject before, @Nullable Long generation, Instant now) {
        JsonObject json = before.deepCopy();
        boolean same = json.has("lastTransitionTime")
                && json.has("status")
                && json.get("status").getAsString().equals(condition.status());
        json.addProperty("type", condition.type());
        json.addProperty("status", condition.status());
        json.addProperty("reason", condition.reason());
        json.addProperty("message", condition.message());
        if (generation != null) {
            json.addProperty("observedGeneration", generation);
        }
        if (!same) {
            json.addProperty(
                    "lastTransitionTime", now.truncatedTo(ChronoUnit.SECONDS).toString());
        }
        return json;
    }

    private static V1Condition read(JsonElement condition) {
        return ApiJson.adapter(V1Condition.class).fromJsonTree(condition);
    }

    static JsonArray list(JsonObject status) {
        return status.get("conditions") instanceof JsonArray conditions ? conditions : new JsonArray();
    }

    private static boolean isOf(String type, JsonElement condition) {
        return condition instanceof JsonObject object
                && object.has("type")
                && object.get("type").getAsString().equals(type);
    }
}
