package io.controllermanager.testing.apiserver.table;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.jayway.jsonpath.Configuration;
import com.jayway.jsonpath.JsonPath;
import com.jayway.jsonpath.Option;
import com.jayway.jsonpath.spi.json.JacksonJsonNodeJsonProvider;
import com.jayway.jsonpath.spi.mapper.JacksonMappingProvider;
import io.controllermanager.testing.apiserver.http.StatusException;
import io.controllermanager.testing.apiserver.json.Json;
import io.controllermanager.testing.apiserver.json.Meta;
import io.controllermanager.testing.apiserver.resource.Column;
import io.controllermanager.testing.apiserver.resource.ResourceType;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Makes {@code Table}s of objects, by the columns of their type. */
final class Tables {

    private static final Configuration JSON_PATH = Configuration.builder()
            .jsonProvider(new JacksonJsonNodeJsonProvider())
            .mappingProvider(new JacksonMappingProvider())
            .options(Option.ALWAYS_RETURN_LIST, Option.SUPPRESS_EXCEPTIONS)
            .build();
    private static final Pattern PATH_IN_TEXT = Pattern.compile("\\{(~?)([^}]*)}");
    private static final Pattern BETWEEN_WAYS = Pattern.compile("\\|(?![^{]*})");

    private final String includeObject;
    private final InstantSource clock;

    /**
     * Makes tables for one request.
     *
     * @param includeObject how much of an object is beside its row: Metadata unless it says None or Object
     */
    Tables(String includeObject, InstantSource clock) {
        if (!List.of("", "Metadata", "Object", "None").contains(includeObject)) {
            throw StatusException.badRequest("Unable to convert to Table as requested: includeObject: Invalid value: \""
                    + includeObject + "\": must be 'Metadata', 'Object', 'None', or empty");
        }
        this.includeObject = includeObject;
        this.clock = clock;
    }

    ObjectNode of(ResourceType type, List<ObjectNode> objects, ObjectNode metadata) {
        ObjectNode table = Json.object().put("kind", "Table").put("apiVersion", "meta.k8s.io/v1");
        table.set("metadata", metadata);
        ArrayNode columns = table.putArray("columnDefinitions");
        List<Column> shown = columns(type);
        shown.forEach(column -> column(columns, column));
        ArrayNode rows = table.putArray("rows");
        for (ObjectNode object : objects) {
            ObjectNode row = rows.addObject();
            ArrayNode cells = row.putArray("cells");
            shown.forEach(column -> cells.add(cell(type, column, object)));
            if (includeObject.equals("Object")) {
                row.set("object", object);
            } else if (!includeObject.equals("None")) {
                row.putObject("object")
                        .put("kind", "PartialObjectMetadata")
                        .put("apiVersion", "meta.k8s.io/v1")
                        .set("metadata", object.path("metadata"));
            }
        }
        return table;
    }

    private static List<Column> columns(ResourceType type) {
        if (type.columns().stream().anyMatch(column -> column.format().equals("name"))) {
            return type.columns();
        }
        List<Column> columns = new ArrayList<>();
        columns.add(
                new Column("Name", "string", "name", "Name must be unique within a namespace.", 0, ".metadata.name"));
        columns.addAll(type.columns());
        return columns;
    }

    private static void column(ArrayNode columns, Column column) {
        columns.addObject()
                .put("name", column.name())
                .put("type", column.type())
                .put("format", column.format())
                .put("description", column.description())
                .put("priority", column.priority());
    }

    private JsonNode cell(ResourceType type, Column column, ObjectNode object) {
        String path = column.path();
        if (type.isCustom()) {
            ArrayNode found = find(object, path);
            boolean isNumber = List.of("integer", "number").contains(column.type());
            return column.type().equals("date")
                    ? age(found)
                    : isNumber && found.size() == 1 ? found.get(0) : text(String.join(",", texts(found)));
        }
        char form = path.isEmpty() ? ' ' : path.charAt(0);
        return switch (form) {
            case '$' -> text(Computed.of(path.substring(1), object, this::age));
            case '#' -> IntNode.valueOf(count(object, path.substring(1)));
            case '@' -> age(first(object, path.substring(1)));
            case '3' -> text(Computed.some(texts(first(object, path.substring(1))), 3, ",", ""));
            default -> single(first(object, path));
        };
    }

