package io.controllermanager.crd;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Makes objects that are near the edge of what a schema allows. Each second one keeps to the schema as far as it can, its
 * rules apart; in the others some values are odd ones: a limit missed by one, another type, null, a field too many or too
 * few. The same seed makes the same objects. For one thread.
 */
final class RandomObjects {

    private static final List<String> KEYS = List.of("a", "b", "cpu", "x y", "a.b/c", "é", "𝒳", "");

    private final Random random;
    private final RandomScalars scalars;

    /** How many values are odd ones, in percent. */
    private int odd;

    RandomObjects(Random random) {
        this.random = random;
        this.scalars = new RandomScalars(random);
    }

    /** One object: spec, status and what is around them. */
    JsonObject next(String apiVersion, String kind, JsonObject schema) {
        odd = random.nextBoolean() ? 0 : 4 + random.nextInt(8);
        JsonObject object = new JsonObject();
        object.addProperty("apiVersion", apiVersion);
        object.addProperty("kind", kind);
        JsonObject properties = schema.getAsJsonObject("properties");
        object.add("metadata", metadata(properties.getAsJsonObject("metadata")));
        for (String part : List.of("spec", "status")) {
            if (!isOdd()) {
                object.add(part, value(properties.getAsJsonObject(part)));
            }
        }
        if (isOdd()) {
            object.add(pick(KEYS), scalars.any());
        }
        return object;
    }

    private JsonObject metadata(JsonObject schema) {
        JsonObject metadata = new JsonObject();
        JsonObject name = schema.has("properties")
                ? schema.getAsJsonObject("properties").getAsJsonObject("name")
                : new JsonObject();
        metadata.addProperty("name", isOdd() ? pick(List.of("1a", "a.b", "-a", "é", "a".repeat(64))) : "a");
        if (isOdd() && name.has("maxLength")) {
            metadata.addProperty("name", "a".repeat(name.get("maxLength").getAsInt() + random.nextInt(2)));
        }
        if (isOdd()) {
            metadata.add(pick(List.of("labels", "annotations", "unknown", "finalizers")), scalars.any());
        }
        return metadata;
    }

    private JsonElement value(JsonObject schema) {
        if (isOdd()) {
            return switch (random.nextInt(4)) {
                case 0 -> JsonNull.INSTANCE;
                case 1 -> scalars.any();
                default -> oddOne(schema);
            };
        }
        return switch (type(schema)) {
            case "object" -> object(schema);
            case "array" -> array(schema, size(schema, "minItems", "maxItems"));
            case "" -> schema.has("x-kubernetes-int-or-string") ? scalars.intOrString(schema) : scalars.any();
            default -> scalars.fitting(schema);
        };
    }

    /** Of the type that is wanted, or about. */
    private JsonElement oddOne(JsonObject schema) {
        return switch (type(schema)) {
            case "object" -> oddObject(schema);
            case "array" -> oddArray(schema);
            default -> scalars.odd(schema);
        };
    }

    private JsonElement object(JsonObject schema) {
        JsonObject object = new JsonObject();
        if (schema.has("properties")) {
            Set<String> required = required(schema);
            for (Map.Entry<String, JsonElement> property :
                    schema.getAsJsonObject("properties").entrySet()) {
                if (required.contains(property.getKey()) || random.nextInt(5) < 2) {
                    object.add(property.getKey(), value(property.getValue().getAsJsonObject()));
                }
            }
        } else {
            JsonElement values = schema.get("additionalProperties");
            int size = size(schema, "minProperties", "maxProperties");
            for (String key : keys(size)) {
                object.add(key, values == null ? scalars.any() : value(values.getAsJsonObject()));
            }
        }
        return object;
    }

    private JsonElement oddObject(JsonObject schema) {
        JsonElement made = object(schema);
        JsonObject object = made.getAsJsonObject();
        List<String> fields = new ArrayList<>(object.keySet());
        if (schema.has("maxProperties") && random.nextBoolean()) {
            JsonElement values = schema.get("additionalProperties");
            keys(schema.get("maxProperties").getAsInt() + 1)
                    .forEach(key -> object.add(key, value(values.getAsJsonObject())));
        } else if (!fields.isEmpty() && random.nextBoolean()) {
            object.remove(pick(fields));
        } else if (!fields.isEmpty() && random.nextBoolean()) {
            object.add(pick(fields), JsonNull.INSTANCE);
        } else {
            object.add(pick(List.of("unknown", "a.b", "é", "", "apiVersion", "metadata", "spec")), scalars.any());
        }
        return object;
    }

    private JsonArray array(JsonObject schema, int size) {
        Set<JsonElement> items = new LinkedHashSet<>();
        JsonObject item = schema.getAsJsonObject("items");
        boolean unique = schema.has("x-kubernetes-list-type");
        List<JsonElement> all = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            JsonElement made = value(item);
            if (items.add(made) || !unique) {
                all.add(made);
            }
        }
        JsonArray array = new JsonArray();
        all.forEach(array::add);
        return array;
    }

    private JsonArray oddArray(JsonObject schema) {
        if (schema.has("maxItems") && random.nextInt(3) == 0) {
            return array(schema, schema.get("maxItems").getAsInt() + 1);
        }
        JsonArray array = array(schema, random.nextInt(4));
        if (!array.isEmpty() && random.nextBoolean()) {
            array.add(array.get(random.nextInt(array.size())).deepCopy());
        } else if (!array.isEmpty()) {
            array.set(random.nextInt(array.size()), JsonNull.INSTANCE);
        }
        return array;
    }

    private int size(JsonObject schema, String min, String max) {
        int from = schema.has(min) ? schema.get(min).getAsInt() : 0;
        int to = schema.has(max) ? schema.get(max).getAsInt() : 3;
        return from + random.nextInt(to - from + 1);
    }

    private List<String> keys(int size) {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            keys.add(i < KEYS.size() ? KEYS.get(random.nextInt(KEYS.size())) : "key" + i);
        }
        return keys;
    }

    private static Set<String> required(JsonObject schema) {
        Set<String> required = new LinkedHashSet<>();
        if (schema.has("required")) {
            schema.getAsJsonArray("required").forEach(name -> required.add(name.getAsString()));
        }
        return required;
    }

    private static String type(JsonObject schema) {
        JsonElement type = schema.get("type");
        return type instanceof JsonPrimitive text ? text.getAsString() : "";
    }

    private boolean isOdd() {
        return random.nextInt(100) < odd;
    }

    private <T> T pick(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }
}
