package io.controllermanager.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import java.util.List;

/** What holds for Jobs alone (kubernetes, pkg/apis/batch and pkg/registry/batch/job). */
final class JobRules {

    private JobRules() {}

    /** Gives a new Job the labels by which it finds its Pods, unless it sees to that itself. */
    static void select(ObjectNode job) {
        ObjectNode spec = Json.child(job, "spec");
        if (spec.path("manualSelector").asBoolean()) {
            return;
        }
        ObjectNode labels = Json.child(Meta.of(Json.child(spec, "template")), "labels");
        for (String prefix : List.of("", "batch.kubernetes.io/")) {
            labels.putIfAbsent(prefix + "job-name", TextNode.valueOf(Meta.name(job)));
            labels.putIfAbsent(prefix + "controller-uid", TextNode.valueOf(Meta.uid(job)));
        }
        ObjectNode selected = Json.child(Json.child(spec, "selector"), "matchLabels");
        selected.putIfAbsent("batch.kubernetes.io/controller-uid", TextNode.valueOf(Meta.uid(job)));
    }

    /** Whether an immutable field may change all the same: Pods that are still to come, and how many of numbered ones. */
    static boolean mayChange(ObjectNode before, String path) {
        JsonNode spec = before.path("spec");
        boolean isToCome =
                spec.path("suspend").asBoolean() && !before.path("status").has("startTime");
        boolean isNumbered = spec.path("completionMode").asText().equals("Indexed");
        return (path.equals("spec.template") && isToCome) || (path.equals("spec.completions") && isNumbered);
    }
}