    private static int count(ObjectNode object, String paths) {
        int entries = 0;
        for (String path : paths.split("\\+", -1)) {
            entries += find(object, path).path(0).size();
        }
        return entries;
    }

    private static JsonNode single(ArrayNode found) {
        JsonNode value = found.path(0);
        if (value.isObject()) {
            return text(value.isEmpty() ? "<none>" : Meta.pairs(value));
        }
        boolean isText = found.size() != 1 || !(value.isNumber() || value.isBoolean());
        return isText ? text(String.join(",", texts(found))) : value;
    }

    /** What the first way to something leads to: a path, a text with paths in it, or a word or number. */
    private static ArrayNode first(ObjectNode object, String ways) {
        for (String way : BETWEEN_WAYS.split(ways, -1)) {
            boolean isPath = way.startsWith(".");
            ArrayNode found = isPath ? find(object, way) : way.contains("{") ? filled(object, way) : literal(way);
            if (!found.isEmpty() && !(isPath && found.path(0).equals(TextNode.valueOf("")))) {
                return found;
            }
        }
        return Json.array();
    }

    private static ArrayNode literal(String text) {
        if (text.equals("false")) {
            return Json.array().add(false);
        }
        return text.matches("\\d+")
                ? Json.array().add(Integer.parseInt(text))
                : Json.array().add(text);
    }

    private static ArrayNode filled(ObjectNode object, String text) {
        Matcher path = PATH_IN_TEXT.matcher(text);
        StringBuilder filled = new StringBuilder();
        while (path.find()) {
            ArrayNode found = first(object, path.group(2));
            if (found.isEmpty()) {
                return found;
            }
            String part = String.join(",", texts(found));
            path.appendReplacement(
                    filled, Matcher.quoteReplacement(path.group(1).isEmpty() ? part : part.toLowerCase(Locale.ROOT)));
        }
        return Json.array().add(path.appendTail(filled).toString());
    }

    private static List<String> texts(ArrayNode values) {
        return Json.list(values).stream()
                .map(value -> value.isContainerNode() ? value.toString() : value.asText())
                .toList();
    }

    private static ArrayNode find(JsonNode object, String path) {
        JsonNode found = JsonPath.using(JSON_PATH).parse(object).read("$" + path);
        return found instanceof ArrayNode list ? list : Json.array();
    }

    private static JsonNode text(String text) {
        return TextNode.valueOf(text);
    }

    private JsonNode age(ArrayNode time) {
        return text(time.isEmpty() ? "<unknown>" : age(time.get(0).asText()));
    }

    private String age(String time) {
        if (time.startsWith("<")) {
            // It says what there is in place of a time.
            return time;
        }
        try {
            return age(Duration.between(Instant.parse(time), clock.instant()));
        } catch (DateTimeParseException e) {
            return "<invalid>";
        }
    }

    /** A duration in two units at most, as apimachinery's duration.HumanDuration has it. */
    static String age(Duration age) {
        long seconds = Math.max(0, age.toSeconds());
        if (seconds < 120) {
            return seconds + "s";
        }
        long minutes = seconds / 60;
        if (minutes < 10) {
            return two(minutes, "m", seconds % 60, "s");
        } else if (minutes < 180) {
            return minutes + "m";
        }
        long hours = minutes / 60;
        if (hours < 8) {
            return two(hours, "h", minutes % 60, "m");
        } else if (hours < 48) {
            return hours + "h";
        }
        long days = hours / 24;
        if (days < 8) {
            return two(days, "d", hours % 24, "h");
        } else if (days < 365 * 2) {
            return days + "d";
        }
        return days / 365 < 8 ? two(days / 365, "y", days % 365, "d") : days / 365 + "y";
    }

    private static String two(long big, String bigUnit, long small, String smallUnit) {
        return big + bigUnit + (small == 0 ? "" : small + smallUnit);
    }
}
