package io.controllermanager.testing.apiserver.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.apiserver.http.StatusException.Cause;
import io.controllermanager.testing.apiserver.json.Json;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What {@code x-kubernetes-list-type} promises: a set has each item once, a map each combination of keys
 * (apiextensions-apiserver, listtype/validation.go).
 */
public final class UniqueItems {

    private UniqueItems() {}

    /** The items that are there again; each is told of once. */
    public static List<Cause> judge(JsonNode object, Schema schema) {
        List<Cause> causes = new ArrayList<>();
        walk("", object, schema.node(), causes);
        return causes;
    }

    private static void walk(String path, JsonNode value, JsonNode schema, List<Cause> causes) {
        if (value.isArray()) {
            switch (schema.path("x-kubernetes-list-type").asText()) {
                case "set" -> unique(path, value, true, causes);
                case "map" -> map(path, value, schema.path("x-kubernetes-list-map-keys"), causes);
                default -> {}
            }
            for (int i = 0; i < value.size(); i++) {
                walk(path + "[" + i + "]", value.path(i), schema.path("items"), causes);
            }
        }
        for (Map.Entry<String, JsonNode> field : value.properties()) {
            String name = field.getKey();
            JsonNode property = schema.path("properties").path(name);
            if (property.isObject()) {
                walk(path.isEmpty() ? name : path + "." + name, field.getValue(), property, causes);
            } else {
                walk(path + "[" + name + "]", field.getValue(), schema.path("additionalProperties"), causes);
            }
        }
    }

    private static void map(String path, JsonNode items, JsonNode names, List<Cause> causes) {
        for (int i = 0; i < items.size(); i++) {
            if (!items.path(i).isObject() && !items.path(i).isNull()) {
                causes.add(new Cause(
                        "FieldValueInvalid",
                        "Invalid value: " + items.path(i) + ": must be an object for an array of list-type map",
                        path + "[" + i + "]"));
                return;
            }
        }
        unique(path, keys(items, names), names.size() > 1, causes);
    }

    private static JsonNode keys(JsonNode items, JsonNode names) {
        List<JsonNode> keys = new ArrayList<>();
        for (JsonNode item : items) {
            ObjectNode key = Json.object();
            names.forEach(name -> {
                JsonNode value = item.get(name.asText());
                if (value != null) {
                    key.set(name.asText(), value);
                }
            });
            keys.add(key);
        }
        return Json.array().addAll(keys);
    }

    /**
     * Tells of items that are there again.
     *
     * @param byJson whether items that have items are the same if Go writes them as the same JSON
     */
    private static void unique(String path, JsonNode items, boolean byJson, List<Cause> causes) {
        Map<JsonNode, Integer> times = new HashMap<>();
        for (int i = 0; i < items.size(); i++) {
            JsonNode item = items.path(i);
            if (times.merge(byJson && item.isContainerNode() ? asWritten(item) : item, 1, Integer::sum) == 2) {
                causes.add(new Cause("FieldValueDuplicate", "Duplicate value: " + item, path + "[" + i + "]"));
            }
        }
    }

    /** With 1 for 1.0, which Go tells apart only while it has them in memory. */
    private static JsonNode asWritten(JsonNode value) {
        if (value instanceof ObjectNode object) {
            ObjectNode written = Json.object();
            object.properties().forEach(field -> written.set(field.getKey(), asWritten(field.getValue())));
            return written;
        } else if (value instanceof ArrayNode array) {
            ArrayNode written = Json.array();
            array.forEach(item -> written.add(asWritten(item)));
            return written;
        }
        return value.isNumber() ? DoubleNode.valueOf(value.asDouble()) : value;
    }
}
