package io.controllermanager.apiserver.validation;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.apiserver.http.StatusException.Cause;
import io.controllermanager.apiserver.json.Quantity;
import java.math.BigDecimal;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Rules for the specs of Pods, in Pods and in templates of them. */
final class PodRules {

    private PodRules() {}

    static void variable(String field, JsonNode variable, List<Cause> causes) {
        if (variable.has("valueFrom") && !variable.path("value").asText("").isEmpty()) {
            causes.add(Cause.invalid(field + ".valueFrom", "", "may not be specified when `value` is not empty"));
        }
    }

    static void resources(String field, JsonNode resources, List<Cause> causes) {
        for (String list : List.of("limits", "requests")) {
            for (Map.Entry<String, JsonNode> entry : resources.path(list).properties()) {
                String name = entry.getKey();
                String at = field + "." + list + "[" + name + "]";
                BigDecimal amount = number(entry.getValue());
                JsonNode limit = resources.path("limits").path(name);
                if (!name.matches("cpu|memory|ephemeral-storage|hugepages-.*|.*/.*")) {
                    causes.add(Cause.invalid(at, name, "must be a standard resource for containers"));
                }
                if (amount.signum() < 0) {
                    causes.add(Cause.invalid(at, entry.getValue(), "must be greater than or equal to 0"));
                }
                if (list.equals("requests") && !limit.isMissingNode() && amount.compareTo(number(limit)) > 0) {
                    String why = "must be less than or equal to " + name + " limit of " + limit.asText();
                    causes.add(Cause.invalid(field + ".requests", entry.getValue(), why));
                }
            }
        }
    }

    private static BigDecimal number(JsonNode quantity) {
        return Quantity.parse(quantity.asText()).number();
    }

    static void containers(String field, JsonNode spec, List<Cause> causes) {
        Rule.REQUIRED.judge(field + ".containers", spec.path("containers"), causes);
        Set<JsonNode> names = names(spec.path("containers"));
        Rule isNew = (at, name, found) -> {
            if (!names.add(name)) {
                found.add(Cause.duplicate(at, name));
            }
        };
        new Table().with("initContainers[].name", isNew).judge(field, spec, causes);
    }

    private static Set<JsonNode> names(JsonNode list) {
        Set<JsonNode> names = new HashSet<>();
        list.forEach(item -> names.add(item.path("name")));
        return names;
    }

    /** Judges whether each mount has its volume, or a claim that is made for the Pod, and a path of its own. */
    static void mounts(String field, JsonNode spec, List<Cause> causes) {
        JsonNode pod = spec.has("template") ? spec.path("template").path("spec") : spec;
        Set<JsonNode> volumes = names(pod.path("volumes"));
        spec.path("volumeClaimTemplates")
                .forEach(claim -> volumes.add(claim.path("metadata").path("name")));
        Rule mounts = (at, list, found) -> {
            Set<JsonNode> paths = new HashSet<>();
            for (int i = 0; i < list.size(); i++) {
                JsonNode mount = list.path(i);
                if (!volumes.contains(mount.path("name"))) {
                    String message = "Not found: " + mount.path("name");
                    found.add(new Cause("FieldValueNotFound", message, at + "[" + i + "].name"));
                }
                if (!paths.add(mount.path("mountPath"))) {
                    found.add(Cause.invalid(at + "[" + i + "].mountPath", mount.path("mountPath"), "must be unique"));
                }
            }
        };
        new Table()
                .with("containers[].volumeMounts", mounts)
                .with("initContainers[].volumeMounts", mounts)
                .judge(spec.has("template") ? field + ".template.spec" : field, pod, causes);
    }
}
