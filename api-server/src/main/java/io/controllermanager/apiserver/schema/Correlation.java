package io.controllermanager.apiserver.schema;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.apiserver.json.Json;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds out what a value was before an update, by a CRD's schema (KEP-4008). */
public final class Correlation {

    private Correlation() {}

    /** What an item of a list was before; null where lists do not tell. */
    public static @Nullable JsonNode former(JsonNode schema, JsonNode item, JsonNode before) {
        if (!schema.path("x-kubernetes-list-type").asText().equals("map")) {
            return null;
        }
        List<String> keys = Json.texts(schema.path("x-kubernetes-list-map-keys"));
        for (JsonNode candidate : before) {
            if (keys.stream().allMatch(key -> candidate.path(key).equals(item.path(key)))) {
                return candidate;
            }
        }
        return null;
    }

    /** Whether a value is as it was, as far as the schema can tell (apiserver, pkg/cel/common/equality.go). */
    public static boolean same(JsonNode schema, JsonNode value, JsonNode before) {
        if (value.isArray() && schema.path("x-kubernetes-list-type").asText().equals("map")) {
            for (JsonNode item : value) {
                JsonNode former = former(schema, item, before);
                if (former == null || !same(schema.path("items"), item, former)) {
                    return false;
                }
            }
            return value.size() == before.size();
        } else if (value.isObject() && before.isObject()) {
            for (Map.Entry<String, JsonNode> field : value.properties()) {
                JsonNode under = under(schema, field.getKey());
                JsonNode former = before.get(field.getKey());
                if (former == null || !under.isObject() || !same(under, field.getValue(), former)) {
                    return false;
                }
            }
            return value.size() == before.size();
        }
        return value.equals(before);
    }

    /** The path of a field: a property's name comes after a dot, a map's key in brackets. */
    public static String path(JsonNode schema, String path, String name) {
        return schema.path("properties").has(name) ? Schema.join(path, name) : path + "[" + name + "]";
    }

    /** The schema of a field. */
    public static JsonNode under(JsonNode schema, String name) {
        JsonNode property = schema.path("properties").path(name);
        return property.isObject() ? property : schema.path("additionalProperties");
    }
}
