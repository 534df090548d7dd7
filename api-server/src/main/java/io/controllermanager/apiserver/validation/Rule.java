package io.controllermanager.apiserver.validation;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.apiserver.http.StatusException.Cause;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Predicate;
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

    /** A value that is so is wrong. */
    static Rule refuse(Predicate<JsonNode> wrong, BiFunction<String, JsonNode, Cause> cause) {
        return (field, value, causes) -> {
            if (wrong.test(value)) {
                causes.add(cause.apply(field, value));
            }
        };
    }

    private static Rule invalid(Predicate<JsonNode> wrong, String why) {
        return refuse(wrong, (field, value) -> Cause.invalid(field, value, why));
    }

    /** It is there, and not empty. */
    static Rule required(String why) {
        Predicate<JsonNode> missing =
                value -> value.isEmpty() && value.asText("").isEmpty();
        return refuse(missing, (field, value) -> Cause.required(field, why));
    }

    /** It is not there. */
    static Rule forbidden(String why) {
        return refuse(value -> !value.isMissingNode(), (field, value) -> Cause.forbidden(field, why));
    }

    /** It is none of these; without any, it is not there. */
    static Rule noneOf(List<String> refused, String why) {
        return invalid(value -> !value.isMissingNode() && (refused.isEmpty() || refused.contains(value.asText())), why);
    }

    /** An object has one of these fields. */
    static Rule anyOf(List<String> names, String why) {
        Predicate<JsonNode> none = value -> value.isObject() && names.stream().noneMatch(value::has);
        return refuse(none, (field, value) -> Cause.required(field, why));
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
        Predicate<String> fits = Pattern.compile(form, Pattern.DOTALL).asMatchPredicate();
        return invalid(value -> value.isTextual() && !value.asText().isEmpty() && !fits.test(value.asText()), why);
    }

    static Rule oneOf(List<String> supported) {
        Predicate<JsonNode> isGiven =
                value -> value.isContainerNode() || !value.asText().isEmpty();
        return refuse(
                isGiven.and(value -> !supported.contains(value.asText())),
                (field, value) -> Cause.unsupported(field, value, supported));
    }

    /** A number that lies between these. */
    static Rule between(long least, long most, String why) {
        return invalid(value -> value.isNumber() && (value.asLong() < least || value.asLong() > most), why);
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
