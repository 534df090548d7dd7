package io.controllermanager.crd;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Makes strings, numbers and booleans for {@link RandomObjects}. For one thread. */
final class RandomScalars {

    /** What patterns and rules may like, and what may look so. */
    private static final List<String> TEXTS = List.of(
            "a",
            "a.b",
            "a_b",
            "A",
            " ",
            "",
            "localhost",
            "TCP",
            "UDP",
            "TCPUDP",
            "RW",
            "True",
            "1",
            "25%",
            "1500m",
            "1e3",
            "1Ki",
            "-1",
            "+1.5",
            "much",
            "10.0.0.0/8",
            "10.0.0.1/8",
            "10.0.0.1",
            "10.0.0.0",
            "10.255.255.255",
            "11.0.0.1",
            "192.168.0.0/31",
            "192.168.0.0",
            "192.168.0.1/32",
            "192.168.0.1",
            "0.0.0.0/0",
            "::/0",
            "fd00:1::/64",
            "fd00:1::1",
            "FD00:1::1",
            "fd00:1::",
            "fd00:1::1/127",
            "fd00:1::1/128",
            "::ffff:10.0.0.1",
            "010.0.0.1",
            "fe80::1%eth0",
            "10.0.0.0/08",
            "10.0.0.0/33",
            "é",
            "𝒳",
            "e\u0301",
            "a\n",
            "\u0000",
            "\u2028",
            "null",
            "true",
            "a@b.c",
            "a@b",
            "none",
            "A <a@b.c>",
            "x".repeat(64) + "@b.c");

    private static final List<String> DATES = List.of(
            "2026-01-01T00:00:00Z",
            "2026-01-01T00:00:00.123456789Z",
            "2026-01-01T00:00:00+01:00",
            "2024-02-29T23:59:59Z",
            "0001-01-01T00:00:00Z",
            "9999-12-31T23:59:59Z");

    private static final List<String> ODD_DATES = List.of(
            "2026-01-01",
            "2026-01-01T00:00:00",
            "2026-01-01t00:00:00z",
            "2026-01-01 00:00:00Z",
            "2025-02-29T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-12-31T23:59:60Z",
            "2026-01-01T00:00:00,5Z",
            "2026-1-1T00:00:00Z",
            "today",
            "",
            "2026-01-01T00:00:00+24:00",
            "2026-01-01T00:00:00+0100",
            "20260101T000000Z",
            "2026-01-01T00:00Z");

    private static final List<String> BASE64 = List.of("", "YQ==", "AAECAw==", "/+8=");
    private static final List<String> ODD_BASE64 = List.of("YQ", "YQ=", "_-8=", "Y Q==", "YQ==\n", "*", "YR==");

    private static final List<String> NUMBERS = List.of(
            "0",
            "1",
            "-1",
            "1.0",
            "1e0",
            "1e2",
            "1E2",
            "1.5",
            "-0",
            "-0.0",
            "0.1",
            "1e-7",
            "2147483647",
            "2147483648",
            "-2147483649",
            "9007199254740993",
            "9223372036854775807",
            "9223372036854775808",
            "-9223372036854775809",
            "1e19",
            "123456789012345678901234567890",
            "1.7976931348623157e308",
            "0.30000000000000004",
            "100e-2");

    private final Random random;

    RandomScalars(Random random) {
        this.random = random;
    }

    /** Anything that JSON has. */
    JsonElement any() {
        return switch (random.nextInt(8)) {
            case 0 -> JsonNull.INSTANCE;
            case 1 -> new JsonPrimitive(random.nextBoolean());
            case 2 -> new JsonArray();
            case 3 -> new JsonObject();
            case 4 -> {
                JsonArray list = new JsonArray();
                list.add(any());
                yield list;
            }
            case 5 -> {
                JsonObject object = new JsonObject();
                object.add(pick(TEXTS), any());
                yield object;
            }
            case 6 -> number();
            default -> text();
        };
    }

    /** A value of the schema's type, within its limits if that is easy. */
    JsonElement fitting(JsonObject schema) {
        if (schema.has("enum")) {
            return schema.getAsJsonArray("enum")
                    .get(random.nextInt(schema.getAsJsonArray("enum").size()));
        }
        return switch (schema.get("type").getAsString()) {
            case "integer" -> number(within(schema, BigDecimal.ONE));
            case "number" -> number(within(schema, new BigDecimal("0.5")));
            case "boolean" -> new JsonPrimitive(random.nextBoolean());
            default -> new JsonPrimitive(fittingText(schema));
        };
    }

