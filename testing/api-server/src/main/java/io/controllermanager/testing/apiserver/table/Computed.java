package io.controllermanager.testing.apiserver.table;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.testing.apiserver.json.Json;
import io.controllermanager.testing.apiserver.json.Meta;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** The cells of the core group and of RBAC that no path leads to (kubernetes, pkg/printers/internalversion/printers.go). */
final class Computed {

    private static final String NONE = "<none>";
    private static final Map<String, String> MODES =
            Map.of("ReadWriteOnce", "RWO", "ReadOnlyMany", "ROX", "ReadWriteMany", "RWX", "ReadWriteOncePod", "RWOP");

    private Computed() {}

    /**
     * A cell's text.
     *
     * @param age tells how long ago a time was
     */
    static String of(String name, JsonNode object, UnaryOperator<String> age) {
        JsonNode spec = object.path("spec");
        JsonNode status = object.path("status");
        return switch (name) {
            case "externalIp" -> externalIp(spec, status);
            case "servicePorts" -> texts(spec.path("ports"), Computed::port, ",", NONE);
            case "endpoints" -> endpoints(object);
            case "podReady" -> ready(status) + "/" + spec.path("containers").size();
            case "podStatus" -> podStatus(object, spec, status);
            case "podRestarts" -> restarts(status, age);
            case "readinessGates" -> readinessGates(spec, status);
            case "nodeStatus" -> nodeStatus(spec, status);
            case "nodeRoles" -> nodeRoles(object);
            case "accessModes" -> modes(spec);
            case "boundModes" -> spec.path("volumeName").asText().isEmpty() ? "" : modes(status);
            case "claim" -> {
                JsonNode claim = spec.path("claimRef");
                yield claim.isObject()
                        ? claim.path("namespace").asText() + "/"
                                + claim.path("name").asText()
                        : "";
            }
            case "users" -> subjects(object, "User");
            case "groups" -> subjects(object, "Group");
            case "serviceAccounts" -> subjects(object, "ServiceAccount");
            default -> ComputedBeyondCore.of(name, object, age);
        };
    }

    /** A map as label selectors have it. */
    static String pairs(JsonNode map) {
        Map<String, String> sorted = new TreeMap<>();
        map.properties()
                .forEach(entry -> sorted.put(entry.getKey(), entry.getValue().asText()));
        List<String> pairs = new ArrayList<>();
        sorted.forEach((key, value) -> pairs.add(key + "=" + value));
        return pairs.isEmpty() ? NONE : String.join(",", pairs);
    }

    private static String texts(JsonNode list, Function<JsonNode, String> text, String between, String none) {
        List<String> texts = new ArrayList<>();
        list.forEach(item -> texts.add(text.apply(item)));
        return texts.isEmpty() ? none : String.join(between, texts);
    }

    private static String externalIp(JsonNode spec, JsonNode status) {
        String type = spec.path("type").asText();
        if (type.equals("ExternalName")) {
            return spec.path("externalName").asText();
        }
        List<String> addresses = new ArrayList<>();
        if (type.equals("LoadBalancer")) {
            status.path("loadBalancer")
                    .path("ingress")
                    .forEach(ingress -> addresses.add(
                            ingress.path("ip").asText(ingress.path("hostname").asText())));
        }
        spec.path("externalIPs").forEach(address -> addresses.add(address.asText()));
        return addresses.isEmpty() ? type.equals("LoadBalancer") ? "<pending>" : NONE : String.join(",", addresses);
    }

    private static String port(JsonNode port) {
        String node =
                port.path("nodePort").asInt() > 0 ? ":" + port.path("nodePort").asInt() : "";
        return port.path("port").asInt() + node + "/" + port.path("protocol").asText();
    }

    private static String endpoints(JsonNode endpoints) {
        List<String> all = new ArrayList<>();
        for (JsonNode subset : endpoints.path("subsets")) {
            List<String> suffixes = new ArrayList<>();
            subset.path("ports")
                    .forEach(port -> suffixes.add(":" + port.path("port").asInt()));
            for (String suffix : suffixes.isEmpty() ? List.of("") : suffixes) {
                subset.path("addresses")
                        .forEach(address -> all.add(address.path("ip").asText() + suffix));
            }
        }
        if (all.isEmpty()) {
            return NONE;
        }
        return all.size() <= 3
                ? String.join(",", all)
                : String.join(",", all.subList(0, 3)) + " + " + (all.size() - 3) + " more...";
    }

    private static int ready(JsonNode status) {
        int ready = 0;
        for (JsonNode container : status.path("containerStatuses")) {
            ready += isReady(container) ? 1 : 0;
        }
        return ready;
    }

    private static boolean isReady(JsonNode container) {
        return container.path("ready").asBoolean() && container.path("state").has("running");
    }

