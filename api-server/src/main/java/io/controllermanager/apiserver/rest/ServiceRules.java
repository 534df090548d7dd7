package io.controllermanager.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.http.StatusException.Cause;
import io.controllermanager.apiserver.json.Json;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What an update of a Service keeps of what the server has allocated (registry/core/service/strategy.go and storage). */
final class ServiceRules {

    static final String ADDRESSED = "spec/type!=ExternalName";
    static final String OUTSIDE = "spec/type=LoadBalancer|NodePort";
    static final String CHECKED = "spec/type=LoadBalancer?spec/externalTrafficPolicy=Local";

    private static final List<String> OF_ADDRESSES = List.of("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy");

    private ServiceRules() {}

    /**
     * Gives a Service what it had and its client left out, and takes from it what its new type does without.
     *
     * @param before empty for a creation, which gives nothing
     */
    static void carry(ObjectNode before, ObjectNode after) {
        ObjectNode was = Json.child(before, "spec");
        ObjectNode is = Json.child(after, "spec");
        if (Json.fits(before, ADDRESSED)) {
            boolean addressed = Json.fits(after, ADDRESSED);
            OF_ADDRESSES.forEach(field -> carry(was, is, field, addressed));
            // Who changes the one field means the other as well.
            boolean changed = was.has("clusterIP") && !is.path("clusterIP").equals(was.path("clusterIP"));
            if (addressed && changed && is.path("clusterIPs").equals(was.path("clusterIPs"))) {
                is.putArray("clusterIPs").add(is.path("clusterIP"));
            }
        }
        if (Json.fits(before, OUTSIDE)) {
            if (Json.fits(after, OUTSIDE)) {
                carryPorts(was.path("ports"), is.path("ports"));
            } else {
                if (!is.has("externalIPs")) {
                    is.remove("externalTrafficPolicy");
                }
                is.path("ports").forEach(port -> ((ObjectNode) port).remove("nodePort"));
            }
        }
        if (Json.fits(before, CHECKED)) {
            carry(was, is, "healthCheckNodePort", Json.fits(after, CHECKED));
        }
    }

    /** Sets a field as it was, where it is not there and still needed; takes it away where it is as it was and not needed. */
    private static void carry(ObjectNode was, ObjectNode is, String field, boolean needed) {
        if (needed && is.path(field).isMissingNode() && was.has(field)) {
            is.set(field, was.path(field).deepCopy());
        } else if (!needed && is.path(field).equals(was.path(field))) {
            is.remove(field);
        }
    }

    private static void carryPorts(JsonNode were, JsonNode are) {
        Map<String, JsonNode> free = new HashMap<>();
        were.forEach(port -> free.put(port.path("name").asText(), port.path("nodePort")));
        are.forEach(port -> free.values().remove(port.path("nodePort")));
        are.forEach(port -> {
            JsonNode known = free.get(port.path("name").asText());
            if (known != null && known.isNumber()) {
                ((ObjectNode) port).putIfAbsent("nodePort", known);
            }
        });
    }

    /** A cluster IP stays as long as the Service has one. */
    static void judgeUpdate(ObjectNode before, ObjectNode after, List<Cause> causes) {
        JsonNode ips = after.at("/spec/clusterIPs");
        if (Json.fits(before, ADDRESSED)
                && Json.fits(after, ADDRESSED)
                && !ips.path(0).equals(before.at("/spec/clusterIPs/0"))) {
            causes.add(Cause.invalid("spec.clusterIPs[0]", ips, "may not change once set"));
        }
    }
}
