package io.controllermanager.apiserver.schema;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.apiserver.json.Json;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Texts that Go's decoder takes for more than texts: bytes in Base64 (encoding/base64). */
public final class GoTexts {

    private static final Pattern BYTES = Pattern.compile(
            "([A-Za-z0-9+/]{4})*+([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?|(?<letters>[A-Za-z0-9+/]*).*", Pattern.DOTALL);

    private GoTexts() {}

    /** What is wrong with bytes; empty if nothing is. */
    static String ofBytes(String text) {
        String plain = text.replaceAll("[\r\n]", "");
        Matcher matcher = BYTES.matcher(plain);
        if (matcher.matches() && matcher.group("letters") == null) {
            return "";
        }
        int letters = matcher.end("letters");
        // The first that is no letter, or the begin of what is left at the end. Of wrong padding Go tells otherwise.
        return "illegal base64 data at input byte " + (letters < plain.length() ? letters : letters - letters % 4);
    }

    /** How many bytes there are in fields of a right form. */
    public static int countBytes(JsonNode fields) {
        return Json.list(fields).stream()
                .mapToInt(field -> field.asText().replaceAll("[\\x00- =]", "").length() * 3 / 4)
                .sum();
    }

    /** What a decoder of JSON calls a value. */
    public static String kind(JsonNode value) {
        return switch (value.getNodeType()) {
            case NUMBER -> value.isIntegralNumber() ? "number" : "number " + value.asText();
            case STRING -> "string";
            case BOOLEAN -> "bool";
            case ARRAY -> "array";
            default -> "object";
        };
    }
}
