package io.controllermanager.apiserver.validation;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.apiserver.http.StatusException.Cause;
import io.controllermanager.apiserver.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Rules for the parts of an object, each with the path from the object to the part: {@code spec.containers[].name} is
 * judged in each container, and {@code data{}} is each key of a map. What a part has to be like for its row to count follows
 * it ({@code spec?type=A|B}, see {@link Json#fits}). Of a parent that is not there nothing is judged.
 */
final class Table implements Rule {

    /**
     * A step of a path.
     *
     * @param each {@code []} for each item of the field, {@code {}} for each of its keys; empty for the field itself
     * @param condition what has to hold for the part; empty for nothing
     */
    private record Step(String name, String each, String condition) {

        static Step of(String text) {
            String[] parts = text.split("\\?", 2);
            String name = parts[0].replaceAll("\\[]|\\{}", "");
            return new Step(name, parts[0].substring(name.length()), parts.length == 1 ? "" : parts[1]);
        }
    }

    private record Row(List<Step> path, Rule rule) {}

    private final List<Row> rows = new ArrayList<>();

    /** Adds a rule for one part; for the object itself if the path is empty. */
    Table with(String path, Rule rule) {
        Stream<String> steps = path.isEmpty() ? Stream.empty() : Stream.of(path.split("\\.", -1));
        rows.add(new Row(steps.map(Step::of).toList(), rule));
        return this;
    }

    @Override
    public void judge(String field, JsonNode value, List<Cause> causes) {
        rows.forEach(row -> walk(row, 0, field, value, causes));
    }

    private static void walk(Row row, int step, String field, JsonNode value, List<Cause> causes) {
        if (step == row.path().size()) {
            row.rule().judge(field, value, causes);
        } else if (value.isObject()) {
            String name = row.path().get(step).name();
            String each = row.path().get(step).each();
            String at = field.isEmpty() || name.isEmpty() ? field + name : field + "." + name;
            JsonNode parts = name.isEmpty() ? value : value.path(name);
            if (each.equals("[]")) {
                for (int i = 0; i < parts.size(); i++) {
                    enter(row, step, at + "[" + i + "]", parts.path(i), causes);
                }
            } else if (each.equals("{}")) {
                parts.fieldNames()
                        .forEachRemaining(key -> walk(row, step + 1, at + "[" + key + "]", Json.text(key), causes));
            } else {
                enter(row, step, at, parts, causes);
            }
        }
    }

    /** Goes on with a part that is as its step wants it. */
    private static void enter(Row row, int step, String field, JsonNode value, List<Cause> causes) {
        String condition = row.path().get(step).condition();
        if (condition.isEmpty() || Json.fits(value, condition)) {
            walk(row, step + 1, field, value, causes);
        }
    }
}
