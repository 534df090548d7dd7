package io.controllermanager.testing.apiserver.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Drops nulls where a schema takes none, as if the fields were not there (apiextensions-apiserver,
 * schema/defaulting/prunenulls.go).
 */
public final class Nulls {

    private Nulls() {}

    /** Drops them in place, but where a default follows; those in lists stay. */
    public static void prune(JsonNode value, Schema schema) {
        if (value.isArray()) {
            value.forEach(item -> prune(item, schema.items()));
        } else if (value instanceof ObjectNode object) {
            object.properties().removeIf(field -> {
                Schema under = under(schema, field.getKey());
                return field.getValue().isNull()
                        && under != null
                        && !under.isNullable()
                        && under.defaultValue() == null;
            });
            object.properties().forEach(field -> {
                Schema under = under(schema, field.getKey());
                if (under != null) {
                    prune(field.getValue(), under);
                }
            });
        }
    }

    private static @Nullable Schema under(Schema schema, String name) {
        Schema property = schema.property(name);
        return property == null ? schema.values() : property;
    }
}
