package io.controllermanager.apiserver.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.json.Meta;
import io.controllermanager.apiserver.schema.Schema;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Refuses to apply what does not fit its type, whatever {@code fieldValidation} says (structured-merge-diff, typed). */
record TypedPatch(ObjectNode object) {

    /** Throws 500, as the real server does. */
    static void check(ObjectNode object, Schema schema) {
        new TypedPatch(object).value(List.of(), object, schema);
    }

    private void value(List<String> path, JsonNode value, Schema schema) {
        String expected = switch (schema.node().path("type").asText()) {
            case "string" -> value.isTextual() ? "" : "string";
            case "integer", "number" -> value.isNumber() ? "" : "numeric (int or float)";
            case "boolean" -> value.isBoolean() ? "" : "boolean";
            case "array" -> value.isArray() ? "" : "list";
            case "object" -> value.isObject() ? "" : "map";
            default -> "";
        };
        if (!expected.isEmpty() && !value.isNull()) {
            throw refused(path, "expected " + expected + ", got " + value);
        }
        for (Map.Entry<String, JsonNode> field : value.properties()) {
            List<String> at = FieldSet.with(path, "f:" + field.getKey());
            Schema under = schema.under(field.getKey());
            if (under == null) {
                throw refused(at, "field not declared in schema");
            }
            value(at, field.getValue(), under);
        }
        Set<String> keys = new HashSet<>();
        for (int i = 0; i < value.size() && value.isArray(); i++) {
            JsonNode item = value.get(i);
            List<String> at = FieldSet.with(path, "i:" + i);
            if (!schema.mapKeys().isEmpty()) {
                String key = key(path, i, item, schema);
                at = FieldSet.with(path, key);
                if (!keys.add(key)) {
                    throw refused(path, "duplicate entries for key " + FieldSet.text(List.of(key)));
                }
            }
            value(at, item, schema.items());
        }
    }

    private String key(List<String> path, int index, JsonNode item, Schema schema) {
        boolean named = schema.items().isBuiltIn();
        for (String name : schema.mapKeys()) {
            Schema property = schema.items().property(name);
            named |= item.has(name) || (property != null && property.defaultValue() != null);
        }
        if (!named) {
            String what = "element " + index + ": associative list with keys has an element that omits all key fields ";
            throw refused(path, what + schema.mapKeys() + " (and doesn't have default values for any key fields)");
        }
        return FieldSet.key(item, schema);
    }

    private StatusException refused(List<String> path, String why) {
        String what = Meta.namespace(object) + "/" + Meta.name(object) + "; " + Meta.versionAndKind(object);
        String failed = "failed to create typed patch object (" + what + "): ";
        return StatusException.of(500, "", failed + FieldSet.text(path) + ": " + why);
    }
}
