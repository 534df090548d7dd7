package io.controllermanager.crd;

import com.google.re2j.Pattern;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;

/** Whether a default keeps to the limits of its own schema: the API server refuses a CRD where it does not. */
final class DefaultLimits {

    private final String text;
    private final Place place;

    private DefaultLimits(String text, Place place) {
        this.text = text;
        this.place = place;
    }

    /**
     * Checks a default.
     *
     * @param value as YAML has it
     * @param text as the annotation has it
     * @throws InvalidTypeException if a limit is passed, or a required field is missing
     */
    static void check(Map<String, Object> schema, Object value, String text, Place place) {
        new DefaultLimits(text, place).check(schema, value);
    }

    private void check(Map<String, Object> schema, Object value) {
        if (value instanceof Number number) {
            checkNumber(schema, new BigDecimal(number.toString()));
        } else if (value instanceof String string) {
            checkCount(schema, "Length", string.codePointCount(0, string.length()));
            demand(
                    !(schema.get("pattern") instanceof String pattern)
                            || Pattern.compile(pattern).matcher(string).find(),
                    "pattern");
        } else if (value instanceof List<?> list) {
            checkCount(schema, "Items", list.size());
            list.forEach(item -> check(Schema.members(schema, "items"), item));
        } else if (value instanceof Map<?, ?> map) {
            checkCount(schema, "Properties", map.size());
            checkMembers(schema, map);
        }
    }

    private void checkNumber(Map<String, Object> schema, BigDecimal value) {
        demand(
                !(schema.get("minimum") instanceof Number least)
                        || value.compareTo(new BigDecimal(least.toString()))
                                >= (schema.containsKey("exclusiveMinimum") ? 1 : 0),
                "minimum");
        demand(
                !(schema.get("maximum") instanceof Number most)
                        || value.compareTo(new BigDecimal(most.toString()))
                                <= (schema.containsKey("exclusiveMaximum") ? -1 : 0),
                "maximum");
        boolean small = value.compareTo(BigDecimal.valueOf(Integer.MIN_VALUE)) >= 0
                && value.compareTo(BigDecimal.valueOf(Integer.MAX_VALUE)) <= 0;
        demand(small || !"int32".equals(schema.get("format")), "format int32");
    }

    private void checkMembers(Map<String, Object> schema, Map<?, ?> value) {
        Map<String, Object> properties = Schema.members(schema, "properties");
        value.forEach((name, member) -> {
            Map<String, Object> known = Schema.child(properties, String.valueOf(name));
            Map<String, Object> child = known == null ? Schema.child(schema, "additionalProperties") : known;
            demand(child != null || schema.containsKey(Schema.PRESERVE), "fields, which have no " + name);
            if (child != null) {
                check(child, member);
            }
        });
        for (Object name : Schema.list(schema, "required")) {
            boolean there = value.containsKey(name)
                    || Schema.members(properties, String.valueOf(name)).containsKey("default");
            demand(there, "required field " + name);
        }
    }

    private void checkCount(Map<String, Object> schema, String what, int count) {
        demand(!(schema.get("min" + what) instanceof Integer least) || count >= least, "min" + what);
        demand(!(schema.get("max" + what) instanceof Integer most) || count <= most, "max" + what);
    }

    private void demand(boolean fits, String limit) {
        if (!fits) {
            throw place.invalid("@Default(\"" + text + "\") does not fit the field's own " + limit);
        }
    }
}
