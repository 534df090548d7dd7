package io.controllermanager.testing.apiserver.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

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
            array.forEach(item -> apply(item, schema.items()));
        }
        if (!(value instanceof ObjectNode object)) {
            return;
        }
        schema.node().path("properties").properties().forEach(declared -> {
            Schema property = schema.property(declared.getKey());
            JsonNode initial = property == null ? null : property.defaultValue();
            JsonNode present = object.get(declared.getKey());
            boolean absent = present == null || (present.isNull() && property != null && !property.isNullable());
            if (initial != null && absent) {
                object.set(declared.getKey(), initial.deepCopy());
            }
        });
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            Schema under = schema.under(field.getKey());
            JsonNode initial = under == null ? null : under.defaultValue();
            if (under != null && initial != null && field.getValue().isNull() && !under.isNullable()) {
                field.setValue(initial.deepCopy());
            }
            if (under != null && field.getValue().isContainerNode()) {
                apply(field.getValue(), under);
            }
        }
    }
}
