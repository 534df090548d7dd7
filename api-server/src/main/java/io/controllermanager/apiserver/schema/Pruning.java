package io.controllermanager.apiserver.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Drops the fields that a schema does not know, or whose null it does not take.
 *
 * @param dropped the paths of those that it does not know
 */
public record Pruning(List<String> dropped) {

    private static final Schema NOTHING = Schema.of(Json.object());

    /** Prunes an object in place; gives the paths of what was dropped. */
    public static List<String> prune(ObjectNode object, Schema schema) {
        Pruning pruning = new Pruning(new ArrayList<>());
        pruning.fields("", object, schema);
        return pruning.dropped;
    }

    private void fields(String path, ObjectNode object, Schema schema) {
        for (Map.Entry<String, JsonNode> field : List.copyOf(object.properties())) {
            String at = Schema.join(path, field.getKey());
            Schema under = schema.under(field.getKey());
            if (under == null) {
                object.remove(field.getKey());
                dropped.add(at);
            } else {
                value(at, field.getValue(), under);
            }
        }
    }

    private void value(String path, JsonNode value, Schema schema) {
        if (value instanceof ObjectNode object) {
            boolean whole = schema.node().path("x-kubernetes-embedded-resource").asBoolean(false);
            fields(path, object, whole ? schema.withMetadata(Schema.ANY) : schema);
        } else if (value instanceof ArrayNode array) {
            // Of a list that should not be one, nothing in its items is known.
            Schema items = schema.node().has("items") || schema.preservesUnknownFields() ? schema.items() : NOTHING;
            for (int i = 0; i < array.size(); i++) {
                value(path + "[" + i + "]", array.get(i), items);
            }
        }
    }

    /**
     * Drops nulls where a schema takes none, in place, as if the fields were not there, but where a default follows; those in
     * lists stay (apiextensions-apiserver, schema/defaulting/prunenulls.go).
     */
    public static void dropNulls(JsonNode value, Schema schema) {
        value.properties().removeIf(field -> {
            Schema under = schema.under(field.getKey());
            return field.getValue().isNull()
                    && under != null
                    && under != Schema.ANY
                    && !under.isNullable()
                    && under.defaultValue() == null;
        });
        schema.forEach(value, Pruning::dropNulls);
    }
}
