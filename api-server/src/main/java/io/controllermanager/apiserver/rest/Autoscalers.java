package io.controllermanager.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import java.util.Map;

/**
 * HorizontalPodAutoscalers in version 1, which knows the share of CPU alone. What version 2 has besides stands in
 * annotations (kubernetes, pkg/apis/autoscaling/v1/conversion.go), here in the form of version 2.
 */
final class Autoscalers {

    private static final String NOTE = "autoscaling.alpha.kubernetes.io/";
    private static final Map<String, String> NOTED = Map.of(
            "metrics", "spec.metrics",
            "behavior", "spec.behavior",
            "current-metrics", "status.currentMetrics",
            "conditions", "status.conditions");
    private static final String TARGET = "targetCPUUtilizationPercentage";
    private static final String CURRENT = "currentCPUUtilizationPercentage";
    private static final int DEFAULT = 80;

    private Autoscalers() {}

    /** Turns one of version 2 into one of version 1. */
    static void toV1(ObjectNode object) {
        ObjectNode spec = Json.child(object, "spec");
        ArrayNode others = Json.array();
        for (JsonNode metric : spec.path("metrics")) {
            JsonNode share = share(metric, "target");
            if (share.isMissingNode()) {
                others.add(metric);
            } else if (!spec.has(TARGET)) {
                spec.set(TARGET, share);
            }
        }
        spec.set("metrics", others);
        for (JsonNode metric : object.at("/status/currentMetrics")) {
            if (!share(metric, "current").isMissingNode()) {
                Json.set(object, "status." + CURRENT, share(metric, "current"));
            }
        }
        NOTED.forEach((name, path) -> {
            JsonNode value = Json.at(object, path);
            if (!value.isEmpty()) {
                Json.child(Meta.of(object), "annotations").put(NOTE + name, value.toString());
            }
            Json.set(object, path, MissingNode.getInstance());
        });
    }

    private static JsonNode share(JsonNode metric, String what) {
        boolean cpu = metric.at("/resource/name").asText().equals("cpu");
        return cpu ? metric.at("/resource/" + what + "/averageUtilization") : MissingNode.getInstance();
    }

    /** Turns one of version 1 into one of version 2. */
    static void toV2(ObjectNode object) {
        ObjectNode spec = Json.child(object, "spec");
        ObjectNode status = Json.child(object, "status");
        ObjectNode annotations = Json.child(Meta.of(object), "annotations");
        NOTED.forEach((name, path) -> {
            JsonNode text = annotations.path(NOTE + name);
            annotations.remove(NOTE + name);
            try {
                JsonNode noted = Json.parse(text.asText());
                if (name.equals("behavior") ? noted.isObject() : noted.isArray()) {
                    Json.set(object, path, noted);
                }
            } catch (IllegalArgumentException ignored) {
                // As the real server does.
            }
        });
        if (annotations.isEmpty()) {
            Meta.of(object).remove("annotations");
        }
        JsonNode share = spec.remove(TARGET);
        ArrayNode metrics = spec.withArray("metrics");
        if (share != null || metrics.isEmpty()) {
            cpu(metrics, "target", share == null ? DEFAULT : share.asInt()).put("type", "Utilization");
        }
        JsonNode current = status.remove(CURRENT);
        if (current != null && !status.has("currentMetrics")) {
            cpu(status.putArray("currentMetrics"), "current", current.asInt());
        }
    }

    private static ObjectNode cpu(ArrayNode metrics, String what, int share) {
        ObjectNode resource = metrics.addObject().put("type", "Resource").putObject("resource");
        return resource.put("name", "cpu").putObject(what).put("averageUtilization", share);
    }
}
