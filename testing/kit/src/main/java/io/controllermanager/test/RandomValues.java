package io.controllermanager.test;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.github.curiousoddman.rgxgen.RgxGen;
import com.github.curiousoddman.rgxgen.config.RgxGenOption;
import com.github.curiousoddman.rgxgen.config.RgxGenProperties;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.schema.Validator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Random;

/** Random values that a schema takes, but for its rules in CEL. Each is tried by itself until it fits its own limits. */
final class RandomValues {

    private static final int TRIES = 1_000;

    /** How much longer than it must be something gets, so that objects can be read by people. */
    private static final int MORE = 4;

    private static final int[] CHARACTERS = "abcxyzAZ0189 -_./:,\"'\\{}\n\u00e4\u00df\u6f22\ud83d\ude42"
            .codePoints()
            .toArray();

    /** Texts of formats, as patterns. Of a format that is not here, any text is tried. */
    private static final Map<String, String> FORMATS = Map.ofEntries(
            Map.entry("date-time", "20[0-9]{2}-0[1-9]-[12][0-9]T[01][0-9]:[0-5][0-9]:[0-5][0-9]Z"),
            Map.entry("date", "20[0-9]{2}-0[1-9]-[12][0-9]"),
            Map.entry("duration", "[1-9][0-9]?(ms|s|m|h)"),
            Map.entry("byte", "([A-Za-z0-9+/]{4}){0,3}"),
            Map.entry("uuid", "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}"),
            Map.entry("ipv4", "(10|192)\\.[1-9][0-9]\\.[1-9]\\.[1-9][0-9]"),
            Map.entry("ipv6", "fd00:[1-9a-f]{4}::[1-9a-f]{1,4}"),
            Map.entry("cidr", "10\\.[1-9][0-9]\\.0\\.0/(16|20|24)"),
            Map.entry("mac", "02(:[0-9a-f]{2}){5}"),
            Map.entry("hostname", "[a-z]{1,5}(\\.[a-z]{2,5}){1,2}"),
            Map.entry("email", "[a-z]{1,8}@[a-z]{1,5}\\.example"),
            Map.entry("uri", "https://[a-z]{1,5}\\.example/[a-z]{0,5}"));

    private final Random random;
    private final Map<String, RgxGen> texts = new HashMap<>();
    private final IdentityHashMap<JsonNode, Validator> validators = new IdentityHashMap<>();

    RandomValues(Random random) {
        this.random = random;
    }

    /**
     * A value.
     *
     * @throws IllegalArgumentException if none is found
     */
    JsonNode of(JsonNode schema) {
        Validator validator = validators.computeIfAbsent(schema, given -> new Validator(given, false));
        for (int i = 0; i < TRIES; i++) {
            JsonNode value = any(schema);
            if (validator.validate(value, null).isEmpty()) {
                return value;
            }
        }
        throw new IllegalArgumentException("no random value fits " + schema);
    }

    private JsonNode any(JsonNode schema) {
        JsonNode constants = schema.path("enum");
        if (schema.path("nullable").asBoolean() && random.nextInt(MORE) == 0) {
            return NullNode.getInstance();
        } else if (!constants.isEmpty()) {
            return constants.get(random.nextInt(constants.size()));
        }
        boolean either = schema.path("x-kubernetes-int-or-string").asBoolean();
        return switch (either && random.nextBoolean()
                ? "integer"
                : schema.path("type").asText()) {
            case "object" -> object(schema);
            case "array" -> array(schema);
            case "integer" -> LongNode.valueOf(whole(schema));
            case "number" -> DoubleNode.valueOf(whole(schema) + random.nextInt(MORE) / (double) MORE);
            case "boolean" -> BooleanNode.valueOf(random.nextBoolean());
            default -> TextNode.valueOf(text(schema));
        };
    }

    private ObjectNode object(JsonNode schema) {
        ObjectNode object = Json.object();
        schema.path("properties").properties().forEach(property -> {
            if (Json.texts(schema.path("required")).contains(property.getKey()) || random.nextInt(MORE) > 0) {
                object.set(property.getKey(), of(property.getValue()));
            }
        });
        for (int i = schema.path("additionalProperties").isObject() ? count(schema, "Properties") : 0; i > 0; i--) {
            object.set("key-" + random.nextInt(MORE * MORE), of(schema.path("additionalProperties")));
        }
        return object;
    }

    private ArrayNode array(JsonNode schema) {
        Map<Object, JsonNode> items = new HashMap<>();
        for (int i = count(schema, "Items"); i > 0; i--) {
            JsonNode item = of(schema.path("items"));
            items.putIfAbsent(
                    switch (schema.path("x-kubernetes-list-type").asText()) {
                        case "set" -> item;
                        case "map" ->
                            Json.texts(schema.path("x-kubernetes-list-map-keys")).stream()
                                    .map(item::path)
                                    .toList();
                        default -> i;
                    },
                    item);
        }
        return Json.array().addAll(items.values());
    }

    private String text(JsonNode schema) {
        String pattern = schema.path("pattern")
                .asText(FORMATS.getOrDefault(schema.path("format").asText(), ""));
        for (JsonNode part : schema.path("allOf")) {
            String other = part.path("pattern").asText();
            pattern = other.length() > pattern.length() ? other : pattern;
        }
        if (!pattern.isEmpty()) {
            return texts.computeIfAbsent(pattern, RandomValues::generator).generate(random);
        }
        StringBuilder text = new StringBuilder();
        random.ints(count(schema, "Length"), 0, CHARACTERS.length).forEach(i -> text.appendCodePoint(CHARACTERS[i]));
        return text.toString();
    }

    private static RgxGen generator(String pattern) {
        RgxGenProperties properties = new RgxGenProperties();
        RgxGenOption.INFINITE_PATTERN_REPETITION.setInProperties(properties, MORE);
        return RgxGen.parse(properties, pattern);
    }

    private int count(JsonNode schema, String what) {
        int least = schema.path("min" + what).asInt();
        return least + random.nextInt(Math.min(MORE, schema.path("max" + what).asInt(MORE + least) - least) + 1);
    }

    /** A small number as often as one of all that the format has, so that a narrower one is found out. */
    private long whole(JsonNode schema) {
        boolean narrow = schema.path("format").asText().matches("int32|float")
                || schema.path("type").isMissingNode();
        long least = schema.path("minimum").asLong(narrow ? Integer.MIN_VALUE : -(1L << 53));
        long most = schema.path("maximum").asLong(narrow ? Integer.MAX_VALUE : 1L << 53);
        long small = Math.min(most, Math.max(least, random.nextInt(MORE * MORE)));
        return random.nextBoolean() || least > most ? small : random.nextLong(least, most + 1);
    }
}
