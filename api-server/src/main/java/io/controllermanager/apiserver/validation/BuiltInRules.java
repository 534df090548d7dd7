package io.controllermanager.apiserver.validation;

import static io.controllermanager.apiserver.validation.Rule.between;
import static io.controllermanager.apiserver.validation.Rule.refuse;
import static java.util.Map.entry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.http.StatusException.Cause;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/** The rules for built-in types, which stand in a table beside this class. */
public final class BuiltInRules {

    /** Those that the table only names. */
    private static final Map<String, Rule> NAMED = Map.ofEntries(
            entry("config map", CoreRules::configMap),
            entry("secret", CoreRules::secret),
            entry("service", CoreRules::service),
            entry("service ports", CoreRules::ports),
            entry("event", CoreRules::event),
            entry("access modes", CoreRules::accessModes),
            entry("storage", CoreRules::storage),
            entry("variable", WorkloadRules::variable),
            entry("resources", WorkloadRules::resources),
            entry("containers", WorkloadRules::containers),
            entry("mounts", WorkloadRules::mounts),
            entry("labels", (field, labels, causes) -> LabelRules.labels(field, Meta.texts(labels), causes)),
            entry("label key", (field, key, causes) -> LabelRules.key(field, key.asText(), causes)),
            entry(
                    "label key in any case",
                    (field, key, causes) -> LabelRules.key(field, key.asText().toLowerCase(Locale.ROOT), causes)),
            entry(
                    "no empty key",
                    refuse(map -> map.has(""), (field, map) -> Cause.invalid(field, "", "field can not be empty."))),
            entry("selects its template", LabelRules::selector),
            entry("schedule", WorkloadRules::schedule),
            entry("priority class", WorkloadRules::priorityClass),
            entry("time zone", WorkloadRules::timeZone),
            entry("restarts on failure", WorkloadRules::restartsOnFailure));

    private static final JsonNode SOURCE = Json.resource(BuiltInRules.class, "rules.yaml");
    private static final Map<String, Rule> RULES = new ConcurrentHashMap<>();
    private static final Map<String, Rule> FORMS = new ConcurrentHashMap<>();

    private BuiltInRules() {}

    private static Table table(JsonNode rows) {
        Table table = new Table();
        rows.properties().forEach(row -> {
            String path = row.getKey();
            if (row.getValue().isTextual()) {
                table.with(path, rule(row.getValue().asText()));
            }
            row.getValue().forEach(rule -> table.with(path, rule(rule.asText())));
        });
        return table;
    }

    private static Rule rule(String text) {
        String[] parts = text.split(": ", 2);
        String why = parts[parts.length - 1];
        List<String> words = List.of(parts[0].replaceFirst(" of ", " ").split(" "));
        List<String> names = words.subList(1, words.size());
        return switch (words.get(0)) {
            case "required" -> Rule.required(parts.length > 1 ? why : "");
            case "forbidden" -> Rule.forbidden(why);
            case "none" -> Rule.noneOf(names, why);
            case "one" -> Rule.oneOf(names);
            case "any" -> Rule.anyOf(names, why);
            case "single" -> Rule.single(names, why);
            case "unique" -> Rule.uniqueBy(names.get(0));
            case "ascending" -> Rule.ascending(names.get(0), names.get(1), 0, why);
            case "below" -> Rule.ascending(names.get(0), names.get(1), 1, why);
            case "least" -> between(Long.parseLong(names.get(0)), Long.MAX_VALUE, why);
            case "most" -> between(Long.MIN_VALUE, Long.parseLong(names.get(0)), why);
            default -> named(text);
        };
    }

    private static Rule named(String text) {
        JsonNode forms = SOURCE.path("forms").path(text);
        if (forms.isObject()) {
            Table table = new Table();
            forms.properties()
                    .forEach(form ->
                            table.with("", form(form.getKey(), form.getValue().asText())));
            return table;
        }
        JsonNode rows = SOURCE.path("tables").path(text);
        return rows.isObject() ? table(rows) : Objects.requireNonNull(NAMED.get(text), text);
    }

    private static Rule form(String form, String why) {
        return Rule.text(form.replace("LABEL", Meta.LABEL), why.replace("LABEL", Meta.LABEL));
    }

    /** What is wrong with a value by a form or table. */
    public static void judge(String rule, String field, JsonNode value, List<Cause> causes) {
        FORMS.computeIfAbsent(rule, BuiltInRules::rule).judge(field, value, causes);
    }

    /** What is wrong with an object of a resource, {@code plural.group}. */
    public static List<Cause> judge(String resource, ObjectNode object) {
        List<Cause> causes = new ArrayList<>();
        RULES.computeIfAbsent(resource, name -> table(SOURCE.path("types").path(name)))
                .judge("", object, causes);
        return causes;
    }

    /** What an update may not change. */
    public static List<Cause> judgeUpdate(String resource, ObjectNode before, ObjectNode after) {
        List<Cause> causes = new ArrayList<>();
        JsonNode frozen = SOURCE.path("frozen").path(resource);
        boolean grows = resource.equals("persistentvolumeclaims")
                && !after.at("/status/phase").asText().equals("Bound")
                && !after.at("/spec/resources").equals(before.at("/spec/resources"));
        if (frozen.isObject() && (grows || !rest(frozen, before).equals(rest(frozen, after)))) {
            causes.add(Cause.forbidden(
                    frozen.path("field").asText("spec"), frozen.path("why").asText()));
        }
        if (resource.equals("persistentvolumeclaims")) {
            CoreRules.size(before, after, causes);
        }
        return causes;
    }

    private static JsonNode rest(JsonNode frozen, JsonNode object) {
        JsonNode spec = object.path("spec").deepCopy();
        spec.findParents("image").forEach(parent -> ((ObjectNode) parent).remove("image"));
        if (spec instanceof ObjectNode fields) {
            frozen.path("free").forEach(field -> fields.remove(field.asText()));
        }
        return spec;
    }
}
