package io.controllermanager.testing.apiserver.schema;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.testing.apiserver.http.StatusException.Cause;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Judges numbers and formats as Go does, which JSON schema leaves open (kube-openapi, pkg/validation/validate/type.go and
 * values.go).
 */
final class Scalars {

    /** Beyond this float64 leaves integers out (swag, IsFloat64AJSONInteger). */
    private static final double LARGEST_WHOLE = (1L << 53) - 1;

    /** A cause, and where it is: names of fields and indexes of lists from the root on. */
    record Finding(List<Object> path, Cause cause) {}

    private final List<Finding> findings = new ArrayList<>();
    private final boolean statusApart;

    private Scalars(boolean statusApart) {
        this.statusApart = statusApart;
    }

    /** What is wrong with the numbers and texts in an object, but for what JSON schema has a keyword for. */
    static List<Finding> judge(JsonNode object, JsonNode schema, boolean statusApart) {
        Scalars scalars = new Scalars(statusApart);
        scalars.walk(new ArrayList<>(), object, schema);
        return scalars.findings;
    }

    private void walk(List<Object> path, JsonNode value, JsonNode schema) {
        boolean isInteger = schema.path("type").asText().equals("integer")
                || schema.path("x-kubernetes-int-or-string").asBoolean();
        if (value.isNumber() && isInteger) {
            integer(path, value, schema);
        } else if (value.isTextual()
                && schema.path("type").asText().equals("string")
                && !Formats.matches(schema.path("format").asText(), value.asText())) {
            add(
                    path,
                    "FieldValueTypeInvalid",
                    value + ": " + body(path) + "must be of type "
                            + schema.path("format").asText() + ": " + value);
        }
        for (Map.Entry<String, JsonNode> field : value.properties()) {
            JsonNode property = schema.path("properties").path(field.getKey());
            step(
                    path,
                    field.getKey(),
                    field.getValue(),
                    property.isObject() ? property : schema.path("additionalProperties"));
        }
        for (int i = 0; i < value.size() && value.isArray(); i++) {
            step(path, i, value.path(i), schema.path("items"));
        }
    }

    private void step(List<Object> path, Object step, JsonNode value, JsonNode schema) {
        if (schema.isObject()) {
            path.add(step);
            walk(path, value, schema);
            path.remove(path.size() - 1);
        }
    }

    private void integer(List<Object> path, JsonNode value, JsonNode schema) {
        String format = schema.path("format").asText();
        boolean narrow = format.equals("int32");
        double number = value.asDouble();
        boolean whole = value.isIntegralNumber() || number == Math.rint(number);
        boolean fits = value.isIntegralNumber()
                ? !narrow || value.canConvertToInt()
                // The library parses the shortest text of the number, and that of the lowest long is
                // -9223372036854776000.
                : whole
                        && (narrow
                                ? number >= Integer.MIN_VALUE && number <= Integer.MAX_VALUE
                                : number > Long.MIN_VALUE && number < 0x1p63);
        if (!value.isIntegralNumber() && whole && Math.abs(number) > LARGEST_WHOLE) {
            String kind = "\"float64\"";
            add(
                    path,
                    "FieldValueTypeInvalid",
                    kind + ": " + body(path) + "must be of type " + (format.isEmpty() ? "integer" : format) + ": "
                            + kind);
        }
        if (!fits) {
            // The real server does not say of what field, but in words.
            findings.add(new Finding(
                    List.copyOf(path),
                    new Cause(
                            "FieldValueInvalid",
                            "Invalid value: \"\": Checked value must be of type integer "
                                    + (format.isEmpty() ? "(default format)" : "with format " + format) + " in "
                                    + Validator.path(path),
                            statusApart && path.get(0).equals("status") ? "status" : "<nil>")));
        }
        if (!whole) {
            // The library compares integers, whatever the value is.
            if (schema.has("minimum")
                    && number < schema.path("minimum").asDouble()
                    && Math.ceil(number) >= schema.path("minimum").asDouble()) {
                add(
                        path,
                        "FieldValueInvalid",
                        value + ": " + body(path) + "should be greater than or equal to " + schema.path("minimum"));
            }
            if (schema.has("maximum")
                    && number > schema.path("maximum").asDouble()
                    && Math.floor(number) <= schema.path("maximum").asDouble()) {
                add(
                        path,
                        "FieldValueInvalid",
                        value + ": " + body(path) + "should be less than or equal to " + schema.path("maximum"));
            }
        }
    }

    private static String body(List<Object> path) {
        return path.isEmpty() ? "" : Validator.path(path) + " in body ";
    }

    private void add(List<Object> path, String reason, String what) {
        findings.add(new Finding(List.copyOf(path), new Cause(reason, "Invalid value: " + what, Validator.path(path))));
    }
}