    private static String podStatus(JsonNode pod, JsonNode spec, JsonNode status) {
        String phase = status.path("phase").asText();
        String reason = status.path("reason").asText(phase);
        String beginning = initialization(spec, status);
        if (!beginning.isEmpty()) {
            reason = beginning;
        } else {
            JsonNode containers = status.path("containerStatuses");
            for (int i = containers.size() - 1; i >= 0; i--) {
                String why = why(containers.get(i).path("state"));
                reason = why.isEmpty() ? reason : why;
            }
            if (reason.equals("Completed") && ready(status) > 0) {
                reason = isTrue(status, "Ready") ? "Running" : "NotReady";
            }
        }
        boolean isOver = phase.equals("Succeeded") || phase.equals("Failed");
        if (Meta.isBeingDeleted(pod) && status.path("reason").asText().equals("NodeLost")) {
            return "Unknown";
        }
        return Meta.isBeingDeleted(pod) && !isOver ? "Terminating" : reason;
    }

    private static String initialization(JsonNode spec, JsonNode status) {
        int done = 0;
        for (JsonNode container : status.path("initContainerStatuses")) {
            JsonNode state = container.path("state");
            boolean isSidecar = false;
            for (JsonNode declared : spec.path("initContainers")) {
                isSidecar |= declared.path("name").equals(container.path("name"))
                        && declared.path("restartPolicy").asText().equals("Always");
            }
            boolean hasEnded = state.path("terminated").path("exitCode").asInt(-1) == 0;
            boolean hasStarted = isSidecar && container.path("started").asBoolean();
            if (!hasEnded && !hasStarted) {
                String why = why(state);
                return why.isEmpty() || why.equals("PodInitializing")
                        ? "Init:" + done + "/" + spec.path("initContainers").size()
                        : "Init:" + why;
            }
            done++;
        }
        return "";
    }

    /** Why a container does not run; empty where it does. */
    private static String why(JsonNode state) {
        String waiting = state.path("waiting").path("reason").asText();
        JsonNode end = state.path("terminated");
        if (!waiting.isEmpty() || end.isMissingNode()) {
            return waiting;
        }
        String reason = end.path("reason").asText();
        int signal = end.path("signal").asInt();
        return !reason.isEmpty()
                ? reason
                : signal == 0 ? "ExitCode:" + end.path("exitCode").asInt() : "Signal:" + signal;
    }

    private static String restarts(JsonNode status, UnaryOperator<String> age) {
        int restarts = 0;
        String last = "";
        for (JsonNode container : status.path("containerStatuses")) {
            restarts += container.path("restartCount").asInt();
            String end = Json.at(container, ".lastState.terminated.finishedAt").asText();
            last = end.compareTo(last) > 0 ? end : last;
        }
        return restarts > 0 && !last.isEmpty() ? restarts + " (" + age.apply(last) + " ago)" : "" + restarts;
    }

    private static String readinessGates(JsonNode spec, JsonNode status) {
        JsonNode gates = spec.path("readinessGates");
        int open = 0;
        for (JsonNode gate : gates) {
            open += isTrue(status, gate.path("conditionType").asText()) ? 1 : 0;
        }
        return gates.isEmpty() ? NONE : open + "/" + gates.size();
    }

    static boolean isTrue(JsonNode status, String type) {
        for (JsonNode condition : status.path("conditions")) {
            if (condition.path("type").asText().equals(type)) {
                return condition.path("status").asText().equals("True");
            }
        }
        return false;
    }

    private static String nodeStatus(JsonNode spec, JsonNode status) {
        String ready = "Unknown";
        for (JsonNode condition : status.path("conditions")) {
            if (condition.path("type").asText().equals("Ready")) {
                ready = condition.path("status").asText().equals("True") ? "Ready" : "NotReady";
            }
        }
        return spec.path("unschedulable").asBoolean() ? ready + ",SchedulingDisabled" : ready;
    }

    private static String nodeRoles(JsonNode node) {
        TreeSet<String> roles = new TreeSet<>();
        Meta.labels(node).forEach((key, value) -> {
            if (key.startsWith("node-role.kubernetes.io/")) {
                roles.add(key.substring(key.indexOf('/') + 1));
            } else if (key.equals("kubernetes.io/role")) {
                roles.add(value);
            }
        });
        return roles.isEmpty() ? NONE : String.join(",", roles);
    }

    private static String modes(JsonNode of) {
        return texts(of.path("accessModes"), mode -> MODES.getOrDefault(mode.asText(), mode.asText()), ",", "");
    }

    private static String subjects(JsonNode binding, String kind) {
        List<String> names = new ArrayList<>();
        for (JsonNode subject : binding.path("subjects")) {
            if (subject.path("kind").asText().equals(kind)) {
                String namespace = kind.equals("ServiceAccount")
                        ? subject.path("namespace").asText() + "/"
                        : "";
                names.add(namespace + subject.path("name").asText());
            }
        }
        return String.join(", ", names);
    }
}
