package io.controllermanager.apiserver.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Json;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** Fills in what a schema says of fields that are not there. */
public final class Defaults {

    private Defaults() {}

    /** Sets defaults in place, also in what a default brings; null counts as not there where a schema does not take it. */
    public static void apply(JsonNode value, Schema schema) {
        if (value instanceof ArrayNode array) {
            JsonNode initial = schema.items().defaultValue();
            for (int i = 0; i < array.size() && initial != null; i++) {
                if (array.path(i).isNull() && !schema.items().isNullable()) {
                    array.set(i, initial.deepCopy());
                }
            }
        } else if (value instanceof ObjectNode object) {
            for (JsonNode row : schema.isBuiltIn() ? schema.node().path(KubernetesSchemas.FILL) : Json.array()) {
                if (!row.has("where") || Json.fits(object, row.path("where").asText())) {
                    fill(object, object, row.path("set"));
                }
            }
            Set<String> names = new LinkedHashSet<>();
            schema.node().path("properties").fieldNames().forEachRemaining(names::add);
            object.fieldNames().forEachRemaining(names::add);
            for (String name : names) {
                Schema under = schema.under(name);
                JsonNode initial = under == null ? null : under.defaultValue();
                JsonNode present = object.get(name);
                if (under != null
                        && initial != null
                        && (present == null || (present.isNull() && !under.isNullable()))) {
                    object.set(name, initial.deepCopy());
                }
            }
        }
        schema.forEach(value, Defaults::apply);
    }

    /** Sets what is not there, where {@code =a.b} is what the object has at that path; null takes away what is there. */
    private static void fill(ObjectNode object, ObjectNode part, JsonNode set) {
        for (Map.Entry<String, JsonNode> field : set.properties()) {
            String text = field.getValue().asText();
            JsonNode value = text.startsWith("=") ? Json.at(object, text.substring(1)) : field.getValue();
            JsonNode present = part.get(field.getKey());
            if (value.isNull()) {
                part.remove(field.getKey());
            } else if (value.isObject() && (present == null || present.isObject())) {
                fill(object, Json.child(part, field.getKey()), value);
            } else if (!value.isMissingNode() && present == null) {
                part.set(field.getKey(), value.deepCopy());
            }
        }
    }
}
