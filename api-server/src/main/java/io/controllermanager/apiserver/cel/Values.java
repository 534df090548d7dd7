package io.controllermanager.apiserver.cel;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.Iterables;
import dev.cel.common.values.CelByteString;
import dev.cel.common.values.NullValue;
import io.controllermanager.apiserver.json.Json;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.threeten.extra.AmountFormats;

/** Objects as CEL sees them, and their equality (apiserver, pkg/cel/common/valuesunstructured.go). */
final class Values {

    private Values() {}

    /** A float64 where the schema has an integer: rules that use it fail. */
    private record Fraction(double value) {}

    /** A list whose order does not count when it is compared or added to: of keyed elements, or without keys a set. */
    static final class Unordered extends AbstractList<Object> {

        private final List<Object> elements;
        private final List<String> keys;

        Unordered(List<Object> elements, List<String> keys) {
            this.elements = List.copyOf(elements);
            this.keys = List.copyOf(keys);
        }

        @Override
        public Object get(int index) {
            return elements.get(index);
        }

        @Override
        public int size() {
            return elements.size();
        }

        private int find(List<Object> list, Object element) {
            return Iterables.indexOf(list, one -> equal(key(one), key(element)));
        }

        private Object key(Object element) {
            return keys.isEmpty() || !(element instanceof Map<?, ?> map)
                    ? element
                    : keys.stream()
                            .map(key -> map.containsKey(key) ? map.get(key) : NullValue.NULL_VALUE)
                            .toList();
        }

        private boolean equalTo(List<?> other) {
            return other.stream().allMatch(element -> {
                int at = find(elements, element);
                return at >= 0 && equal(elements.get(at), element);
            });
        }

        /** This list, with what is new in the other behind it, and what both have as the other has it. */
        private Unordered plus(List<?> others) {
            List<Object> sum = new ArrayList<>(elements);
            for (Object element : others) {
                int at = find(sum, element);
                if (at >= 0) {
                    sum.set(at, element);
                } else {
                    sum.add(element);
                }
            }
            return new Unordered(sum, keys);
        }
    }

    /** A schema that says nothing, of a value and of all in it. */
    private static final ObjectNode ANY = Json.object();

    static {
        ANY.<ObjectNode>set("items", ANY).set("additionalProperties", ANY);
    }

    /** A value of which no schema is known. */
    static Object of(JsonNode value) {
        return of(value, ANY);
    }

    /** A value that fits its schema. */
    static Object of(JsonNode value, JsonNode schema) {
        if (value.isNull()) {
            return NullValue.NULL_VALUE;
        } else if (value.isObject()) {
            return map(value, schema);
        } else if (value.isArray()) {
            List<Object> elements = new ArrayList<>();
            value.forEach(element -> elements.add(of(element, schema.path("items"))));
            List<String> keys = new ArrayList<>();
            schema.path("x-kubernetes-list-map-keys").forEach(key -> keys.add(Names.escape(key.asText())));
            return switch (schema.path("x-kubernetes-list-type").asText()) {
                case "map", "set" -> new Unordered(elements, keys);
                default -> elements;
            };
        } else if (value.isNumber()) {
            boolean integer = schema.path("type").asText().equals("integer")
                    || (!schema.path("type").asText().equals("number") && value.isIntegralNumber());
            if (integer && !value.isIntegralNumber()) {
                return new Fraction(value.asDouble());
            }
            return integer ? (Object) value.asLong() : (Object) value.asDouble();
        }
        return value.isBoolean() ? (Object) value.asBoolean() : text(value.asText(), schema);
    }

    private static Map<String, Object> map(JsonNode value, JsonNode schema) {
        Map<String, Object> map = new HashMap<>();
        JsonNode values = schema.path("additionalProperties");
        boolean isMap = values.isObject();
        value.properties().forEach(entry -> {
            JsonNode property = isMap ? values : schema.path("properties").path(entry.getKey());
            if (isMap) {
                map.put(entry.getKey(), of(entry.getValue(), property));
            } else if (!entry.getValue().isNull()) {
                // What the schema does not know counts when objects are compared, but no rule can name it.
                String field = property.isMissingNode() ? " " + entry.getKey() : Names.escape(entry.getKey());
                map.put(field, of(entry.getValue(), property));
            }
        });
        return map;
    }

    private static Object text(String text, JsonNode schema) {
        try {
            return switch (schema.path("format").asText()) {
                case "byte" -> CelByteString.of(Base64.getDecoder().decode(text));
                case "duration" -> AmountFormats.parseUnitBasedDuration(text);
                case "date" ->
                    LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant();
                case "date-time" -> OffsetDateTime.parse(text).toInstant();
                default -> text;
            };
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(
                    "invalid " + schema.path("format").asText() + " \"" + text + '"', e);
        }
    }

    /** What {@code ==} says. */
    static boolean equal(Object left, Object right) {
        if (left instanceof Fraction || right instanceof Fraction) {
            throw new IllegalArgumentException("invalid data, expected int, got float64");
        }
        if (left instanceof Unordered set && right instanceof List<?> list) {
            return set.size() == list.size() && set.equalTo(list);
        }
        if (left instanceof List<?> list && right instanceof List<?> other) {
            return list.size() == other.size()
                    && IntStream.range(0, list.size()).allMatch(i -> equal(list.get(i), other.get(i)));
        }
        if (left instanceof Map<?, ?> map && right instanceof Map<?, ?> other) {
            return map.size() == other.size()
                    && map.entrySet().stream()
                            .allMatch(entry -> other.containsKey(entry.getKey())
                                    && equal(entry.getValue(), other.get(entry.getKey())));
        }
        if (left instanceof Number && right instanceof Number && left.getClass() != right.getClass()) {
            return number(left).compareTo(number(right)) == 0;
        }
        return left.equals(right);
    }

    private static BigDecimal number(Object number) {
        return new BigDecimal(number.toString());
    }

    /** What {@code in} says of lists. */
    static boolean in(Object value, List<?> list) {
        return list.stream().anyMatch(element -> equal(element, value));
    }

    /** What {@code +} makes of two lists. */
    static List<?> concat(List<?> left, List<?> right) {
        if (left instanceof Unordered set) {
            return set.plus(right);
        }
        List<Object> sum = new ArrayList<>(left);
        sum.addAll(right);
        return sum;
    }
}
