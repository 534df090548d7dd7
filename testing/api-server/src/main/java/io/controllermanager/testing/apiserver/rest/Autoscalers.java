package io.controllermanager.testing.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.apiserver.json.Json;
import io.controllermanager.testing.apiserver.json.Meta;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * HorizontalPodAutoscalers in version 1, which knows the share of CPU alone. What version 2 has besides stands in
 * annotations (kubernetes, pkg/apis/autoscaling/v1/conversion.go), here in the form of version 2.
 */
final class Autoscalers {

    private static final String NOTE = "autoscaling.alpha.kubernetes.io/";
    private static final String TARGET = "targetCPUUtilizationPercentage";
    private static final String CURRENT = "currentCPUUtilizationPercentage";
    private static final int DEFAULT = 80;

    private Autoscalers() {}

    /** Turns one of version 2 into one of version 1. */
    static void toV1(ObjectNode object) {
        ObjectNode spec = Json.child(object, "spec");
        ObjectNode status = Json.child(object, "status");
        ArrayNode others = Json.array();
        for (JsonNode metric : spec.path("metrics")) {
            JsonNode share = share(metric, "target");
            if (share.isMissingNode()) {
                others.add(metric);
            } else if (!spec.has(TARGET)) {
                spec.set(TARGET, share);
            }
        }
        for (JsonNode metric : status.path("currentMetrics")) {
            if (!share(metric, "current").isMissingNode()) {
                status.set(CURRENT, share(metric, "current"));
            }
        }
        spec.remove("metrics");
        note(object, "metrics", others);
        note(object, "behavior", spec.remove("behavior"));
        note(object, "current-metrics", status.remove("currentMetrics"));
        note(object, "conditions", status.remove("conditions"));
    }

    private static JsonNode share(JsonNode metric, String what) {
        JsonNode cpu = metric.path("resource").path("name").asText().equals("cpu") ? metric.path("resource") : metric;
        return cpu.path(what).path("averageUtilization");
    }

    private static void note(ObjectNode object, String name, @Nullable JsonNode value) {
        if (value != null && !value.isEmpty()) {
            Json.child(Meta.of(object), "annotations").put(NOTE + name, value.toString());
        }
    }

    /** Turns one of version 1 into one of version 2. */
    static void toV2(ObjectNode object) {
        ObjectNode spec = Json.child(object, "spec");
        ObjectNode status = Json.child(object, "status");
        JsonNode noted = take(object, "metrics");
        ArrayNode metrics = noted instanceof ArrayNode list ? list : Json.array();
        JsonNode share = spec.remove(TARGET);
        if (share != null || metrics.isEmpty()) {
            metrics.add(cpu("target", share == null ? DEFAULT : share.asInt()));
        }
        spec.set("metrics", metrics);
        JsonNode current = status.remove(CURRENT);
        if (current != null) {
            status.putArray("currentMetrics").add(cpu("current", current.asInt()));
        }
        restore(spec, "behavior", take(object, "behavior"));
        restore(status, "currentMetrics", take(object, "current-metrics"));
        restore(status, "conditions", take(object, "conditions"));
        if (Meta.of(object).path("annotations").isEmpty()) {
            Meta.of(object).remove("annotations");
        }
    }

    private static ObjectNode cpu(String what, int share) {
        ObjectNode metric = Json.object().put("type", "Resource");
        ObjectNode value = metric.putObject("resource").put("name", "cpu").putObject(what);
        if (what.equals("target")) {
            value.put("type", "Utilization");
        }
        value.put("averageUtilization", share);
        return metric;
    }

    private static @Nullable JsonNode take(ObjectNode object, String name) {
        JsonNode annotations = Meta.of(object).path("annotations");
        JsonNode text = annotations instanceof ObjectNode map ? map.remove(NOTE + name) : null;
        return text == null
                ? null
                : Json.readOwn(("{\"noted\":" + text.asText() + "}").getBytes(StandardCharsets.UTF_8))
                        .get("noted");
    }

    private static void restore(ObjectNode object, String field, @Nullable JsonNode value) {
        if (value != null) {
            object.set(field, value);
        }
    }
}
