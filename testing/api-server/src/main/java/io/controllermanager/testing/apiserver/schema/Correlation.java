package io.controllermanager.testing.apiserver.schema;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds out what a value was before an update, by a CRD's schema (KEP-4008). */
public final class Correlation {

    private Correlation() {}

    /** What an item of a list was before; null where lists do not tell. */
    public static @Nullable JsonNode former(JsonNode schema, JsonNode item, JsonNode before) {
        JsonNode keys = schema.path("x-kubernetes-list-map-keys");
        if (!schema.path("x-kubernetes-list-type").asText().equals("map")) {
            return null;
        }
        for (JsonNode candidate : before) {
            boolean same = true;
            for (JsonNode key : keys) {
                same &= candidate.path(key.asText()).equals(item.path(key.asText()));
            }
            if (same) {
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
                JsonNode property = schema.path("properties").path(field.getKey());
                JsonNode under = property.isObject() ? property : schema.path("additionalProperties");
                JsonNode former = before.get(field.getKey());
                if (former == null || !under.isObject() || !same(under, field.getValue(), former)) {
                    return false;
                }
            }
            return value.size() == before.size();
        }
        return value.equals(before);
    }

    /**
     * Whether what stands at a path, or the nearest value around it of which that can be told, is as it was.
     *
     * @param path names of fields and indexes of lists, from the root on
     */
    static boolean isUnchanged(JsonNode schema, JsonNode value, JsonNode before, List<Object> path) {
        JsonNode under = schema;
        JsonNode is = value;
        JsonNode was = before;
        for (Object step : path) {
            JsonNode next = step instanceof Integer index ? is.path(index) : is.path((String) step);
            JsonNode former = step instanceof Integer ? former(under, next, was) : was.get((String) step);
            if (former == null || former.isNull()) {
                break;
            }
            JsonNode property = under.path("properties").path(step.toString());
            under = step instanceof Integer
                    ? under.path("items")
                    : property.isObject() ? property : under.path("additionalProperties");
            is = next;
            was = former;
        }
        return same(under, is, was);
    }
}
