package io.controllermanager.testing.apiserver.table;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.testing.apiserver.json.Meta;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/** The cells of batch, networking, storage and other groups that no path leads to (printers.go, as for {@link Computed}). */
final class ComputedBeyondCore {

    private static final String NONE = "<none>";
    private static final String UNKNOWN = "<unknown>";

    private ComputedBeyondCore() {}

    /** A cell's text; see {@link Computed#of}. */
    static String of(String name, JsonNode object, UnaryOperator<String> age) {
        JsonNode spec = object.path("spec");
        JsonNode status = object.path("status");
        return switch (name) {
            case "jobStatus" -> jobStatus(object, status);
            case "completions" -> completions(spec, status.path("succeeded").asInt());
            case "duration" -> duration(status, age);
            case "suspend" -> spec.path("suspend").asBoolean() ? "True" : "False";
            case "controller" -> controller(object);
            case "targets" ->
                spec.has("targetCPUUtilizationPercentage")
                        ? "cpu: " + percent(status.path("currentCPUUtilizationPercentage"), UNKNOWN) + "/"
                                + percent(spec.path("targetCPUUtilizationPercentage"), "<auto>")
                        : targets(spec.path("metrics"), status.path("currentMetrics"));
            case "hosts" -> hosts(spec.path("rules"));
            case "address" -> address(status.at("/loadBalancer/ingress"));
            case "ingressPorts" -> spec.path("tls").isEmpty() ? "80" : "80, 443";
            case "nameAndDefault" -> nameAndDefault(object);
            case "parameters" -> parameters(spec.path("parameters"));
            case "parentRef" -> parent(spec.path("parentRef"));
            case "slicePorts" -> more(slicePorts(object.path("ports")));
            case "sliceEndpoints" -> more(sliceEndpoints(object.path("endpoints")));
            case "quotaRequests" -> quota(status, false);
            case "quotaLimits" -> quota(status, true);
            case "requestedDuration" ->
                spec.has("expirationSeconds")
                        ? Tables.age(Duration.ofSeconds(
                                spec.path("expirationSeconds").asLong()))
                        : NONE;
            case "certificate" -> certificate(status);
            case "claimState" -> claimState(object, status);
            case "paramKind" -> {
                JsonNode kind = spec.path("paramKind");
                yield kind.isMissingNode()
                        ? "<unset>"
                        : kind.path("apiVersion").asText() + "/"
                                + kind.path("kind").asText();
            }
            case "paramRef" -> {
                JsonNode param = spec.path("paramRef");
                yield param.has("name")
                        ? param.path("namespace").asText("*") + "/"
                                + param.path("name").asText()
                        : "<unset>";
            }
            default -> throw new IllegalArgumentException("No cell is computed as " + name);
        };
    }

    private static String jobStatus(JsonNode job, JsonNode status) {
        for (String end : List.of("Complete", "Failed")) {
            if (Computed.isTrue(status, end)) {
                return end;
            }
        }
        if (Meta.isBeingDeleted(job)) {
            return "Terminating";
        }
        return List.of("Suspended", "FailureTarget", "SuccessCriteriaMet").stream()
                .filter(type -> Computed.isTrue(status, type))
                .findFirst()
                .orElse("Running");
    }

    private static String completions(JsonNode spec, int succeeded) {
        int parallelism = spec.path("parallelism").asInt();
        return spec.has("completions")
                ? succeeded + "/" + spec.path("completions").asInt()
                : succeeded + "/1" + (parallelism > 1 ? " of " + parallelism : "");
    }

    private static String duration(JsonNode status, UnaryOperator<String> age) {
        String start = status.path("startTime").asText();
        String end = status.path("completionTime").asText();
        if (start.isEmpty() || end.isEmpty()) {
            return start.isEmpty() ? "" : age.apply(start);
        }
        return Tables.age(Duration.between(Instant.parse(start), Instant.parse(end)));
    }

    private static String controller(JsonNode revision) {
        for (JsonNode owner : Meta.ownerReferences(revision)) {
            if (owner.path("controller").asBoolean()) {
                String version = owner.path("apiVersion").asText();
                String group = version.contains("/") ? "." + version.substring(0, version.indexOf('/')) : "";
                return (owner.path("kind").asText() + group).toLowerCase(Locale.ROOT) + "/"
                        + owner.path("name").asText();
            }
        }
        return NONE;
    }

