package io.controllermanager.apiserver.validation;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.apiserver.http.StatusException.Cause;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import io.controllermanager.apiserver.json.Quantity;
import io.controllermanager.apiserver.schema.GoTexts;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Rules for ConfigMaps, Secrets, Services and PersistentVolumeClaims. */
final class CoreRules {

    private static final int LARGEST_DATA = 1024 * 1024;

    private static final Rule MODE =
            Rule.oneOf(List.of("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"));

    /** What must be there in a Secret of a type. */
    private static final Map<String, List<String>> KEYS = Map.of(
            "kubernetes.io/dockercfg", List.of(".dockercfg"),
            "kubernetes.io/dockerconfigjson", List.of(".dockerconfigjson"),
            "kubernetes.io/ssh-auth", List.of("ssh-privatekey"),
            "kubernetes.io/tls", List.of("tls.crt", "tls.key"));

    private CoreRules() {}

    static void configMap(String root, JsonNode map, List<Cause> causes) {
        int size = GoTexts.countBytes(map.path("binaryData"));
        for (Map.Entry<String, JsonNode> entry : map.path("data").properties()) {
            String key = entry.getKey();
            size += entry.getValue().asText().getBytes(StandardCharsets.UTF_8).length;
            if (map.path("binaryData").has(key)) {
                causes.add(Cause.invalid("data[" + key + "]", key, "duplicate of key present in binaryData"));
            }
        }
        if (size > LARGEST_DATA) {
            // As Go writes a path of one empty step.
            causes.add(Cause.tooLong("[]", LARGEST_DATA));
        }
    }

    static void secret(String root, JsonNode secret, List<Cause> causes) {
        JsonNode data = secret.path("data");
        String type = secret.path("type").asText();
        if (GoTexts.countBytes(data) > LARGEST_DATA) {
            causes.add(Cause.tooLong("data", LARGEST_DATA));
        }
        for (String key : KEYS.getOrDefault(type, List.of())) {
            if (!data.has(key)) {
                causes.add(Cause.required("data[" + key + "]", ""));
            }
        }
        if (type.equals("kubernetes.io/basic-auth") && !data.has("username") && !data.has("password")) {
            causes.add(Cause.required("data[username]", ""));
            causes.add(Cause.required("data[password]", ""));
        }
        String owner = "kubernetes.io/service-account.name";
        if (type.equals("kubernetes.io/service-account-token")) {
            JsonNode name = secret.path("metadata").path("annotations").path(owner);
            Rule.REQUIRED.judge("metadata.annotations[" + owner + "]", name, causes);
        }
    }

    static void service(String field, JsonNode spec, List<Cause> causes) {
        String type = spec.path("type").asText();
        if (type.equals("ExternalName")) {
            Rule.REQUIRED.judge(field + ".externalName", spec.path("externalName"), causes);
            if (spec.has("clusterIP") || spec.has("clusterIPs")) {
                causes.add(Cause.forbidden(field + ".clusterIPs", "may not be set for ExternalName services"));
            }
        } else if (!spec.path("clusterIP").asText().equals("None")) {
            Rule.REQUIRED.judge(field + ".ports", spec.path("ports"), causes);
        } else if (!type.equals("ClusterIP")) {
            String why = "may not be set to 'None' for " + type + " services";
            causes.add(Cause.invalid(field + ".clusterIPs[0]", "None", why));
        }
    }

    static void ports(String field, JsonNode ports, List<Cause> causes) {
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < ports.size(); i++) {
            JsonNode port = ports.path(i);
            if (ports.size() > 1) {
                Rule.REQUIRED.judge(field + "[" + i + "].name", port.path("name"), causes);
            }
            // As Go writes a port of which no more is known.
            String known = "{\"Name\":\"\",\"Protocol\":" + port.path("protocol") + ",\"AppProtocol\":null,\"Port\":"
                    + port.path("port") + ",\"TargetPort\":0,\"NodePort\":0}";
            if (!seen.add(known)) {
                causes.add(new Cause("FieldValueDuplicate", "Duplicate value: " + known, field + "[" + i + "]"));
            }
        }
    }

    /** An Event of the old kind is where its object is; any for an object without a namespace, in {@code default}. */
    static void event(String field, JsonNode event, List<Cause> causes) {
        String of = event.at("/involvedObject/namespace").asText("");
        String namespace = Meta.namespace(event);
        boolean timed = event.has("eventTime");
        boolean fits = of.isEmpty()
                ? namespace.equals("default") || (timed && namespace.equals("kube-system"))
                : timed || namespace.equals(of);
        if (!fits) {
            causes.add(Cause.invalid("involvedObject.namespace", of, "does not match event.namespace"));
        }
    }

    static void accessModes(String field, JsonNode modes, List<Cause> causes) {
        if (modes.isEmpty()) {
            causes.add(Cause.required(field, "at least 1 access mode is required"));
        }
        modes.forEach(mode -> MODE.judge(field, mode, causes));
        if (modes.size() > 1 && Json.texts(modes).contains("ReadWriteOncePod")) {
            causes.add(Cause.forbidden(field, "may not use ReadWriteOncePod with other access modes"));
        }
    }

    static void storage(String field, JsonNode resources, List<Cause> causes) {
        JsonNode amount = resources.path("requests").path("storage");
        Rule.REQUIRED.judge(field + "[storage]", amount, causes);
        if (amount.isTextual() && Quantity.of(amount).number().signum() <= 0) {
            causes.add(Cause.invalid(field + "[storage]", amount, "must be greater than zero"));
        }
    }

    /** A claim that shrinks, as after one that could not grow, stays larger than its volume is. */
    static void size(JsonNode before, JsonNode after, List<Cause> causes) {
        BigDecimal size =
                Quantity.of(after.at("/spec/resources/requests/storage")).number();
        BigDecimal asked =
                Quantity.of(before.at("/spec/resources/requests/storage")).number();
        BigDecimal has = Quantity.of(before.at("/status/capacity/storage")).number();
        if (size.compareTo(asked) < 0 && size.compareTo(has) <= 0) {
            causes.add(
                    Cause.forbidden("spec.resources.requests.storage", "field can not be less than status.capacity"));
        }
    }
}
