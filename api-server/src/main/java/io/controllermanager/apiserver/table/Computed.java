package io.controllermanager.apiserver.table;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** The cells that no path leads to (kubernetes, pkg/printers/internalversion/printers.go). */
final class Computed {

    private static final String NONE = "<none>";
    private static final String UNKNOWN = "<unknown>";
    private static final Map<String, String> MODES =
            Map.of("ReadWriteOnce", "RWO", "ReadOnlyMany", "ROX", "ReadWriteMany", "RWX", "ReadWriteOncePod", "RWOP");

    private Computed() {}

    /** A cell's text. An age is how long ago a time was. */
    static String of(String name, JsonNode object, UnaryOperator<String> age) {
        JsonNode spec = object.path("spec");
        JsonNode status = object.path("status");
        return switch (name) {
            case "externalIp" -> externalIp(spec, status);
            case "servicePorts" -> texts(spec.path("ports"), Computed::port, NONE);
            case "endpoints" -> endpoints(object);
            case "podReady" -> ready(status) + "/" + spec.path("containers").size();
            case "podStatus" -> podStatus(object, spec, status);
            case "podRestarts" -> restarts(status, age);
            case "readinessGates" -> readinessGates(spec, status);
            case "nodeRoles" -> nodeRoles(object);
            case "accessModes" -> modes(spec);
            case "boundModes" -> spec.path("volumeName").asText().isEmpty() ? "" : modes(status);
            case "users" -> subjects(object, "User");
            case "groups" -> subjects(object, "Group");
            case "serviceAccounts" -> subjects(object, "ServiceAccount");
            case "duration" -> duration(status, age);
            case "targets" ->
                spec.has("targetCPUUtilizationPercentage")
                        ? "cpu: " + percent(status.path("currentCPUUtilizationPercentage"), UNKNOWN) + "/"
                                + percent(spec.path("targetCPUUtilizationPercentage"), "<auto>")
                        : targets(spec.path("metrics"), status.path("currentMetrics"));
            default -> throw new IllegalArgumentException("No cell is computed as " + name);
        };
    }

    /** The first ones of many. */
    static String some(List<String> all, int most, String between, String none) {
        String more = all.size() > most ? " + " + (all.size() - most) + " more..." : "";
        return all.isEmpty() ? none : String.join(between, all.subList(0, Math.min(most, all.size()))) + more;
    }

    private static String texts(JsonNode list, Function<JsonNode, String> text, String none) {
        return list.isEmpty() ? none : Json.list(list).stream().map(text).collect(Collectors.joining(","));
    }

    private static String externalIp(JsonNode spec, JsonNode status) {
        String type = spec.path("type").asText();
        if (type.equals("ExternalName")) {
            return spec.path("externalName").asText();
        }
        boolean balanced = type.equals("LoadBalancer");
        List<String> addresses = new ArrayList<>();
        for (JsonNode ingress : balanced ? status.at("/loadBalancer/ingress") : Json.array()) {
            addresses.add(ingress.path("ip").asText(ingress.path("hostname").asText()));
        }
        addresses.addAll(Json.texts(spec.path("externalIPs")));
        return addresses.isEmpty() ? balanced ? "<pending>" : NONE : String.join(",", addresses);
    }

    private static String port(JsonNode port) {
        int node = port.path("nodePort").asInt();
        return port.path("port").asInt() + (node > 0 ? ":" + node : "") + "/"
                + port.path("protocol").asText();
    }

    private static String endpoints(JsonNode endpoints) {
        List<String> all = new ArrayList<>();
        for (JsonNode subset : endpoints.path("subsets")) {
            List<String> ports = subset.path("ports").findValuesAsText("port");
            for (String port : ports.isEmpty() ? List.of("") : ports) {
                String suffix = port.isEmpty() ? "" : ":" + port;
                subset.path("addresses").findValuesAsText("ip").forEach(ip -> all.add(ip + suffix));
            }
        }
        return some(all, 3, ",", NONE);
    }

    private static int ready(JsonNode status) {
        return (int) Json.list(status.path("containerStatuses")).stream()
                .filter(one -> Json.fits(one, "ready=true?state/running"))
                .count();
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
            String sidecar = "name=" + container.path("name").asText() + "?restartPolicy=Always";
            boolean isSidecar = Json.anyFits(spec.path("initContainers"), sidecar);
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
        String code = signal == 0 ? "ExitCode:" + end.path("exitCode").asInt() : "Signal:" + signal;
        return reason.isEmpty() ? code : reason;
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
        List<String> gates = spec.path("readinessGates").findValuesAsText("conditionType");
        long open = gates.stream().filter(gate -> isTrue(status, gate)).count();
        return gates.isEmpty() ? NONE : open + "/" + gates.size();
    }

    private static boolean isTrue(JsonNode status, String type) {
        return Json.anyFits(status.path("conditions"), "type=" + type + "?status=True");
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
        return texts(of.path("accessModes"), mode -> MODES.getOrDefault(mode.asText(), mode.asText()), "");
    }

    private static String subjects(JsonNode binding, String kind) {
        String form = kind.equals("ServiceAccount") ? "%s/%s" : "%2$s";
        return Json.list(binding.path("subjects")).stream()
                .filter(subject -> subject.path("kind").asText().equals(kind))
                .map(subject -> form.formatted(
                        subject.path("namespace").asText(), subject.path("name").asText()))
                .collect(Collectors.joining(", "));
    }

    private static String duration(JsonNode status, UnaryOperator<String> age) {
        String start = status.path("startTime").asText();
        String end = status.path("completionTime").asText();
        if (start.isEmpty() || end.isEmpty()) {
            return start.isEmpty() ? "" : age.apply(start);
        }
        return Tables.age(Duration.between(Instant.parse(start), Instant.parse(end)));
    }

    private static String targets(JsonNode metrics, JsonNode current) {
        List<String> targets = new ArrayList<>();
        for (int i = 0; i < metrics.size(); i++) {
            targets.add(target(metrics.path(i), current.path(i)));
        }
        return some(targets, 2, ", ", NONE);
    }

    private static String target(JsonNode metric, JsonNode status) {
        String type = metric.path("type").asText();
        String field = type.isEmpty() ? "" : type.substring(0, 1).toLowerCase(Locale.ROOT) + type.substring(1);
        JsonNode source = metric.path(field);
        JsonNode target = source.path("target");
        JsonNode is = status.path(field).path("current");
        boolean resource = field.endsWith("esource");
        String prefix = resource ? source.path("name").asText() + ": " : "";
        if (target.has("averageValue")) {
            return prefix + is.path("averageValue").asText(UNKNOWN) + "/"
                    + target.path("averageValue").asText()
                    + (resource || field.equals("pods") ? "" : " (avg)");
        } else if (resource) {
            return prefix + percent(is.path("averageUtilization"), UNKNOWN) + "/"
                    + percent(target.path("averageUtilization"), "<auto>");
        }
        return source.isMissingNode()
                ? "<unknown type>"
                : is.path("value").asText(UNKNOWN) + "/" + target.path("value").asText();
    }

    private static String percent(JsonNode value, String none) {
        return value.isNumber() ? value.asInt() + "%" : none;
    }
}