    JsonElement intOrString(JsonObject schema) {
        return random.nextBoolean()
                ? number(Integer.toString(random.nextInt(100)))
                : new JsonPrimitive(fittingText(schema));
    }

    /** A value that misses a limit by one, or is unusual in another way. */
    JsonElement odd(JsonObject schema) {
        String type = schema.has("type") ? schema.get("type").getAsString() : "";
        return switch (type) {
            case "integer", "number" ->
                random.nextInt(3) > 0 && (schema.has("minimum") || schema.has("maximum"))
                        ? number(beyond(schema))
                        : number();
            case "string" -> new JsonPrimitive(oddText(schema));
            case "" -> random.nextBoolean() ? number() : text();
            default -> any();
        };
    }

    private String within(JsonObject schema, BigDecimal by) {
        List<BigDecimal> edges = new ArrayList<>();
        if (schema.has("minimum")) {
            edges.add(schema.get("minimum").getAsBigDecimal());
            edges.add(schema.get("minimum").getAsBigDecimal().add(by));
        }
        if (schema.has("maximum")) {
            edges.add(schema.get("maximum").getAsBigDecimal().subtract(by));
            if (!schema.has("exclusiveMaximum")) {
                edges.add(schema.get("maximum").getAsBigDecimal());
            }
        }
        return edges.isEmpty()
                ? Integer.toString(random.nextInt(20))
                : pick(edges).toPlainString();
    }

    private String beyond(JsonObject schema) {
        boolean low = schema.has("minimum") && (random.nextBoolean() || !schema.has("maximum"));
        BigDecimal limit = schema.get(low ? "minimum" : "maximum").getAsBigDecimal();
        BigDecimal by = pick(List.of(BigDecimal.ONE, new BigDecimal("0.001"), BigDecimal.ZERO));
        return (low ? limit.subtract(by) : limit.add(by)).toPlainString();
    }

    private String fittingText(JsonObject schema) {
        switch (schema.has("format") ? schema.get("format").getAsString() : "") {
            case "date-time" -> {
                return pick(DATES);
            }
            case "byte" -> {
                return pick(BASE64);
            }
            case "email" -> {
                return "a@b.c";
            }
            default -> {}
        }
        int max = schema.has("maxLength") ? schema.get("maxLength").getAsInt() : 20;
        int min = schema.has("minLength") ? schema.get("minLength").getAsInt() : 0;
        if (random.nextInt(8) == 0 && max < 400) {
            String edge = (schema.has("pattern") ? "a" : pick(List.of("a", "é", "𝒳"))).repeat(max);
            if (matches(schema, edge)) {
                return edge;
            }
        }
        List<String> fitting = TEXTS.stream()
                .filter(text -> matches(schema, text))
                .filter(text -> min <= length(text) && length(text) <= max)
                .toList();
        return fitting.isEmpty() ? "" : pick(fitting);
    }

    private String oddText(JsonObject schema) {
        String format = schema.has("format") ? schema.get("format").getAsString() : "";
        List<String> odd = switch (format) {
            case "date-time" -> ODD_DATES;
            case "byte" -> ODD_BASE64;
            default -> TEXTS;
        };
        int max = schema.has("maxLength") ? schema.get("maxLength").getAsInt() : 0;
        return max > 0 && max < 400 && random.nextBoolean()
                ? pick(List.of("a", "é", "𝒳")).repeat(max + random.nextInt(2))
                : pick(odd);
    }

    private static boolean matches(JsonObject schema, String text) {
        return Stream.of("pattern")
                .filter(schema::has)
                .allMatch(name -> Pattern.compile(schema.get(name).getAsString())
                        .matcher(text)
                        .find());
    }

    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }

    private JsonElement text() {
        return new JsonPrimitive(pick(TEXTS));
    }

    private JsonElement number() {
        return number(pick(NUMBERS));
    }

    /** Written as it is. */
    private static JsonElement number(String text) {
        return JsonParser.parseString(text);
    }

    private <T> T pick(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }
}
