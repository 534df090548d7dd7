package io.controllermanager.apiserver.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.Iterables;
import io.controllermanager.apiserver.json.Json;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A value in an object, and what it was before an update as far as a CRD's schema tells (KEP-4008).
 *
 * @param before its state until now; null where that is not known, or was null
 * @param isAroundUnchanged whether the nearest value around it of which that is known is as it was
 */
public record Correlation(
        String path,
        JsonNode value,
        JsonNode schema,
        @Nullable JsonNode before,
        BooleanSupplier isAroundUnchanged) {

    /** A whole object, which counts as changed. */
    public static Correlation of(JsonNode object, JsonNode schema, @Nullable JsonNode before) {
        return new Correlation("", object, schema, before, () -> false);
    }

    /** Whether it is as it was, or else what is around it. */
    public boolean isUnchanged() {
        return (before == null || path.isEmpty()) ? isAroundUnchanged.getAsBoolean() : same(schema, value, before);
    }

    /**
     * Shows what is in it.
     *
     * @param brackets whether a map's key stands in brackets; a property's name comes after a dot
     */
    public void within(boolean brackets, Consumer<Correlation> action) {
        value.properties().forEach(field -> {
            String name = field.getKey();
            boolean dot = !brackets || schema.path("properties").has(name);
            String at = dot ? Schema.join(path, name) : path + "[" + name + "]";
            JsonNode was = before == null ? null : before.get(name);
            action.accept(part(at, field.getValue(), under(schema, name), was));
        });
        for (int i = 0; value.isArray() && i < value.size(); i++) {
            JsonNode was = before == null ? null : former(schema, value.path(i), before);
            action.accept(part(path + "[" + i + "]", value.path(i), schema.path("items"), was));
        }
    }

    private Correlation part(String at, JsonNode part, JsonNode its, @Nullable JsonNode was) {
        return new Correlation(at, part, its, was == null || was.isNull() ? null : was, this::isUnchanged);
    }

    /** What an item of a list was before; null where lists do not tell. */
    private static @Nullable JsonNode former(JsonNode schema, JsonNode item, JsonNode before) {
        if (!schema.path("x-kubernetes-list-type").asText().equals("map")) {
            return null;
        }
        List<String> keys = Json.texts(schema.path("x-kubernetes-list-map-keys"));
        return Iterables.find(
                before, other -> keys.stream().allMatch(key -> other.path(key).equals(item.path(key))), null);
    }

    /** Whether a value is as it was, as far as the schema can tell (apiserver, pkg/cel/common/equality.go). */
    private static boolean same(JsonNode schema, JsonNode value, JsonNode before) {
        if (value.isArray() && schema.path("x-kubernetes-list-type").asText().equals("map")) {
            return value.size() == before.size()
                    && Iterables.all(value, item -> {
                        JsonNode former = former(schema, item, before);
                        return former != null && same(schema.path("items"), item, former);
                    });
        } else if (value.isObject() && before.isObject()) {
            return value.size() == before.size()
                    && Iterables.all(value.properties(), field -> {
                        JsonNode under = under(schema, field.getKey());
                        JsonNode former = before.get(field.getKey());
                        return former != null && under.isObject() && same(under, field.getValue(), former);
                    });
        }
        return value.equals(before);
    }

    /** The schema of a field. */
    private static JsonNode under(JsonNode schema, String name) {
        JsonNode property = schema.path("properties").path(name);
        return property.isObject() ? property : schema.path("additionalProperties");
    }
}
