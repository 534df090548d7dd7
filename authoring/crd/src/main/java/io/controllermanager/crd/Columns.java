package io.controllermanager.crd;

import io.controllermanager.types.PrinterColumn;
import io.controllermanager.types.Scale;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What refers to fields of a schema by their paths: columns and the scale subresource. */
final class Columns {

    private static final Set<String> TYPES = Set.of("string", "integer", "number", "boolean", "date");

    /** One step of a path: a field, an index, all items, or those that a filter finds. */
    private static final Pattern STEP =
            Pattern.compile("\\.([A-Za-z0-9_-]+)|\\['([^']+)']|(\\[(?:\\d+|\\*|\\?\\(@[^]]*\\))])");

    private final Map<String, Object> schema;
    private final Place place;

    Columns(Map<String, Object> schema, Place place) {
        this.schema = schema;
        this.place = place;
    }

    /** The columns of a type with the age as the last, none where it declares none. */
    List<Map<String, Object>> of(Class<?> type) {
        List<Map<String, Object>> columns = new ArrayList<>();
        for (PrinterColumn column : type.getAnnotationsByType(PrinterColumn.class)) {
            columns.add(entry(column));
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
        entry.put("type", column.type().isEmpty() ? typeAt(column) : knownType(column));
        if (!column.format().isEmpty()) {
            entry.put("format", column.format());
        }
        if (!column.description().isEmpty()) {
            entry.put("description", column.description());
        }
        if (column.priority() != 0) {
            entry.put("priority", column.priority());
        }
        entry.put("jsonPath", column.jsonPath());
        return entry;
    }

    private String knownType(PrinterColumn column) {
        if (!TYPES.contains(column.type())) {
            throw invalid(column, "type \"" + column.type() + "\" is none of string, integer, number, boolean, date");
        }
        return column.type();
    }

    private String typeAt(PrinterColumn column) {
        Map<String, Object> field;
        try {
            field = at(column.jsonPath());
        } catch (IllegalArgumentException e) {
            throw invalid(column, "jsonPath " + column.jsonPath() + ": " + e.getMessage());
        }
        String type = Schema.typeOf(field);
        if (!TYPES.contains(type)) {
            throw invalid(
                    column,
                    "jsonPath " + column.jsonPath() + " leads to "
                            + (type.isEmpty() ? "a value of any type" : "a value of type " + type)
                            + "; give the column a type");
        }
        return "date-time".equals(field.get("format")) ? "date" : type;
    }

    private InvalidTypeException invalid(PrinterColumn column, String what) {
        return place.invalid("@PrinterColumn " + column.name() + ": " + what);
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
        if (!path.startsWith(start)) {
            throw place.invalid("@Scale: " + name + " " + path + " does not begin with " + start);
        }
        try {
            if (!Schema.typeOf(at(path)).equals(type)) {
                throw place.invalid("@Scale: " + name + " " + path + " does not lead to a value of type " + type);
            }
            return path;
        } catch (IllegalArgumentException e) {
            throw place.invalid("@Scale: " + name + " " + path + ": " + e.getMessage());
        }
    }

    /** The schema of what a path leads to. */
    private Map<String, Object> at(String path) {
        Matcher step = STEP.matcher(path);
        Map<String, Object> at = schema;
        int end = 0;
        while (end < path.length()) {
            if (!step.find(end) || step.start() != end) {
                throw new IllegalArgumentException("cannot be followed from \"" + path.substring(end) + "\" on");
            }
            String field = step.group(1) == null ? step.group(2) : step.group(1);
            Map<String, Object> next = field == null ? Schema.child(at, "items") : field(at, field);
            if (end == 0 && "metadata".equals(field)) {
                return metadata(path);
            }
            if (next == null) {
                throw new IllegalArgumentException("there is no " + step.group() + " in "
                        + Schema.members(at, "properties").keySet());
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
