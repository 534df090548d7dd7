package io.controllermanager.testing.apiserver.validation;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.testing.apiserver.json.Meta;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Says what is wrong with one value (for texts: apimachinery, util/validation/validation.go). */
@FunctionalInterface
interface Rule {

    Rule REQUIRED = (field, value, findings) -> {
        if (value.isEmpty() && value.asText("").isEmpty()) {
            findings.required(field, "");
        }
    };

    Rule NOT_NEGATIVE = (field, value, findings) -> {
        if (value.isNumber() && value.asLong() < 0) {
            findings.invalid(field, value, "must be greater than or equal to 0");
        }
    };

    Rule PORT = (field, value, findings) -> {
        if (value.isNumber() && (value.asInt() < 1 || value.asInt() > 65_535)) {
            findings.invalid(field, value, "must be between 1 and 65535, inclusive");
        }
    };

    Rule PORT_NAME = text(".{1,15}", "must be no more than 15 characters")
            .and(text("[-a-z0-9]+", "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"))
            .and(text(".*[a-z].*", "must contain at least one letter (a-z)"));

    Rule DNS_LABEL = text(".{1,63}", "must be no more than 63 characters")
            .and(text("(?!" + Meta.SUBDOMAIN + "$).*|" + Meta.LABEL, "must not contain dots"))
            .and(text(
                    Meta.LABEL + "|" + Meta.SUBDOMAIN,
                    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must"
                            + " start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex"
                            + " used for validation is '" + Meta.LABEL + "')"));

    /**
     * Judges a value.
     *
     * @param field its path
     * @param value missing where there is none, which only {@link #REQUIRED} minds
     */
    void judge(String field, JsonNode value, Findings findings);

    default Rule and(Rule other) {
        return (field, value, findings) -> {
            judge(field, value, findings);
            other.judge(field, value, findings);
        };
    }

    /** A text that is not empty has this form. */
    static Rule text(String form, String why) {
        Pattern pattern = Pattern.compile(form);
        return (field, value, findings) -> {
            if (value.isTextual()
                    && !value.asText().isEmpty()
                    && !pattern.matcher(value.asText()).matches()) {
                findings.invalid(field, value, why);
            }
        };
    }

    static Rule oneOf(String... supported) {
        return (field, value, findings) -> {
            if (!value.isMissingNode() && !List.of(supported).contains(value.asText())) {
                String all = "\"" + String.join("\", \"", supported) + "\"";
                findings.add("NotSupported", "Unsupported value: " + value + ": supported values: " + all, field);
            }
        };
    }

    /** No two items of a list have the same in this field. */
    static Rule uniqueBy(String name) {
        return (field, list, findings) -> {
            Set<JsonNode> seen = new HashSet<>();
            for (int i = 0; i < list.size(); i++) {
                JsonNode value = list.path(i).path(name);
                if (!value.asText("").isEmpty() && !seen.add(value)) {
                    findings.duplicate(field + "[" + i + "]." + name, value);
                }
            }
        };
    }
}
