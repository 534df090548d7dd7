package io.controllermanager.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Quantity;
import java.util.ArrayList;
import java.util.List;

/** A Pod's requests and {@code qosClass} (kubernetes, pkg/apis/core/v1/defaults.go and helper/qos/qos.go). */
final class QualityOfService {

    private static final Quantity NOTHING = Quantity.of(0);

    private QualityOfService() {}

    /** Has a Pod's containers request what they are limited to, where they do not say, and notes the Pod's class. */
    static void set(ObjectNode pod) {
        JsonNode spec = pod.path("spec");
        List<JsonNode> all = new ArrayList<>();
        for (String list : List.of("containers", "initContainers")) {
            spec.path(list).forEach(container -> all.add(container.path("resources")));
        }
        all.stream().filter(resources -> resources.has("limits")).forEach(resources -> {
            ObjectNode requests = Json.child((ObjectNode) resources, "requests");
            JsonNode limits = resources.path("limits");
            limits.properties().forEach(limit -> requests.putIfAbsent(limit.getKey(), limit.getValue()));
        });
        ObjectNode status = Json.child(pod, "status");
        if (!status.has("qosClass")) {
            status.put("qosClass", of(spec.has("resources") ? List.of(spec.path("resources")) : all));
        }
    }

    private static String of(List<JsonNode> all) {
        boolean best = true;
        boolean guaranteed = true;
        for (JsonNode resources : all) {
            for (String resource : List.of("cpu", "memory")) {
                Quantity limit = Quantity.of(resources.path("limits").path(resource));
                Quantity request = Quantity.of(resources.path("requests").path(resource));
                best &= limit.equals(NOTHING) && request.equals(NOTHING);
                guaranteed &= limit.equals(request) && !limit.equals(NOTHING);
            }
        }
        return best ? "BestEffort" : guaranteed ? "Guaranteed" : "Burstable";
    }
}
