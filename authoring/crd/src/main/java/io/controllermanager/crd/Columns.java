package io.controllermanager.crd;

import io.controllermanager.types.PrinterColumn;
import io.controllermanager.types.Scale;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What refers to fields of a schema by their paths: columns, fields for selectors and the scale subresource. */
final class Columns {

    private static final List<String> TYPES = List.of("string", "integer", "number", "boolean", "date");

    /** One step of a path: a field, an index, all items, or those that a filter finds. */
    private static final Pattern STEP =
            Pattern.compile("\\.([A-Za-z0-9_-]+)|\\['([^']+)']|(\\[(?:\\d+|\\*|\\?\\(@[^]]*\\))])");

    private static final List<String> SELECTABLE = List.of("string", "boolean", "integer");

    /** How many fields the API server takes for selectors. */
    private static final int MOST_SELECTABLE = 8;

    private final Map<String, Object> schema;
    private final Place place;
    private final Problems problems;

    Columns(Map<String, Object> schema, Place place, Problems problems) {
        this.schema = schema;
        this.place = place;
        this.problems = problems;
    }

    /** The columns of a type with the age as the last, none where it declares none. */
    List<Map<String, Object>> of(Class<?> type) {
        List<Map<String, Object>> columns = new ArrayList<>();
        for (PrinterColumn column : type.getAnnotationsByType(PrinterColumn.class)) {
            problems.gather(() -> columns.add(entry(column)));
        }
        if (!columns.isEmpty() && columns.stream().noneMatch(column -> "Age".equals(column.get("name")))) {
            Map<String, Object> age = new LinkedHashMap<>();
            age.put("name", "Age");
            age.put("type", "date");
            age.put("jsonPath", ".metadata.creationTimestamp");
            columns.add(age);
        }
        return columns;
    }

    private Map<String, Object> entry(PrinterColumn column) {
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("name", column.name());
        entry.put("type", typeOf(column));
        Schema.putGiven(entry, "format", column.format());
        Schema.putGiven(entry, "description", column.description());
        if (column.priority() != 0) {
            entry.put("priority", column.priority());
        }
        entry.put("jsonPath", column.jsonPath());
        return entry;
    }

    private String typeOf(PrinterColumn column) {
        String given = "@PrinterColumn " + column.name() + ": ";
        if (TYPES.contains(column.type())) {
            return column.type();
        }
        if (!column.type().isEmpty()) {
            throw place.invalid(given + "type \"" + column.type() + "\" is none of " + String.join(", ", TYPES));
        }
        String path = given + "jsonPath " + column.jsonPath();
        Map<String, Object> field = at(column.jsonPath(), path);
        String type = Schema.typeOf(field);
        if (!TYPES.contains(type)) {
            throw place.invalid(path + " leads to " + described(type) + "; give the column a type");
        }
        return "date-time".equals(field.get("format")) ? "date" : type;
    }

    private static String described(String type) {
        return type.isEmpty() ? "a value of any type" : "a value of type " + type;
    }

    /** Fields for selectors, judged as by apiextensions-apiserver (ValidateCustomResourceSelectableFields). */
    List<Map<String, Object>> selectable(String... paths) {
        Set<Map<String, Object>> fields = new LinkedHashSet<>();
        for (String path : paths) {
            String given = "@CustomResource selectableFields = \"" + path + "\"";
            problems.gather(() -> {
                if (path.startsWith(".metadata") || !path.matches("(\\.[^.\\[\\]]+)+")) {
                    throw place.invalid(given + " is no path such as .spec.host, outside of lists and metadata");
                }
                String found = Schema.typeOf(at(path, given));
                if (!SELECTABLE.contains(found)) {
                    throw place.invalid(given + " leads to " + described(found) + ", not to one of " + SELECTABLE);
                }
                if (!fields.add(Map.of("jsonPath", path)) || fields.size() > MOST_SELECTABLE) {
                    throw place.invalid(given + " is there twice, or after " + MOST_SELECTABLE + " others");
                }
            });
        }
        return List.copyOf(fields);
    }

    /** The scale subresource. */
    Map<String, Object> of(Scale scale) {
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("specReplicasPath", scalePath("specReplicasPath", scale.specReplicasPath(), ".spec.", "integer"));
        entry.put(
                "statusReplicasPath",
                scalePath("statusReplicasPath", scale.statusReplicasPath(), ".status.", "integer"));
        if (!scale.labelSelectorPath().isEmpty()) {
            entry.put("labelSelectorPath", scalePath("labelSelectorPath", scale.labelSelectorPath(), ".s", "string"));
        }
        return entry;
    }

    private String scalePath(String name, String path, String start, String type) {
        String given = "@Scale: " + name + " " + path;
        if (!path.startsWith(start)) {
            throw place.invalid(given + " does not begin with " + start);
        }
        if (!Schema.typeOf(at(path, given)).equals(type)) {
            throw place.invalid(given + " does not lead to a value of type " + type);
        }
        return path;
    }

    /** The schema of what a path leads to; what gives it begins the message if it leads nowhere. */
    private Map<String, Object> at(String path, String given) {
        Matcher step = STEP.matcher(path);
        Map<String, Object> at = schema;
        int end = 0;
        while (end < path.length()) {
            if (!step.find(end) || step.start() != end) {
                throw place.invalid(given + ": cannot be followed from \"" + path.substring(end) + "\" on");
            }
            String field = step.group(1) == null ? step.group(2) : step.group(1);
            Map<String, Object> next = field == null ? Schema.child(at, "items") : field(at, field);
            if (end == 0 && "metadata".equals(field)) {
                return metadata(path);
            }
            if (next == null) {
                throw place.invalid(given + ": there is no " + step.group() + " in "
                        + Schema.members(at, "properties").keySet());
            }
            if (next.get(Schema.INVALID) instanceof InvalidTypeException told) {
                throw told;
            }
            at = next;
            end = step.end();
        }
        return at;
    }

    private static @Nullable Map<String, Object> field(Map<String, Object> schema, String name) {
        Map<String, Object> declared = Schema.child(Schema.members(schema, "properties"), name);
        return declared == null ? Schema.child(schema, "additionalProperties") : declared;
    }

    /** What is known of metadata beyond the schema, which leaves it to the API server. */
    private static Map<String, Object> metadata(String path) {
        return switch (path) {
            case ".metadata.creationTimestamp", ".metadata.deletionTimestamp" -> Schema.type("string", "date-time");
            case ".metadata.generation" -> Schema.type("integer");
            default -> Schema.type("string");
        };
    }
}
