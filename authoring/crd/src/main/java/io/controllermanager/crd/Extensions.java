package io.controllermanager.crd;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.controllermanager.types.Atomic;
import io.controllermanager.types.Default;
import io.controllermanager.types.ListMapKeys;
import io.controllermanager.types.ValidationRule;
import java.lang.annotation.Annotation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What Kubernetes' schemas have beyond OpenAPI: rules in CEL, defaults that are filled in, lists and maps for apply. */
final class Extensions {

    private final Map<String, Object> schema;
    private final Place place;

    Extensions(Map<String, Object> schema, Place place) {
        this.schema = schema;
        this.place = place;
    }

    /**
     * Adds what an annotation says; others are left alone.
     *
     * @throws InvalidTypeException if it does not fit the schema
     */
    void add(Annotation annotation) {
        if (annotation instanceof ValidationRule rule) {
            Schema.add(schema, Schema.RULES, rule(rule));
        } else if (annotation instanceof Default given) {
            schema.put("default", defaultValue(given.value()));
        } else if (annotation instanceof ListMapKeys given) {
            markAsListMap(given);
        } else if (annotation instanceof Atomic) {
            String keyword = switch (Schema.typeOf(schema)) {
                case "array" -> Schema.LIST_TYPE;
                case "object" -> Schema.MAP_TYPE;
                default -> throw place.invalid("@Atomic is for objects, maps and lists");
            };
            if (schema.containsKey(keyword)) {
                throw place.invalid("@Atomic on a list of type " + schema.get(keyword));
            }
            schema.put(keyword, "atomic");
        }
    }

    private static Map<String, Object> rule(ValidationRule rule) {
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("rule", rule.value());
        Schema.putGiven(entry, "fieldPath", rule.fieldPath());
        Schema.putGiven(entry, "message", rule.message());
        Schema.putGiven(entry, "messageExpression", rule.messageExpression());
        Schema.putGiven(entry, "reason", rule.reason());
        if (rule.optionalOldSelf()) {
            entry.put("optionalOldSelf", true);
        }
        return entry;
    }

    /** Makes a list one without duplicates. */
    static void markAsSet(Map<String, Object> list, Place place) {
        demandItems(list, place);
        switch (Schema.typeOf(Schema.members(list, "items"))) {
            case "string", "integer", "number", "boolean" -> list.put(Schema.LIST_TYPE, "set");
            default ->
                throw place.invalid(
                        "a Set holds strings, numbers, booleans or enums; for objects declare a List with @ListMapKeys");
        }
    }

    /** The API server refuses others. */
    static void demandItems(Map<String, Object> list, Place place) {
        if (Schema.members(list, "items").containsKey("nullable")) {
            throw place.invalid("the items of a list of type set or map cannot be @Nullable");
        }
    }

    private void markAsListMap(ListMapKeys given) {
        demandItems(schema, place);
        Map<String, Object> items = Schema.members(schema, "items");
        if (!Schema.typeOf(items).equals("object") || given.value().length == 0) {
            throw place.invalid("@ListMapKeys names fields of the objects in a list");
        }
        for (String key : given.value()) {
            Map<String, Object> property = Schema.child(Schema.members(items, "properties"), key);
            if (property == null) {
                throw place.invalid("@ListMapKeys names " + key + ", but the items have "
                        + Schema.members(items, "properties").keySet());
            }
            if (!Schema.list(items, "required").contains(key) && !property.containsKey("default")) {
                throw place.invalid("@ListMapKeys names " + key + ", which is nullable and has no @Default");
            }
        }
        schema.put(Schema.LIST_TYPE, "map");
        schema.put(Schema.LIST_MAP_KEYS, List.of(given.value()));
    }

    private Object defaultValue(String text) {
        String type = Schema.typeOf(schema);
        if (type.equals("string")) {
            if (schema.containsKey("enum") && !Schema.list(schema, "enum").contains(text)) {
                throw place.invalid("@Default(\"" + text + "\") is none of " + schema.get("enum"));
            }
            DefaultLimits.check(schema, text, text, place);
            return text;
        }
        JsonElement json = Json.parse(text);
        if (json == null || !fits(json, type)) {
            throw place.invalid("@Default(\"" + text + "\") is no JSON" + (type.isEmpty() ? "" : " of type " + type));
        }
        Object value;
        try {
            value = Json.plain(json);
        } catch (IllegalArgumentException e) {
            throw place.invalid("@Default(\"" + text + "\"): " + e.getMessage());
        }
        DefaultLimits.check(schema, value, text, place);
        return value;
    }

    private static boolean fits(JsonElement json, String type) {
        return switch (type) {
            case "boolean" -> json instanceof JsonPrimitive value && value.isBoolean();
            case "number" -> json instanceof JsonPrimitive value && value.isNumber();
            case "integer" ->
                json instanceof JsonPrimitive value
                        && value.isNumber()
                        && value.getAsBigDecimal().stripTrailingZeros().scale() <= 0;
            case "array" -> json instanceof JsonArray;
            case "object" -> json instanceof JsonObject;
            default -> !json.isJsonNull();
        };
    }
}
