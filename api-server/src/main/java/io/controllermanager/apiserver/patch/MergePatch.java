package io.controllermanager.apiserver.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Json;

/** RFC 7386. */
public final class MergePatch {

    private MergePatch() {}

    public static JsonNode apply(JsonNode target, JsonNode patch) {
        if (!(patch instanceof ObjectNode changes)) {
            return patch;
        }
        ObjectNode result = target instanceof ObjectNode present ? present : Json.object();
        changes.properties().forEach(change -> {
            if (change.getValue().isNull()) {
                result.remove(change.getKey());
            } else {
                result.set(change.getKey(), apply(result.path(change.getKey()), change.getValue()));
            }
        });
        return result;
    }
}
