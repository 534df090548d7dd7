package io.controllermanager.crd;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Compares what values are stored with and what they are read with, and notes each field of which the latter takes not all. */
final class SchemaChange {

    /** A rule with it compares an update with what is stored: it refuses nothing that stays as it is. */
    private static final Pattern OLD_SELF = Pattern.compile("\\boldSelf\\b");

    private final String prefix;
    private final List<String> breaks;

    SchemaChange(String prefix, List<String> breaks) {
        this.prefix = prefix;
        this.breaks = breaks;
    }

    void compare(String path, Map<String, Object> before, Map<String, Object> after) {
        if (takesAll(after)) {
            compareRules(path, before, after);
            return;
        }
        if (!compareTypes(path, before, after)) {
            return;
        }
        compareFormats(path, before, after);
        compareBounds(path, before, after);
        comparePatterns(path, before, after);
        compareEnums(path, before, after);
        if (isTrue(before, "nullable") && !isTrue(after, "nullable")) {
            note(path, "may be null no longer");
        }
        compareMembers(path, before, after);
        compareLists(path, before, after);
        compareRules(path, before, after);
    }

    private static boolean takesAll(Map<String, Object> schema) {
        return isTrue(schema, Schema.PRESERVE) && Schema.typeOf(schema).isEmpty();
    }

    /** Whether the rest of the schemas can be compared. */
    private boolean compareTypes(String path, Map<String, Object> before, Map<String, Object> after) {
        String old = typeOf(before);
        String now = typeOf(after);
        boolean wider = (now.equals("integer or string") && (old.equals("integer") || old.equals("string")))
                || (now.equals("number") && old.equals("integer"));
        if (!old.equals(now) && !wider) {
            note(path, "the type " + old + " becomes " + now);
            return false;
        }
        return true;
    }

    private static String typeOf(Map<String, Object> schema) {
        if (isTrue(schema, Schema.INT_OR_STRING)) {
            return "integer or string";
        }
        String type = Schema.typeOf(schema);
        return type.isEmpty() ? "any" : type;
    }

    private void compareFormats(String path, Map<String, Object> before, Map<String, Object> after) {
        Object old = before.get("format");
        Object now = after.get("format");
        boolean wider = ("int32".equals(old) && "int64".equals(now))
                || ("float".equals(old) && "double".equals(now))
                || (Schema.typeOf(before).equals("integer")
                        && Schema.typeOf(after).equals("number"));
        if (now != null && !now.equals(old) && !wider) {
            note(path, "the format " + (old == null ? "" : old + " ") + "becomes " + now);
        }
    }

    private void compareBounds(String path, Map<String, Object> before, Map<String, Object> after) {
        for (String lower : List.of("minimum", "minLength", "minItems", "minProperties")) {
            compareBound(path, lower, 1, before, after);
        }
        for (String upper : List.of("maximum", "maxLength", "maxItems", "maxProperties")) {
            compareBound(path, upper, -1, before, after);
        }
        compareExclusion(path, "minimum", "exclusiveMinimum", before, after);
        compareExclusion(path, "maximum", "exclusiveMaximum", before, after);
    }

    private void compareBound(
            String path, String keyword, int direction, Map<String, Object> before, Map<String, Object> after) {
        BigDecimal old = number(before.get(keyword));
        BigDecimal now = number(after.get(keyword));
        boolean demandsNothing = now != null && now.signum() == 0 && keyword.matches("min.+s|minLength");
        if (now != null && !demandsNothing && (old == null || now.compareTo(old) * direction > 0)) {
            note(path, keyword + (old == null ? " " : " " + old.toPlainString() + " becomes ") + now.toPlainString());
        }
    }

    private void compareExclusion(
            String path, String limit, String keyword, Map<String, Object> before, Map<String, Object> after) {
        BigDecimal old = number(before.get(limit));
        BigDecimal now = number(after.get(limit));
        boolean same = old != null && now != null && old.compareTo(now) == 0;
        if (same && isTrue(after, keyword) && !isTrue(before, keyword)) {
            note(path, "the " + limit + " itself is taken no longer");
        }
    }

    private static @Nullable BigDecimal number(@Nullable Object value) {
        return value instanceof Number number ? new BigDecimal(number.toString()) : null;
    }

