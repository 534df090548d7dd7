package io.controllermanager.testing.apiserver.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.re2j.Pattern;
import com.networknt.schema.JsonNodePath;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaException;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaValidatorsConfig;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import com.networknt.schema.regex.RegularExpression;
import io.controllermanager.testing.apiserver.http.StatusException.Cause;
import io.controllermanager.testing.apiserver.json.Json;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Judges objects by a CRD's schema: a JSON-schema library does it, its findings are put in Kubernetes' words. */
public final class Validator {

    /** What Kubernetes means by the format: Go's notation, and not ISO 8601's. */
    private static final String DURATION = "^[-+]?(0|(([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|ms|s|m|h))+)$";

    private final JsonSchema schema;
    private final ObjectNode structural;

    /**
     * Judges by one schema.
     *
     * @param structural a CRD's schema
     * @throws JsonSchemaException for a schema that makes no sense
     */
    public Validator(ObjectNode structural) {
        this.structural = structural;
        SchemaValidatorsConfig config = SchemaValidatorsConfig.builder()
                .formatAssertionsEnabled(true)
                .regularExpressionFactory(Validator::regex)
                .build();
        schema =
                JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012).getSchema(translate(structural), config);
        // The factory did so too, but kept to itself what is wrong.
        schema.initializeValidators();
    }

    /** Go's regular expressions, which are not Java's. */
    private static RegularExpression regex(String pattern) {
        Pattern compiled = Pattern.compile(pattern);
        return value -> compiled.matcher(value).find();
    }

    /**
     * What is wrong with an object, but in values that an update leaves alone (KEP-4008).
     *
     * @param before its state until now; null for one that is created
     */
    public List<Cause> validate(JsonNode object, @Nullable JsonNode before) {
        List<Cause> causes = new ArrayList<>();
        for (ValidationMessage message : schema.validate(object)) {
            Cause cause = cause(message);
            if (!causes.contains(cause) && !(before != null && isOld(message, object, before))) {
                causes.add(cause);
            }
        }
        Collections.sort(causes, Comparator.comparing(Cause::field));
        return causes;
    }

    private boolean isOld(ValidationMessage message, JsonNode object, JsonNode before) {
        List<Object> path = new ArrayList<>();
        JsonNodePath location = message.getInstanceLocation();
        for (int i = 0; i < location.getNameCount(); i++) {
            path.add(location.getElement(i));
        }
        return Correlation.isUnchanged(structural, object, before, path);
    }

    /** What OpenAPI v3 and Kubernetes' extensions say in ways of their own, said in JSON schema's. */
    private static JsonNode translate(JsonNode node) {
        if (node instanceof ArrayNode array) {
            ArrayNode translated = Json.array();
            array.forEach(item -> translated.add(translate(item)));
            return translated;
        }
        if (!(node instanceof ObjectNode object)) {
            return node;
        }
        ObjectNode translated = Json.object();
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            switch (field.getKey()) {
                case "default", "description", "example", "title", "nullable" -> {}
                case "enum" -> translated.set("enum", field.getValue());
                case "properties" -> {
                    ObjectNode properties = translated.putObject("properties");
                    field.getValue().properties().forEach(p -> properties.set(p.getKey(), translate(p.getValue())));
                }
                case "exclusiveMinimum", "exclusiveMaximum" -> exclusive(translated, object, field.getKey());
                case "minimum", "maximum" -> {
                    if (!object.path("exclusive" + capital(field.getKey())).asBoolean()) {
                        translated.set(field.getKey(), field.getValue());
                    }
                }
                default -> {
                    // What Kubernetes adds is said below or judged elsewhere; the library would warn of it.
                    if (!field.getKey().startsWith("x-kubernetes-")) {
                        translated.set(field.getKey(), translate(field.getValue()));
                    }
                }
            }
        }
        if (object.path("format").asText().equals("duration")) {
            translated.remove("format");
            translated.withArray("allOf").addObject().put("pattern", DURATION);
        }
        if (object.path("x-kubernetes-int-or-string").asBoolean()) {
            translated.putArray("type").add("integer").add("string");
        }
        if (object.path("nullable").asBoolean() && translated.has("type")) {
            ArrayNode types = Json.array().add("null");
            JsonNode type = translated.path("type");
            if (type.isArray()) {
                type.forEach(types::add);
            } else {
                types.add(type);
            }
            translated.set("type", types);
        }
        return translated;
    }

    private static void exclusive(ObjectNode translated, ObjectNode object, String keyword) {
        if (object.path(keyword).asBoolean()) {
            translated.set(keyword, object.path(keyword.equals("exclusiveMinimum") ? "minimum" : "maximum"));
        }
    }

    private static String capital(String word) {
        return Character.toUpperCase(word.charAt(0)) + word.substring(1);
    }

    private static Cause cause(ValidationMessage message) {
        String field = path(message.getInstanceLocation());
        JsonNode value = message.getInstanceNode();
        JsonNode limit = message.getSchemaNode();
        String invalid = "Invalid value: " + quoted(value) + ": ";
        String body = field.isEmpty() ? "" : field + " in body ";
        return switch (message.getType()) {
            case "required" ->
                new Cause(
                        "FieldValueRequired",
                        "Required value",
                        field.isEmpty() ? message.getProperty() : field + "." + message.getProperty());
            case "type" ->
                new Cause(
                        "FieldValueTypeInvalid",
                        "Invalid value: " + quoted(kind(value)) + ": " + body + "must be of type " + type(limit) + ": "
                                + quoted(kind(value)),
                        field);
            case "enum" ->
                new Cause(
                        "FieldValueNotSupported",
                        "Unsupported value: " + quoted(value) + ": supported values: " + values(limit),
                        field);
            case "minimum" -> bad(field, invalid + body + "should be greater than or equal to " + limit.asText());
            case "maximum" -> bad(field, invalid + body + "should be less than or equal to " + limit.asText());
            case "exclusiveMinimum" -> bad(field, invalid + body + "should be greater than " + limit.asText());
            case "exclusiveMaximum" -> bad(field, invalid + body + "should be less than " + limit.asText());
            case "pattern" -> bad(field, invalid + body + "should match '" + limit.asText() + "'");
            case "minLength" -> bad(field, invalid + body + "should be at least " + limit.asText() + " chars long");
            case "maxLength" ->
                new Cause("FieldValueTooLong", "Too long: may not be more than " + limit.asText() + " bytes", field);
            case "maxItems" ->
                new Cause(
                        "FieldValueTooMany",
                        "Too many: " + value.size() + ": must have at most " + limit.asText() + " items",
                        field);
            case "minItems" -> bad(field, invalid + body + "should have at least " + limit.asText() + " items");
            default -> bad(field, invalid + message.getMessage());
        };
    }

    private static Cause bad(String field, String message) {
        return new Cause("FieldValueInvalid", message, field);
    }

    private static String path(JsonNodePath location) {
        StringBuilder path = new StringBuilder();
        for (int i = 0; i < location.getNameCount(); i++) {
            Object element = location.getElement(i);
            if (element instanceof Integer) {
                path.append('[').append(element).append(']');
            } else {
                path.append(path.isEmpty() ? "" : ".").append(element);
            }
        }
        return path.toString();
    }

    private static String type(JsonNode limit) {
        if (!limit.isArray()) {
            return limit.asText();
        }
        for (JsonNode type : limit) {
            if (!type.asText().equals("null")) {
                return type.asText();
            }
        }
        return "null";
    }

    private static String kind(@Nullable JsonNode value) {
        if (value == null || value.isNull()) {
            return "null";
        }
        return switch (value.getNodeType()) {
            case NUMBER -> value.isIntegralNumber() ? "integer" : "number";
            case STRING -> "string";
            case BOOLEAN -> "boolean";
            case ARRAY -> "array";
            default -> "object";
        };
    }

    private static String values(JsonNode list) {
        List<String> values = new ArrayList<>();
        list.forEach(value -> values.add(quoted(value)));
        return String.join(", ", values);
    }

    private static String quoted(@Nullable JsonNode value) {
        return value == null
                ? "null"
                : value.isContainerNode() ? value.toString() : value.isTextual() ? value.toString() : value.asText();
    }

    private static String quoted(String text) {
        return '"' + text + '"';
    }
}
