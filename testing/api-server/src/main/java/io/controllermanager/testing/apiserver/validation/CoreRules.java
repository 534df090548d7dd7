package io.controllermanager.testing.apiserver.validation;

import static io.controllermanager.testing.apiserver.validation.Rule.DNS_LABEL;
import static io.controllermanager.testing.apiserver.validation.Rule.PORT;
import static io.controllermanager.testing.apiserver.validation.Rule.PORT_NAME;
import static io.controllermanager.testing.apiserver.validation.Rule.REQUIRED;
import static io.controllermanager.testing.apiserver.validation.Rule.oneOf;
import static io.controllermanager.testing.apiserver.validation.Rule.uniqueBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.controllermanager.testing.apiserver.schema.GoTexts;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Rules for ConfigMaps, Secrets, Services and PersistentVolumeClaims. */
final class CoreRules {

    private static final int LARGEST_DATA = 1024 * 1024;

    private static final Rule KEY = Rule.text(".{0,253}", "must be no more than 253 characters")
            .and(Rule.text(
                    "[-._a-zA-Z0-9]+",
                    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or"
                            + " 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"))
            .and(Rule.text("(?!\\.\\.).*", "must not start with '..'"));

    /** What must be there in a Secret of a type. */
    private static final Map<String, List<String>> KEYS = Map.of(
            "kubernetes.io/dockercfg", List.of(".dockercfg"),
            "kubernetes.io/dockerconfigjson", List.of(".dockerconfigjson"),
            "kubernetes.io/ssh-auth", List.of("ssh-privatekey"),
            "kubernetes.io/tls", List.of("tls.crt", "tls.key"));

    static final Rule CONFIG_MAP = new Table().with("", CoreRules::keys, CoreRules::configMap);

    static final Rule SECRET = new Table().with("", CoreRules::keys, CoreRules::secret);

    static final Rule SERVICE = new Table()
            .with("spec", (field, spec, findings) -> {
                if (spec.path("type").asText().equals("ExternalName")) {
                    REQUIRED.judge("spec.externalName", spec.path("externalName"), findings);
                } else if (!spec.path("clusterIP").asText().equals("None")) {
                    REQUIRED.judge("spec.ports", spec.path("ports"), findings);
                }
            })
            .with("spec.ports", uniqueBy("name"), CoreRules::manyPorts)
            .with("spec.ports[].name", DNS_LABEL)
            .with("spec.ports[].port", PORT)
            .with("spec.ports[].protocol", oneOf("SCTP", "TCP", "UDP"))
            .with("spec.ports[].targetPort", PORT, PORT_NAME)
            .with("spec.type", oneOf("ClusterIP", "ExternalName", "LoadBalancer", "NodePort"));

    static final Rule CLAIM_SPEC = new Table()
            .with("accessModes", (field, modes, findings) -> {
                if (modes.isEmpty()) {
                    findings.required(field, "at least 1 access mode is required");
                }
                Rule known = oneOf("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod");
                modes.forEach(mode -> known.judge(field, mode, findings));
            })
            .with(
                    "resources",
                    (field, resources, findings) -> REQUIRED.judge(
                            field + "[storage]", resources.path("requests").path("storage"), findings));

    private CoreRules() {}

    private static void keys(String root, JsonNode object, Findings findings) {
        for (String field : List.of("data", "binaryData")) {
            for (Map.Entry<String, JsonNode> entry : object.path(field).properties()) {
                String key = entry.getKey();
                KEY.judge(field + "[" + key + "]", TextNode.valueOf(key), findings);
            }
        }
    }

    private static void configMap(String root, JsonNode map, Findings findings) {
        int size = GoTexts.countBytes(map.path("binaryData"));
        for (Map.Entry<String, JsonNode> entry : map.path("data").properties()) {
            String key = entry.getKey();
            size += entry.getValue().asText().getBytes(StandardCharsets.UTF_8).length;
            if (map.path("binaryData").has(key)) {
                findings.invalid("data[" + key + "]", TextNode.valueOf(key), "duplicate of key present in binaryData");
            }
        }
        if (size > LARGEST_DATA) {
            // As Go writes a path of one empty step.
            findings.tooLong("[]", LARGEST_DATA);
        }
    }

    private static void secret(String root, JsonNode secret, Findings findings) {
        JsonNode data = secret.path("data");
        String type = secret.path("type").asText();
        if (GoTexts.countBytes(data) > LARGEST_DATA) {
            findings.tooLong("data", LARGEST_DATA);
        }
        for (String key : KEYS.getOrDefault(type, List.of())) {
            if (!data.has(key)) {
                findings.required("data[" + key + "]", "");
            }
        }
        if (type.equals("kubernetes.io/basic-auth") && !data.has("username") && !data.has("password")) {
            findings.required("data[username]", "");
            findings.required("data[password]", "");
        }
        String owner = "kubernetes.io/service-account.name";
        if (type.equals("kubernetes.io/service-account-token")) {
            JsonNode name = secret.path("metadata").path("annotations").path(owner);
            REQUIRED.judge("metadata.annotations[" + owner + "]", name, findings);
        }
    }

    private static void manyPorts(String field, JsonNode ports, Findings findings) {
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < ports.size(); i++) {
            JsonNode port = ports.path(i);
            if (ports.size() > 1) {
                REQUIRED.judge(field + "[" + i + "].name", port.path("name"), findings);
            }
            // As Go writes a port of which no more is known.
            String known = "{\"Name\":\"\",\"Protocol\":" + port.path("protocol") + ",\"AppProtocol\":null,\"Port\":"
                    + port.path("port") + ",\"TargetPort\":0,\"NodePort\":0}";
            if (!seen.add(known)) {
                findings.duplicate(field + "[" + i + "]", known);
            }
        }
    }
}
