package io.controllermanager.apiserver.validation;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.apiserver.http.StatusException.Cause;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Says what is wrong with one value (for texts: apimachinery, util/validation/validation.go). */
@FunctionalInterface
interface Rule {

    Rule REQUIRED = required("");

    /**
     * Judges a value.
     *
     * @param field its path
     * @param value missing where there is none, which only {@link #REQUIRED} minds
     */
    void judge(String field, JsonNode value, List<Cause> causes);

    /** It is there, and not empty. */
    static Rule required(String why) {
        return (field, value, causes) -> {
            if (value.isEmpty() && value.asText("").isEmpty()) {
                causes.add(Cause.required(field, why));
            }
        };
    }

    /** It is not there. */
    static Rule forbidden(String why) {
        return (field, value, causes) -> {
            if (!value.isMissingNode()) {
                causes.add(Cause.forbidden(field, why));
            }
        };
    }

    /** It is none of these; without any, it is not there. */
    static Rule noneOf(List<String> refused, String why) {
        return (field, value, causes) -> {
            if (!value.isMissingNode() && (refused.isEmpty() || refused.contains(value.asText()))) {
                causes.add(Cause.invalid(field, value, why));
            }
        };
    }

    /** An object has one of these fields. */
    static Rule anyOf(List<String> names, String why) {
        return (field, value, causes) -> {
            if (value.isObject() && names.stream().noneMatch(value::has)) {
                causes.add(Cause.required(field, why));
            }
        };
    }

    /** An object has no two of these fields. */
    static Rule single(List<String> names, String why) {
        return (field, value, causes) -> names.stream()
                .filter(value::has)
                .skip(1)
                .forEach(name -> causes.add(Cause.forbidden(field + "." + name, why)));
    }

    /** Of two numbers in an object the second is larger by this at least; no first one is 0. */
    static Rule ascending(String first, String second, int step, String why) {
        return (field, value, causes) -> {
            JsonNode after = value.path(second);
            if (after.isNumber() && after.asLong() < value.path(first).asLong() + step) {
                causes.add(Cause.invalid(field + "." + second, after, why));
            }
        };
    }

    /** A text that is not empty has this form. */
    static Rule text(String form, String why) {
        Pattern pattern = Pattern.compile(form, Pattern.DOTALL);
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
            boolean isGiven = value.isContainerNode() || !value.asText().isEmpty();
            if (isGiven && !supported.contains(value.asText())) {
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
