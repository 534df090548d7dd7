package io.controllermanager.crd;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Schemas as they stand in a CRD: maps by keyword, in the order in which people read them. Those given out by {@link #ordered}
 * do not change any more.
 */
final class Schema {

    static final String PRESERVE = "x-kubernetes-preserve-unknown-fields";
    static final String INT_OR_STRING = "x-kubernetes-int-or-string";
    static final String LIST_TYPE = "x-kubernetes-list-type";
    static final String LIST_MAP_KEYS = "x-kubernetes-list-map-keys";
    static final String MAP_TYPE = "x-kubernetes-map-type";
    /** Stands for the schema of a field that has none, with the exception that says why. */
    static final String INVALID = "invalid";

    static final String RULES = "x-kubernetes-validations";

    private static final List<String> ORDER = List.of(
            "description",
            "type",
            "format",
            "nullable",
            "default",
            "enum",
            "minimum",
            "exclusiveMinimum",
            "maximum",
            "exclusiveMaximum",
            "minLength",
            "maxLength",
            "pattern",
            "minItems",
            "maxItems",
            "minProperties",
            "maxProperties",
            "required",
            "properties",
            "additionalProperties",
            "anyOf",
            "allOf",
            LIST_TYPE,
            LIST_MAP_KEYS,
            MAP_TYPE,
            INT_OR_STRING,
            PRESERVE,
            "items",
            RULES);

    private Schema() {}

    /** A schema of one keyword. */
    static Map<String, Object> of(String keyword, Object value) {
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put(keyword, value);
        return schema;
    }

    static Map<String, Object> type(String type) {
        return of("type", type);
    }

    static Map<String, Object> type(String type, String format) {
        Map<String, Object> schema = type(type);
        schema.put("format", format);
        return schema;
    }

    /** The type, empty where there is none. */
    static String typeOf(Map<String, Object> schema) {
        return schema.get("type") instanceof String type ? type : "";
    }

    /** What stands under a keyword, null unless it is an object. */
    @SuppressWarnings("unchecked")
    static @Nullable Map<String, Object> child(Map<String, Object> schema, String keyword) {
        return schema.get(keyword) instanceof Map<?, ?> map ? (Map<String, Object>) map : null;
    }

    /** What stands under a keyword, empty unless it is an object. */
    static Map<String, Object> members(Map<String, Object> schema, String keyword) {
        Map<String, Object> child = child(schema, keyword);
        return child == null ? Map.of() : child;
    }

    /** The list under a keyword, empty if there is none. */
    static List<?> list(Map<String, Object> schema, String keyword) {
        return schema.get(keyword) instanceof List<?> list ? list : List.of();
    }

    /** Puts a text, a list or an object that is not empty. */
    static void putGiven(Map<String, Object> schema, String keyword, Object value) {
        if (!value.equals("") && !value.equals(List.of()) && !value.equals(Map.of())) {
            schema.put(keyword, value);
        }
    }

    /** Adds to the list under a keyword. */
    static void add(Map<String, Object> schema, String keyword, Object item) {
        List<Object> items = new ArrayList<>(list(schema, keyword));
        items.add(item);
        schema.put(keyword, List.copyOf(items));
    }

    /** A copy in the order of keywords. */
    static Map<String, Object> ordered(Map<String, Object> schema) {
        Map<String, Object> ordered =
                new TreeMap<>(Comparator.<String>comparingInt(Schema::rank).thenComparing(Comparator.naturalOrder()));
        ordered.putAll(schema);
        return Collections.unmodifiableMap(new LinkedHashMap<>(ordered));
    }

    private static int rank(String keyword) {
        int place = ORDER.indexOf(keyword);
        return place < 0 ? ORDER.size() : place;
    }

    /** As YAML is read: an Integer, a Long if it must be, a Double for what is no whole number. */
    static Number number(BigDecimal value) {
        if (value.stripTrailingZeros().scale() > 0) {
            return value.doubleValue();
        }
        int bits = value.toBigIntegerExact().bitLength();
        if (bits < Integer.SIZE) {
            return value.intValueExact();
        }
        return bits < Long.SIZE ? (Number) value.longValueExact() : (Number) value.doubleValue();
    }
}
