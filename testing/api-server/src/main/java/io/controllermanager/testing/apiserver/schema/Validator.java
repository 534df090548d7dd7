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
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Judges objects by a CRD's schema: a JSON-schema library does it, its findings are put in Kubernetes' words. */
public final class Validator {

    private final JsonSchema schema;
    private final ObjectNode structural;
    private final boolean statusApart;

    /**
     * Judges by one schema.
     *
     * @param structural a CRD's schema
     * @param statusApart whether the status is written by a subresource, so that it is judged by itself
     * @throws JsonSchemaException for a schema that makes no sense
     */
    public Validator(ObjectNode structural, boolean statusApart) {
        this.structural = structural;
        this.statusApart = statusApart;
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
        Set<ValidationMessage> messages = schema.validate(object);
        for (ValidationMessage message : messages) {
            boolean isLeftOut =
                    message.getType().equals("pattern") && isLengthWrong(messages, message.getInstanceLocation());
            if (isLeftOut || isWithinWholeLimit(message)) {
                continue;
            }
            Cause cause = cause(message);
            if (!causes.contains(cause) && !isOld(steps(message.getInstanceLocation()), object, before)) {
                causes.add(cause);
            }
        }
        for (Scalars.Finding finding : Scalars.judge(object, structural, statusApart)) {
            if (!isOld(finding.path(), object, before)) {
                causes.add(finding.cause());
            }
        }
        Collections.sort(causes, Comparator.comparing(Cause::field));
        return causes;
    }

    /** Then the real server does not look at the pattern. */
    private static boolean isLengthWrong(Set<ValidationMessage> messages, JsonNodePath location) {
        return messages.stream()
                .anyMatch(message -> Set.of("maxLength", "minLength").contains(message.getType())
                        && message.getInstanceLocation().equals(location));
    }

    /** The real server compares integers with limits of which it has cut off the fraction. */
    private static boolean isWithinWholeLimit(ValidationMessage message) {
        JsonNode value = message.getInstanceNode();
        if (value == null
                || !value.isIntegralNumber()
                || message.getSchemaNode().isIntegralNumber()) {
            return false;
        }
        long limit = message.getSchemaNode().asLong();
        return switch (message.getType()) {
            case "minimum" -> value.asLong() >= limit;
            case "maximum" -> value.asLong() <= limit;
            case "exclusiveMinimum" -> value.asLong() > limit;
            case "exclusiveMaximum" -> value.asLong() < limit;
            default -> false;
        };
    }

    private boolean isOld(List<Object> path, JsonNode object, @Nullable JsonNode before) {
        return before != null && Correlation.isUnchanged(structural, object, before, path);
    }

    private static List<Object> steps(JsonNodePath location) {
        List<Object> path = new ArrayList<>();
        for (int i = 0; i < location.getNameCount(); i++) {
            path.add(location.getElement(i));
        }
        return path;
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
        if (Formats.NAMES.contains(object.path("format").asText())) {
            translated.remove("format");
        }
        if (Formats.takesLists(object)) {
            translated.putArray("type").add("string").add("array");
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
        String field = path(steps(message.getInstanceLocation()));
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
            case "maxItems", "maxProperties" ->
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

    /** A path as causes have it. */
    static String path(List<Object> steps) {
        StringBuilder path = new StringBuilder();
        for (Object step : steps) {
            if (step instanceof Integer) {
                path.append('[').append(step).append(']');
            } else {
                path.append(path.isEmpty() ? "" : ".").append(step);
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
