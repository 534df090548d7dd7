package io.controllermanager.testing.apiserver.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

/** Fills in what a schema says of fields that are not there. */
public final class Defaults {

    private Defaults() {}

    /** Sets defaults in place, also in what a default brings. */
    public static void apply(JsonNode value, Schema schema) {
        if (value.isArray()) {
            value.forEach(item -> apply(item, schema.items()));
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
            if (under != null && field.getValue().isContainerNode()) {
                apply(field.getValue(), under);
            }
        }
    }
}
