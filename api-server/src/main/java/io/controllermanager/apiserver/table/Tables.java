package io.controllermanager.apiserver.table;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.jayway.jsonpath.Configuration;
import com.jayway.jsonpath.JsonPath;
import com.jayway.jsonpath.Option;
import com.jayway.jsonpath.spi.json.JacksonJsonNodeJsonProvider;
import com.jayway.jsonpath.spi.mapper.JacksonMappingProvider;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.resource.Column;
import io.controllermanager.apiserver.resource.ResourceType;
import io.controllermanager.apiserver.selector.LabelSelector;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Makes {@code Table}s of objects for one request, by the columns of their type.
 *
 * @param apiVersion of the metadata that is shown
 * @param includeObject how much of an object is beside its row: Metadata unless it says None or Object
 * @param clock by which ages are told
 */
record Tables(String apiVersion, String includeObject, InstantSource clock) {

    private static final Configuration JSON_PATH = Configuration.builder()
            .jsonProvider(new JacksonJsonNodeJsonProvider())
            .mappingProvider(new JacksonMappingProvider())
            .options(Option.ALWAYS_RETURN_LIST, Option.SUPPRESS_EXCEPTIONS)
            .build();
    private static final Pattern PATH_IN_TEXT = Pattern.compile("\\{(~?)([^}]*)}");
    private static final Pattern BETWEEN_WAYS = Pattern.compile("\\|(?![^{]*})");
    private static final Pattern CONDITIONAL = Pattern.compile("\\((.*?)\\)(?!])(.*)");
    private static final Column NAME =
            new Column("Name", "string", "name", "Name must be unique within a namespace.", 0, ".metadata.name");
    private static final String CONDITION = ".status.conditions[?(@.type=='%s' && @.status=='True')]";

    /** How ages are told: by which unit up to how many of it, and by which smaller one what is left. */
    private record Unit(String name, long seconds, long until, String rest, long smaller) {}

    private static final List<Unit> UNITS = List.of(
            new Unit("s", 1, 120, "", 1),
            new Unit("m", 60, 10, "s", 1),
            new Unit("m", 60, 180, "", 1),
            new Unit("h", 3_600, 8, "m", 60),
            new Unit("h", 3_600, 48, "", 1),
            new Unit("d", 86_400, 8, "h", 3_600),
            new Unit("d", 86_400, 730, "", 1),
            new Unit("y", 31_536_000, 8, "d", 86_400),
            new Unit("y", 31_536_000, Integer.MAX_VALUE, "", 1));

    Tables {
        if (!List.of("", "Metadata", "Object", "None").contains(includeObject)) {
            throw StatusException.badRequest("Unable to convert to Table as requested: includeObject: Invalid value: \""
                    + includeObject + "\": must be 'Metadata', 'Object', 'None', or empty");
        }
    }

    ObjectNode of(ResourceType type, List<ObjectNode> objects, ObjectNode metadata) {
        ObjectNode table = Json.object().put("kind", "Table").put("apiVersion", apiVersion);
        table.set("metadata", metadata);
        ArrayNode columns = table.putArray("columnDefinitions");
        List<Column> shown = columns(type);
        for (Column column : shown) {
            ObjectNode definition =
                    columns.addObject().put("name", column.name()).put("type", column.type());
            definition.put("format", column.format()).put("description", column.description());
            definition.put("priority", column.priority());
        }
        ArrayNode rows = table.putArray("rows");
        for (ObjectNode object : objects) {
            ObjectNode row = rows.addObject();
            ArrayNode cells = row.putArray("cells");
            shown.forEach(column -> cells.add(cell(type, column, object)));
            if (includeObject.equals("Object")) {
                row.set("object", object);
            } else if (!includeObject.equals("None")) {
                row.set("object", metadata(object));
            }
        }
        return table;
    }

    /** An object without all else. */
    ObjectNode metadata(ObjectNode object) {
        ObjectNode metadata = Json.object().put("kind", "PartialObjectMetadata").put("apiVersion", apiVersion);
        return metadata.set("metadata", object.path("metadata"));
    }

    private static List<Column> columns(ResourceType type) {
        if (type.columns().stream().anyMatch(column -> column.format().equals("name"))) {
            return type.columns();
        }
        List<Column> columns = new ArrayList<>(type.columns());
        columns.add(0, NAME);
        return columns;
    }

    private JsonNode cell(ResourceType type, Column column, ObjectNode object) {
        String path = column.path();
        if (type.isCustom()) {
            ArrayNode found = find(object, path);
            boolean isNumber = List.of("integer", "number").contains(column.type());
            return column.type().equals("date")
                    ? age(found)
                    : isNumber && found.size() == 1 ? found.get(0) : Json.text(String.join(",", texts(found)));
        }
        char form = path.isEmpty() ? ' ' : path.charAt(0);
        return switch (form) {
            case '$' -> Json.text(Computed.of(path.substring(1), object, this::age));
            case '#' -> IntNode.valueOf(count(object, path.substring(1)));
            case '@' -> age(first(object, path.substring(1)));
            case '3' -> Json.text(Computed.some(texts(first(object, path.substring(1))), 3, ",", ""));
            default -> single(first(object, path));
        };
    }

    private static int count(ObjectNode object, String paths) {
        return Stream.of(paths.split("\\+", -1))
                .mapToInt(path -> find(object, path).path(0).size())
                .sum();
    }

    private static JsonNode single(ArrayNode found) {
        JsonNode value = found.path(0);
        if (value.isObject()) {
            String selector = LabelSelector.text(value);
            return Json.text(selector.isEmpty() ? "<none>" : selector);
        }
        boolean isText = found.size() != 1 || !(value.isNumber() || value.isBoolean());
        return isText ? Json.text(String.join(",", texts(found))) : value;
    }

    /** What the first way to something leads to: a path, a text with paths in it or after a condition, a word or number. */
    private static ArrayNode first(ObjectNode object, String ways) {
        for (String way : BETWEEN_WAYS.split(ways, -1)) {
            boolean isPath = way.startsWith(".");
            Matcher conditional = CONDITIONAL.matcher(way);
            ArrayNode found = isPath
                    ? find(object, way)
                    : conditional.matches()
                            ? conditional(object, conditional.group(1), conditional.group(2))
                            : way.contains("{") ? filled(object, way) : literal(way);
            if (!found.isEmpty() && !(isPath && found.path(0).equals(Json.text("")))) {
                return found;
            }
        }
        return Json.array();
    }

    private static ArrayNode conditional(ObjectNode object, String condition, String text) {
        String path = condition.startsWith(".") ? condition : CONDITION.formatted(condition);
        return find(object, path).isEmpty() ? Json.array() : filled(object, text);
    }

    private static ArrayNode literal(String text) {
        boolean isNumber = text.matches("\\d+");
        JsonNode value = isNumber ? IntNode.valueOf(Integer.parseInt(text)) : Json.text(text);
        return Json.array().add(text.equals("false") ? BooleanNode.FALSE : value);
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

    private JsonNode age(ArrayNode time) {
        return Json.text(time.isEmpty() ? "<unknown>" : age(time.get(0).asText()));
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
        Unit unit = UNITS.stream()
                .filter(one -> seconds < one.until() * one.seconds())
                .findFirst()
                .orElseThrow();
        long rest = seconds % unit.seconds() / unit.smaller();
        return seconds / unit.seconds()
                + unit.name()
                + (rest == 0 || unit.rest().isEmpty() ? "" : rest + unit.rest());
    }
}
