package io.controllermanager.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.http.StatusException.Cause;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import io.controllermanager.apiserver.storage.Key;
import io.controllermanager.apiserver.storage.Store;
import io.controllermanager.apiserver.storage.StoredObject;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Gives Services what no two of them may have: cluster IPs of 10.0.0.0/16, and node ports (kubernetes,
 * pkg/registry/core/service/storage/alloc.go). Nothing is kept of what is given away but the Services that have it. For use
 * by any thread.
 */
public final class Allocation {

    private static final String RANGE = "10.0.0.0/16";
    private static final Set<String> ENDS = Set.of("10.0.0.0", "10.0.255.255");

    private final Store store;
    private final Map<StoredObject, List<String>> known = Collections.synchronizedMap(new WeakHashMap<>());

    public Allocation(Store store) {
        this.store = store;
    }

    /**
     * Gives a Service what it lacks; anything else is left alone. To be done at the moment of the write.
     *
     * @throws StatusException 422 if it names what it cannot have, and 500 if all is given away
     */
    void allocate(Key key, ObjectNode service) {
        if (!key.resource().equals("services") || !Json.fits(service, ServiceRules.ADDRESSED)) {
            return;
        }
        ObjectNode spec = Json.child(service, "spec");
        String ip = spec.path("clusterIP").asText("");
        if (!ip.isEmpty()) {
            spec.putIfAbsent("clusterIPs", Json.array().add(ip));
        }
        setFamilies(service, spec);
        Set<String> taken = new HashSet<>();
        for (StoredObject other : store.objects("services", "")) {
            if (!other.key().equals(key)) {
                taken.addAll(known.computeIfAbsent(other, Allocation::held));
            }
        }
        if (ip.isEmpty()) {
            // The first ones are for those that name one.
            ip = free(taken, 256, 1, 65_535, n -> "10.0." + (n >> 8) + "." + (n & 255), "serviceIP");
            spec.put("clusterIP", ip).putArray("clusterIPs").add(ip);
        } else if (!ip.equals("None")) {
            refuse(service, "spec.clusterIPs", spec.path("clusterIPs"), wrong(ip, taken));
        }
        if (Json.fits(service, ServiceRules.OUTSIDE)) {
            setPorts(service, spec, taken);
        }
        if (Json.fits(service, ServiceRules.CHECKED) && !spec.has("healthCheckNodePort")) {
            spec.put("healthCheckNodePort", freePort(taken));
        }
    }

    private static List<String> held(StoredObject other) {
        JsonNode spec = other.tree().path("spec");
        List<String> held = new ArrayList<>(Json.texts(spec.path("clusterIPs")));
        spec.path("ports").forEach(port -> held.add(port.path("nodePort").asText()));
        held.add(spec.path("healthCheckNodePort").asText());
        held.removeIf(String::isEmpty);
        return held;
    }

    /** A Service without an address and without a selector is of both families, any other one of IPv4. */
    private static void setFamilies(ObjectNode service, ObjectNode spec) {
        boolean any = Json.fits(spec, "clusterIP=None?!selector");
        spec.putIfAbsent("ipFamilyPolicy", Json.text(any ? "RequireDualStack" : "SingleStack"));
        boolean both = !spec.path("ipFamilyPolicy").asText().equals("SingleStack");
        if (any) {
            spec.putIfAbsent("ipFamilies", Json.array().add("IPv4"));
            if (both && spec.path("ipFamilies").size() == 1) {
                boolean first = spec.at("/ipFamilies/0").asText().equals("IPv4");
                spec.withArray("ipFamilies").add(first ? "IPv6" : "IPv4");
            }
            return;
        }
        for (int i = 0; i < spec.path("clusterIPs").size(); i++) {
            boolean isNew = !spec.path("ipFamilies").has(i)
                    && spec.at("/clusterIPs/" + i).asText().contains(":");
            String why = isNew ? "IPv6 is not configured on this cluster" : "";
            refuse(service, "spec.clusterIPs[" + i + "]", spec.path("clusterIPs"), why);
        }
        String policy = spec.path("ipFamilyPolicy").asText();
        if (policy.equals("RequireDualStack")) {
            refuse(service, "spec.ipFamilyPolicy", policy, "this cluster is not configured for dual-stack services");
        }
        for (int i = 0; i < spec.path("ipFamilies").size(); i++) {
            String family = spec.at("/ipFamilies/" + i).asText();
            String why = family.equals("IPv4") ? "" : "not configured on this cluster";
            refuse(service, "spec.ipFamilies[" + i + "]", family, why);
        }
        spec.putIfAbsent("ipFamilies", Json.array().add("IPv4"));
    }

    /** Ports of one number, which differ in their protocols, get one node port. */
    private static void setPorts(ObjectNode service, ObjectNode spec, Set<String> taken) {
        Map<Integer, Integer> byNumber = new HashMap<>();
        for (int i = 0; i < spec.path("ports").size(); i++) {
            JsonNode port = spec.at("/ports/" + i);
            String node = port.path("nodePort").asText("");
            String why = taken.contains(node) ? "provided port is already allocated" : "";
            refuse(service, "spec.ports[" + i + "].nodePort", port.path("nodePort"), why);
            byNumber.merge(port.path("port").asInt(), port.path("nodePort").asInt(), Math::max);
        }
        if (!Json.fits(spec, "allocateLoadBalancerNodePorts=false")) {
            byNumber.values().forEach(used -> taken.add(used.toString()));
            spec.path("ports").forEach(port -> {
                int number =
                        byNumber.merge(port.path("port").asInt(), 0, (has, none) -> has > 0 ? has : freePort(taken));
                ((ObjectNode) port).put("nodePort", port.path("nodePort").asInt(number));
            });
        }
    }

    private static String wrong(String ip, Set<String> taken) {
        String failed = "failed to allocate IP " + ip + ": ";
        if (!ip.startsWith("10.0.")) {
            return failed + "the provided network does not match the current range";
        } else if (ENDS.contains(ip)) {
            return failed + "the provided IP (" + ip + ") is not in the valid range. The range of valid IPs is "
                    + RANGE;
        }
        return taken.contains(ip) ? failed + "provided IP is already allocated" : "";
    }

    private static void refuse(ObjectNode service, String field, Object value, String why) {
        if (!why.isEmpty()) {
            List<Cause> causes = List.of(Cause.invalid(field, value, why));
            throw StatusException.invalid("Service", Meta.name(service), causes);
        }
    }

    private static int freePort(Set<String> taken) {
        return Integer.parseInt(free(taken, 30_086, 30_000, 32_768, Integer::toString, "nodePort"));
    }

    /** Takes the first that is free from {@code middle} to {@code end}, else from {@code start} to {@code middle}. */
    private static String free(
            Set<String> taken, int middle, int start, int end, IntFunction<String> text, String what) {
        String full = "Internal error occurred: failed to allocate a " + what + ": range is full";
        return IntStream.concat(IntStream.range(middle, end), IntStream.range(start, middle))
                .mapToObj(text)
                .filter(taken::add)
                .findFirst()
                .orElseThrow(() -> StatusException.of(500, "InternalError", full));
    }
}
