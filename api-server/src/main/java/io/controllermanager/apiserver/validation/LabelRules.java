package io.controllermanager.apiserver.validation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import io.controllermanager.apiserver.http.StatusException.Cause;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import io.controllermanager.apiserver.selector.LabelSelector;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Rules for labels and what selects them (apimachinery, pkg/apis/meta/v1/validation). */
public final class LabelRules {

    private LabelRules() {}

    /** What is wrong with the labels in this field. */
    public static void labels(String field, Map<String, String> labels, List<Cause> causes) {
        labels.forEach((key, value) -> {
            key(field, key, causes);
            BuiltInRules.judge("label value", field, Json.text(value), causes);
        });
    }

    public static void key(String field, String key, List<Cause> causes) {
        String name = key.substring(key.indexOf('/') + 1);
        if (name.length() > 63) {
            causes.add(Cause.invalid(field, key, "name part must be no more than 63 bytes"));
        } else if (!Meta.isKey(key)) {
            String why =
                    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with"
                            + " an alphanumeric character";
            causes.add(Cause.invalid(field, key, why));
        }
    }

    /**
     * Judges the template in a spec: its labels, and whether the spec's selector, a map or not, selects them. By a selector
     * that is none, nothing is judged.
     */
    static void selector(String field, JsonNode spec, List<Cause> causes) {
        JsonNode selector = spec.path("selector");
        boolean isMap = !selector.has("matchLabels") && !selector.has("matchExpressions");
        List<Cause> wrong = new ArrayList<>();
        BuiltInRules.judge("label selector", "", selector, wrong);
        if (!isMap && !wrong.isEmpty()) {
            return;
        }
        Map<String, String> labels = Meta.labels(spec.path("template"));
        labels(field + ".template.labels", labels, causes);
        boolean selects = isMap
                ? labels.entrySet().containsAll(Meta.texts(selector).entrySet())
                : LabelSelector.of(selector).matches(labels);
        if (!selects) {
            JsonNode given = spec.at("/template/metadata/labels");
            Object shown = given.isMissingNode() ? NullNode.getInstance() : given;
            String why = "`selector` does not match template `labels`";
            causes.add(Cause.invalid(field + ".template.metadata.labels", shown, why));
        }
    }
}
