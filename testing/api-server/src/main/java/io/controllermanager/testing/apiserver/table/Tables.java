package io.controllermanager.testing.apiserver.table;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.jayway.jsonpath.Configuration;
import com.jayway.jsonpath.JsonPath;
import com.jayway.jsonpath.Option;
import com.jayway.jsonpath.spi.json.JacksonJsonNodeJsonProvider;
import com.jayway.jsonpath.spi.mapper.JacksonMappingProvider;
import io.controllermanager.testing.apiserver.http.StatusException;
import io.controllermanager.testing.apiserver.json.Json;
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
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** Makes {@code Table}s of objects, by the columns of their type. */
final class Tables {

    private static final Configuration JSON_PATH = Configuration.builder()
            .jsonProvider(new JacksonJsonNodeJsonProvider())
            .mappingProvider(new JacksonMappingProvider())
            .options(Option.ALWAYS_RETURN_LIST, Option.SUPPRESS_EXCEPTIONS)
            .build();
    private static final Pattern PATH_IN_TEXT = Pattern.compile("\\{([^}]*)}");

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
        if (path.startsWith("$")) {
            return text(Computed.of(path.substring(1), object, this::age));
        }
        if (path.startsWith("#")) {
            int entries = 0;
            for (String map : path.substring(1).split("\\+", -1)) {
                entries += find(object, map).path(0).size();
            }
            return Json.array().add(entries).get(0);
        }
        if (path.contains("{")) {
            Matcher matcher = PATH_IN_TEXT.matcher(path);
            return text(matcher.replaceAll(match -> Matcher.quoteReplacement(part(object, match.group(1)))));
        }
        ArrayNode found = Json.array();
        boolean age = path.startsWith("@");
        for (String way : (age ? path.substring(1) : path).split("\\|(?=[.\\d<]|N/A|false)", -1)) {
            if (found.isEmpty() || found.path(0).equals(TextNode.valueOf(""))) {
                found = way.startsWith(".") ? find(object, way) : literal(way);
            }
        }
        if (age || (type.isCustom() && column.type().equals("date"))) {
            return text(found.isEmpty() ? "<unknown>" : age(found.get(0).asText()));
        }
        boolean isNumber = !type.isCustom()
                || column.type().equals("integer")
                || column.type().equals("number");
        if (found.size() == 1
                && isNumber
                && (type.isCustom() || found.get(0).isNumber() || found.get(0).isBoolean())) {
            return found.get(0);
        }
        if (!type.isCustom() && found.path(0).isObject()) {
            return text(Computed.pairs(found.path(0)));
        }
        return text(joined(found, ""));
    }

    private static ArrayNode literal(String text) {
        if (text.equals("false")) {
            return Json.array().add(false);
        }
        return Character.isDigit(text.charAt(0))
                ? Json.array().add(Integer.parseInt(text))
                : Json.array().add(text);
    }

    private static String part(ObjectNode object, String path) {
        return path.startsWith("~")
                ? joined(find(object, path.substring(1)), "").toLowerCase(Locale.ROOT)
                : joined(find(object, path), "0");
    }

    private static String joined(ArrayNode values, String none) {
        return values.isEmpty()
                ? none
                : StreamSupport.stream(values.spliterator(), false)
                        .map(value -> value.isContainerNode() ? value.toString() : value.asText())
                        .collect(Collectors.joining(","));
    }

    private static ArrayNode find(JsonNode object, String path) {
        JsonNode found = JsonPath.using(JSON_PATH).parse(object).read("$" + path);
        return found instanceof ArrayNode list ? list : Json.array();
    }

    private static JsonNode text(String text) {
        return Json.array().add(text).get(0);
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
