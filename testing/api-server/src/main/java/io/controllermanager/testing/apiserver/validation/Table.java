package io.controllermanager.testing.apiserver.validation;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/**
 * Rules for the parts of an object, each with the path from the object to the part: {@code spec.containers[].name} is
 * judged in each container. Of a parent that is not there nothing is judged.
 */
final class Table implements Rule {

    private record Row(List<String> path, Rule rule) {}

    private final List<Row> rows = new ArrayList<>();

    /** Adds rules for one part; for the object itself if the path is empty. */
    Table with(String path, Rule... rules) {
        for (Rule rule : rules) {
            rows.add(new Row(path.isEmpty() ? List.of() : List.of(path.split("\\.", -1)), rule));
        }
        return this;
    }

    @Override
    public void judge(String field, JsonNode value, Findings findings) {
        rows.forEach(row -> walk(row, 0, field, value, findings));
    }

    private static void walk(Row row, int step, String field, JsonNode value, Findings findings) {
        if (step == row.path().size()) {
            row.rule().judge(field, value, findings);
        } else if (value.isObject()) {
            String name = row.path().get(step).replace("[]", "");
            String at = field.isEmpty() ? name : field + "." + name;
            JsonNode part = value.path(name);
            if (name.equals(row.path().get(step))) {
                walk(row, step + 1, at, part, findings);
            } else {
                for (int i = 0; i < part.size(); i++) {
                    walk(row, step + 1, at + "[" + i + "]", part.path(i), findings);
                }
            }
        }
    }
}
