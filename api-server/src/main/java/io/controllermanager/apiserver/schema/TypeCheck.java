package io.controllermanager.apiserver.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.http.StatusException.Cause;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Quantity;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What Go's decoder and the hand-written validation do with built-in types: a value of the wrong type is told of as the
 * decoder does, a required field as validation does.
 */
public final class TypeCheck {

    private static final Pattern MICRO_TIME =
            Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}(Z|[+-]\\d\\d:\\d\\d)");
    private static final Pattern TIME =
            Pattern.compile("\\d{4}-\\d\\d-\\d\\d[Tt]\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?([Zz]|[+-]\\d\\d:\\d\\d)");

    private TypeCheck() {}

    /**
     * Drops nulls and the fractions of seconds in times, as a typed decoder does, to which a null in a map or a list of
     * strings is the empty one, and writes quantities as Go does; tells of the first value that does not decode, or null.
     */
    public static @Nullable String decode(JsonNode value, Schema schema) {
        return decode("", value, schema);
    }

    private static @Nullable String decode(String path, JsonNode value, Schema schema) {
        if (value instanceof ObjectNode object) {
            List<String> nulls = new ArrayList<>();
            for (Map.Entry<String, JsonNode> field : object.properties()) {
                Schema under = schema.under(field.getKey());
                if (field.getValue().isNull() && under != null && under != Schema.ANY) {
                    if (schema.property(field.getKey()) == null && isText(under)) {
                        field.setValue(Json.text(""));
                    } else {
                        nulls.add(field.getKey());
                    }
                } else if (under != null) {
                    String wrong = decode(Schema.join(path, field.getKey()), field.getValue(), under);
                    if (wrong != null) {
                        return wrong;
                    }
                    String format = under.node().path("format").asText();
                    if (format.equals("date-time")) {
                        field.setValue(wholeSeconds(field.getValue()));
                    } else if (format.equals("quantity")) {
                        // What is in a map counts resources, in thousandths.
                        int places = schema.property(field.getKey()) == null ? 3 : 9;
                        field.setValue(Json.text(
                                Quantity.canonical(field.getValue().asText().strip(), places)));
                    }
                }
            }
            object.remove(nulls);
        }
        if (value instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                if (array.get(i).isNull() && isText(schema.items())) {
                    array.set(i, Json.text(""));
                }
                String wrong = decode(path, array.get(i), schema.items());
                if (wrong != null) {
                    return wrong;
                }
            }
        }
        return mismatch(path, value, schema);
    }

    private static boolean isText(Schema schema) {
        return schema.node().path("type").asText().equals("string");
    }

    private static JsonNode wholeSeconds(JsonNode time) {
        OffsetDateTime moment = OffsetDateTime.parse(time.asText().toUpperCase(Locale.ROOT));
        return Json.text(moment.toInstant().truncatedTo(ChronoUnit.SECONDS).toString());
    }

    private static @Nullable String mismatch(String path, JsonNode value, Schema schema) {
        String wanted = schema.node().path("type").asText("");
        String format = schema.node().path("format").asText("");
        boolean fits = switch (wanted) {
            case "string" -> value.isTextual();
            case "integer" ->
                format.equals("int32") ? value.canConvertToInt() && value.isIntegralNumber() : value.isIntegralNumber();
            case "number" -> value.isNumber();
            case "boolean" -> value.isBoolean();
            case "array" -> value.isArray();
            case "object" -> value.isObject();
            default ->
                !schema.node().path("x-kubernetes-int-or-string").asBoolean() || value.isTextual() || value.isNumber();
        };
        if (!fits) {
            return "json: cannot unmarshal " + GoTexts.kind(value) + " into Go struct field " + path + " of type "
                    + (format.isEmpty() ? wanted : format);
        }
        if ((format.equals("micro-time") && !MICRO_TIME.matcher(value.asText()).matches())
                || (format.equals("date-time") && !TIME.matcher(value.asText()).matches())) {
            String fraction = format.equals("micro-time") ? ".000000" : "";
            return "parsing time " + value + " as \"2006-01-02T15:04:05" + fraction + "Z07:00\"";
        }
        String wrong = format.equals("byte")
                ? GoTexts.ofBytes(value.asText())
                : format.equals("quantity") ? Quantity.wrong(value.asText().strip()) : "";
        return wrong.isEmpty() ? null : wrong;
    }

    /** The required fields that are not there or empty. */
    public static List<Cause> required(JsonNode value, Schema schema) {
        List<Cause> causes = new ArrayList<>();
        required("", value, schema, causes);
        return causes;
    }

    private static void required(String path, JsonNode value, Schema schema, List<Cause> causes) {
        if (value.isArray()) {
            for (int i = 0; i < value.size(); i++) {
                required(path + "[" + i + "]", value.get(i), schema.items(), causes);
            }
        }
        if (!(value instanceof ObjectNode object)) {
            return;
        }
        for (JsonNode name : schema.node().path("required")) {
            JsonNode field = object.path(name.asText());
            if (field.isMissingNode() || (field.isTextual() && field.asText().isEmpty())) {
                causes.add(Cause.required(Schema.join(path, name.asText()), ""));
            }
        }
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            Schema under = schema.property(field.getKey());
            if (under != null
                    && field.getValue().isContainerNode()
                    && !field.getKey().equals("status")) {
                required(Schema.join(path, field.getKey()), field.getValue(), under, causes);
            }
        }
    }
}
