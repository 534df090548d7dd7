package io.controllermanager.testing.apiserver.validation;

import static io.controllermanager.testing.apiserver.validation.Rule.DNS_LABEL;
import static io.controllermanager.testing.apiserver.validation.Rule.PORT;
import static io.controllermanager.testing.apiserver.validation.Rule.PORT_NAME;
import static io.controllermanager.testing.apiserver.validation.Rule.REQUIRED;
import static io.controllermanager.testing.apiserver.validation.Rule.oneOf;
import static io.controllermanager.testing.apiserver.validation.Rule.uniqueBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.controllermanager.testing.apiserver.json.Quantity;
import java.math.BigDecimal;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Rules for the specs of Pods, in Pods and in templates of them. */
final class PodRules {

    private static final Rule PROBE = (field, probe, findings) -> {
        if (probe.isObject()
                && List.of("exec", "grpc", "httpGet", "tcpSocket").stream().noneMatch(probe::has)) {
            findings.required(field, "must specify a handler type");
        }
    };

    private static final Rule CONTAINER = new Table()
            .with("name", DNS_LABEL)
            .with("image", REQUIRED)
            .with("ports", uniqueBy("name"))
            .with("ports[].name", PORT_NAME)
            .with("ports[].containerPort", PORT)
            .with("ports[].protocol", oneOf("SCTP", "TCP", "UDP"))
            .with("env[]", (field, variable, findings) -> {
                if (variable.has("valueFrom")
                        && !variable.path("value").asText("").isEmpty()) {
                    findings.invalid(field + ".valueFrom", "\"\"", "may not be specified when `value` is not empty");
                }
            })
            .with("imagePullPolicy", oneOf("Always", "IfNotPresent", "Never"))
            .with("resources", PodRules::resources)
            .with("livenessProbe", PROBE)
            .with("readinessProbe", PROBE)
            .with("startupProbe", PROBE);

    /** But for {@link #mounts}. */
    static final Rule SPEC = new Table()
            .with("volumes", uniqueBy("name"))
            .with("volumes[].name", DNS_LABEL)
            .with("volumes[]", PodRules::oneSource)
            .with("containers", uniqueBy("name"))
            .with("containers[]", CONTAINER)
            .with("initContainers[]", CONTAINER)
            .with("", PodRules::containers)
            .with("restartPolicy", oneOf("Always", "OnFailure", "Never"))
            .with("dnsPolicy", oneOf("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"));

    private PodRules() {}

    private static void resources(String field, JsonNode resources, Findings findings) {
        for (String list : List.of("limits", "requests")) {
            for (Map.Entry<String, JsonNode> entry : resources.path(list).properties()) {
                String name = entry.getKey();
                String at = field + "." + list + "[" + name + "]";
                BigDecimal amount = number(entry.getValue());
                JsonNode limit = resources.path("limits").path(name);
                if (!name.matches("cpu|memory|ephemeral-storage|hugepages-.*|.*/.*")) {
                    findings.invalid(at, TextNode.valueOf(name), "must be a standard resource for containers");
                }
                if (amount.signum() < 0) {
                    findings.invalid(at, entry.getValue(), "must be greater than or equal to 0");
                }
                if (list.equals("requests") && !limit.isMissingNode() && amount.compareTo(number(limit)) > 0) {
                    String why = "must be less than or equal to " + name + " limit of " + limit.asText();
                    findings.invalid(field + ".requests", entry.getValue(), why);
                }
            }
        }
    }

    private static BigDecimal number(JsonNode quantity) {
        return Quantity.parse(quantity.asText()).number();
    }

    private static void oneSource(String field, JsonNode volume, Findings findings) {
        volume.properties().stream()
                .map(Map.Entry::getKey)
                .filter(source -> !source.equals("name"))
                .skip(1)
                .forEach(more -> findings.forbidden(field + "." + more, "may not specify more than 1 volume type"));
    }

    private static void containers(String field, JsonNode spec, Findings findings) {
        REQUIRED.judge(field + ".containers", spec.path("containers"), findings);
        Set<JsonNode> names = names(spec.path("containers"));
        Rule isNew = (at, name, found) -> {
            if (!names.add(name)) {
                found.duplicate(at, name);
            }
        };
        new Table().with("initContainers[].name", isNew).judge(field, spec, findings);
    }

    private static Set<JsonNode> names(JsonNode list) {
        Set<JsonNode> names = new HashSet<>();
        list.forEach(item -> names.add(item.path("name")));
        return names;
    }

    /**
     * Judges whether each mount has its volume, and a path of its own.
     *
     * @param claims that are made for the Pod
     */
    static void mounts(String field, JsonNode spec, JsonNode claims, Findings findings) {
        Set<JsonNode> volumes = names(spec.path("volumes"));
        claims.forEach(claim -> volumes.add(claim.path("metadata").path("name")));
        Rule mounts = (at, list, found) -> {
            Set<JsonNode> paths = new HashSet<>();
            for (int i = 0; i < list.size(); i++) {
                JsonNode mount = list.path(i);
                if (!volumes.contains(mount.path("name"))) {
                    found.add("NotFound", "Not found: " + mount.path("name"), at + "[" + i + "].name");
                }
                if (!paths.add(mount.path("mountPath"))) {
                    found.invalid(at + "[" + i + "].mountPath", mount.path("mountPath"), "must be unique");
                }
            }
        };
        new Table()
                .with("containers[].volumeMounts", mounts)
                .with("initContainers[].volumeMounts", mounts)
                .judge(field, spec, findings);
    }
}