    private static String targets(JsonNode metrics, JsonNode current) {
        List<String> targets = new ArrayList<>();
        for (int i = 0; i < metrics.size(); i++) {
            targets.add(target(metrics.path(i), current.path(i)));
        }
        if (targets.isEmpty()) {
            return NONE;
        }
        String some = String.join(", ", targets.subList(0, Math.min(2, targets.size())));
        return targets.size() <= 2 ? some : some + " + " + (targets.size() - 2) + " more...";
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

    private static String hosts(JsonNode rules) {
        List<String> hosts = new ArrayList<>();
        boolean more = false;
        for (JsonNode rule : rules) {
            more |= hosts.size() == 3;
            if (!more && !rule.path("host").asText().isEmpty()) {
                hosts.add(rule.path("host").asText());
            }
        }
        return hosts.isEmpty() ? "*" : String.join(",", hosts) + (more ? " + " + (rules.size() - 3) + " more..." : "");
    }

    private static String address(JsonNode ingress) {
        TreeSet<String> addresses = new TreeSet<>();
        ingress.forEach(point ->
                addresses.add(point.path("ip").asText(point.path("hostname").asText())));
        return String.join(",", addresses);
    }

    private static String nameAndDefault(JsonNode object) {
        boolean isDefault = object.at("/metadata/annotations").properties().stream()
                .anyMatch(annotation -> annotation.getKey().matches(".*/is-default-class")
                        && annotation.getValue().asText().equals("true"));
        return Meta.name(object) + (isDefault ? " (default)" : "");
    }

    private static String parameters(JsonNode parameters) {
        if (parameters.isMissingNode()) {
            return NONE;
        }
        String group = parameters.path("apiGroup").asText();
        return parameters.path("kind").asText() + (group.isEmpty() ? "" : "." + group) + "/"
                + parameters.path("name").asText();
    }

    private static String parent(JsonNode parent) {
        if (parent.isMissingNode()) {
            return NONE;
        }
        String group = parent.path("group").asText();
        String namespace = parent.path("namespace").asText();
        return parent.path("resource").asText() + (group.isEmpty() ? "" : "." + group)
                + (namespace.isEmpty() ? "" : "/" + namespace) + "/"
                + parent.path("name").asText();
    }

    private static List<String> slicePorts(JsonNode ports) {
        List<String> numbers = new ArrayList<>();
        ports.forEach(
                port -> numbers.add(port.path("port").asText(port.path("name").asText("*"))));
        return numbers;
    }

    private static List<String> sliceEndpoints(JsonNode endpoints) {
        List<String> all = new ArrayList<>();
        endpoints.forEach(endpoint -> endpoint.path("addresses").forEach(address -> all.add(address.asText())));
        return all;
    }

    private static String more(List<String> all) {
        return all.isEmpty()
                ? "<unset>"
                : String.join(",", all.subList(0, Math.min(3, all.size())))
                        + (all.size() > 3 ? " + " + (all.size() - 3) + " more..." : "");
    }

    private static String quota(JsonNode status, boolean limits) {
        TreeMap<String, String> parts = new TreeMap<>();
        status.path("hard").properties().forEach(hard -> {
            String name = hard.getKey();
            if (name.startsWith("limits.") == limits) {
                String used = status.path("used").path(name).asText("0");
                parts.put(name, name + ": " + used + "/" + hard.getValue().asText());
            }
        });
        return String.join(", ", parts.values());
    }

    private static String certificate(JsonNode status) {
        List<String> types = status.path("conditions").findValuesAsText("type");
        String state = types.contains("Denied") ? "Denied" : types.contains("Approved") ? "Approved" : "Pending";
        return state
                + (types.contains("Failed") ? ",Failed" : "")
                + (status.path("certificate").asText().isEmpty() ? "" : ",Issued");
    }

    private static String claimState(JsonNode claim, JsonNode status) {
        List<String> states = new ArrayList<>();
        if (Meta.isBeingDeleted(claim)) {
            states.add("deleted");
        }
        if (status.has("allocation")) {
            states.add("allocated");
            if (!status.path("reservedFor").isEmpty()) {
                states.add("reserved");
            }
        } else if (states.isEmpty()) {
            states.add("pending");
        }
        return String.join(",", states);
    }
}
