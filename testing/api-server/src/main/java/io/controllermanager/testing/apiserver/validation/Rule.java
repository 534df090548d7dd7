package io.controllermanager.testing.apiserver.validation;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.testing.apiserver.http.StatusException.Cause;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Says what is wrong with one value (for texts: apimachinery, util/validation/validation.go). */
@FunctionalInterface
interface Rule {

    Rule REQUIRED = (field, value, causes) -> {
        if (value.isEmpty() && value.asText("").isEmpty()) {
            causes.add(Cause.required(field, ""));
        }
    };

    /**
     * Judges a value.
     *
     * @param field its path
     * @param value missing where there is none, which only {@link #REQUIRED} minds
     */
    void judge(String field, JsonNode value, List<Cause> causes);

    /** A text that is not empty has this form. */
    static Rule text(String form, String why) {
        Pattern pattern = Pattern.compile(form);
        return (field, value, causes) -> {
            if (value.isTextual()
                    && !value.asText().isEmpty()
                    && !pattern.matcher(value.asText()).matches()) {
                causes.add(Cause.invalid(field, value, why));
            }
        };
    }

    static Rule oneOf(List<String> supported) {
        return (field, value, causes) -> {
            if (!value.isMissingNode() && !supported.contains(value.asText())) {
                causes.add(Cause.unsupported(field, value, supported));
            }
        };
    }

    /** A number that lies between these. */
    static Rule between(long least, long most, String why) {
        return (field, value, causes) -> {
            if (value.isNumber() && (value.asLong() < least || value.asLong() > most)) {
                causes.add(Cause.invalid(field, value, why));
            }
        };
    }

    /** No two items of a list have the same in this field. */
    static Rule uniqueBy(String name) {
        return (field, list, causes) -> {
            Set<JsonNode> seen = new HashSet<>();
            for (int i = 0; i < list.size(); i++) {
                JsonNode value = list.path(i).path(name);
                if (!value.asText("").isEmpty() && !seen.add(value)) {
                    causes.add(Cause.duplicate(field + "[" + i + "]." + name, value));
                }
            }
        };
    }
}
