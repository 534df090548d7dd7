package io.controllermanager.apiserver.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.Iterables;
import io.controllermanager.apiserver.http.StatusException.Cause;
import io.controllermanager.apiserver.json.Json;
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
        walk(Correlation.of(object, schema.node(), null), causes);
        return causes;
    }

    private static void walk(Correlation at, List<Cause> causes) {
        if (at.value().isArray()) {
            items(at.path(), at.value(), at.schema(), causes);
        }
        at.within(true, under -> walk(under, causes));
    }

    private static void items(String path, JsonNode items, JsonNode schema, List<Cause> causes) {
        String type = schema.path("x-kubernetes-list-type").asText();
        boolean isMap = type.equals("map");
        List<String> names = Json.texts(schema.path("x-kubernetes-list-map-keys"));
        int strange = isMap ? Iterables.indexOf(items, item -> !item.isObject() && !item.isNull()) : -1;
        if (strange >= 0) {
            String why = "must be an object for an array of list-type map";
            causes.add(Cause.invalid(path + "[" + strange + "]", items.path(strange), why));
            return;
        }
        Map<JsonNode, Integer> times = new HashMap<>();
        for (int i = 0; i < items.size() && (isMap || type.equals("set")); i++) {
            JsonNode key = items.path(i);
            if (isMap) {
                // Null has no key, as an object without one.
                key = key instanceof ObjectNode object ? object.deepCopy().retain(names) : Json.object();
            }
            // Go compares what has items by the JSON that it writes for it, and the value of a single key as it is.
            boolean byJson = isMap ? names.size() > 1 : key.isContainerNode();
            if (times.merge(byJson ? asWritten(key) : key, 1, Integer::sum) == 2) {
                causes.add(Cause.duplicate(path + "[" + i + "]", key));
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
