package io.controllermanager.testing.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.apiserver.json.Json;
import io.controllermanager.testing.apiserver.json.Quantity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A Pod's requests and {@code qosClass} (kubernetes, pkg/apis/core/v1/defaults.go and helper/qos/qos.go). */
final class QualityOfService {

    private static final Set<String> COUNTED = Set.of("cpu", "memory");

    private QualityOfService() {}

    /** Has a Pod's containers request what they are limited to, where they do not say, and notes the Pod's class. */
    static void set(ObjectNode pod) {
        for (String list : List.of("containers", "initContainers")) {
            pod.path("spec")
                    .path(list)
                    .forEach(container -> container
                            .path("resources")
                            .path("limits")
                            .properties()
                            .forEach(limit -> {
                                ObjectNode requests = Json.child((ObjectNode) container.path("resources"), "requests");
                                if (!requests.has(limit.getKey())) {
                                    requests.set(limit.getKey(), limit.getValue());
                                }
                            }));
        }
        ObjectNode status = Json.child(pod, "status");
        if (!status.has("qosClass")) {
            status.put("qosClass", of(pod.path("spec")));
        }
    }

    /** The class of a Pod of this {@code spec}: its own resources decide, and else those of its containers. */
    private static String of(JsonNode spec) {
        List<JsonNode> all = new ArrayList<>();
        if (spec.has("resources")) {
            all.add(spec.path("resources"));
        } else {
            spec.path("containers").forEach(container -> all.add(container.path("resources")));
            spec.path("initContainers").forEach(container -> all.add(container.path("resources")));
        }
        Map<String, Quantity> requests = new HashMap<>();
        Map<String, Quantity> limits = new HashMap<>();
        boolean limited = true;
        for (JsonNode resources : all) {
            requests = sum(requests, positive(resources.path("requests")));
            Map<String, Quantity> limit = positive(resources.path("limits"));
            limits = sum(limits, limit);
            limited &= limit.keySet().equals(COUNTED);
        }
        if (requests.isEmpty() && limits.isEmpty()) {
            return "BestEffort";
        }
        return limited && requests.equals(limits) ? "Guaranteed" : "Burstable";
    }

    private static Map<String, Quantity> positive(JsonNode amounts) {
        Map<String, Quantity> positive = new HashMap<>();
        for (String resource : COUNTED) {
            Quantity amount = Quantity.parse(amounts.path(resource).asText("0"));
            if (amount.number().signum() > 0) {
                positive.put(resource, amount);
            }
        }
        return positive;
    }

    private static Map<String, Quantity> sum(Map<String, Quantity> some, Map<String, Quantity> others) {
        Map<String, Quantity> sum = new HashMap<>(some);
        others.forEach((resource, amount) -> sum.merge(resource, amount, Quantity::plus));
        return sum;
    }
}