    private void comparePatterns(String path, Map<String, Object> before, Map<String, Object> after) {
        Set<String> old = patterns(before);
        for (String pattern : patterns(after)) {
            if (!old.contains(pattern)) {
                note(
                        path,
                        old.isEmpty()
                                ? "the pattern " + pattern + " is new"
                                : "the pattern " + pattern + " replaces " + old);
            }
        }
    }

    private static Set<String> patterns(Map<String, Object> schema) {
        Set<String> patterns = new TreeSet<>();
        if (schema.get("pattern") instanceof String pattern) {
            patterns.add(pattern);
        }
        for (Object part : Schema.list(schema, "allOf")) {
            if (part instanceof Map<?, ?> map && map.get("pattern") instanceof String pattern) {
                patterns.add(pattern);
            }
        }
        return patterns;
    }

    private void compareEnums(String path, Map<String, Object> before, Map<String, Object> after) {
        if (!after.containsKey("enum")) {
            return;
        }
        List<?> now = Schema.list(after, "enum");
        if (!before.containsKey("enum")) {
            note(path, "only " + now + " are taken now");
        }
        for (Object value : Schema.list(before, "enum")) {
            if (!now.contains(value)) {
                note(path, "the value " + value + " is gone");
            }
        }
    }

    private void compareMembers(String path, Map<String, Object> before, Map<String, Object> after) {
        boolean keepsUnknown = isTrue(after, Schema.PRESERVE);
        Map<String, Object> old = Schema.members(before, "properties");
        Map<String, Object> now = Schema.members(after, "properties");
        Map<String, Object> oldValues = Schema.child(before, "additionalProperties");
        Map<String, Object> values = Schema.child(after, "additionalProperties");
        if (path.equals(".metadata") && !old.containsKey("name") && now.containsKey("name")) {
            // Each object has a name, whether or not the schema has spoken of it before.
            compare(path + ".name", Schema.type("string"), Schema.members(now, "name"));
        }
        for (String name : old.keySet()) {
            Map<String, Object> present = now.containsKey(name) ? Schema.members(now, name) : values;
            if (present != null) {
                compare(path + "." + name, Schema.members(old, name), present);
            } else if (!keepsUnknown) {
                note(path + "." + name, "the field is gone");
            }
        }
        if (oldValues != null && values != null) {
            compare(path + "{}", oldValues, values);
        } else if (oldValues != null && !keepsUnknown) {
            note(path, "the map becomes an object of the fields " + now.keySet());
        }
        if (isTrue(before, Schema.PRESERVE) && !keepsUnknown) {
            note(path, "fields that the schema does not name are kept no longer");
        }
        for (Object name : Schema.list(after, "required")) {
            boolean filledIn = Schema.members(now, String.valueOf(name)).containsKey("default");
            if (!Schema.list(before, "required").contains(name) && !filledIn) {
                note(path + "." + name, "the field is required now and has no default");
            }
        }
    }

    private void compareLists(String path, Map<String, Object> before, Map<String, Object> after) {
        Map<String, Object> old = Schema.child(before, "items");
        Map<String, Object> now = Schema.child(after, "items");
        if (old != null && now != null) {
            compare(path + "[]", old, now);
        }
        Object listType = after.getOrDefault(Schema.LIST_TYPE, "atomic");
        boolean sameKeys = Objects.equals(before.get(Schema.LIST_MAP_KEYS), after.get(Schema.LIST_MAP_KEYS));
        boolean same = listType.equals(before.get(Schema.LIST_TYPE)) && sameKeys;
        if (!listType.equals("atomic") && !same) {
            note(
                    path,
                    "two items may be alike no longer in a list of type " + listType
                            + (listType.equals("map") ? " with the keys " + after.get(Schema.LIST_MAP_KEYS) : ""));
        }
    }

    private void compareRules(String path, Map<String, Object> before, Map<String, Object> after) {
        List<String> old = rules(before);
        for (String rule : rules(after)) {
            if (!old.contains(rule) && !OLD_SELF.matcher(rule).find()) {
                note(path, "the rule " + rule + " is new");
            }
        }
    }

    private static List<String> rules(Map<String, Object> schema) {
        return Schema.list(schema, Schema.RULES).stream()
                .map(rule -> rule instanceof Map<?, ?> map ? String.valueOf(map.get("rule")) : "")
                .toList();
    }

    private static boolean isTrue(Map<String, Object> schema, String keyword) {
        return Boolean.TRUE.equals(schema.get(keyword));
    }

    private void note(String path, String what) {
        breaks.add(prefix + (path.isEmpty() ? "the object" : path) + ": " + what);
    }
}
