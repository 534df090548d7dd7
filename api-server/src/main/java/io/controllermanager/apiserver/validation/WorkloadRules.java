package io.controllermanager.apiserver.validation;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.apiserver.http.StatusException.Cause;
import io.controllermanager.apiserver.json.Meta;
import io.controllermanager.apiserver.json.Quantity;
import java.math.BigDecimal;
import java.time.ZoneId;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Rules for the specs of Pods, in Pods and in templates of them, and for what makes Pods of a template. */
final class WorkloadRules {

    private static final int LARGEST_PRIORITY = 1_000_000_000;
    private static final Map<String, Integer> SYSTEM_PRIORITIES =
            Map.of("system-node-critical", 2_000_001_000, "system-cluster-critical", 2_000_000_000);

    private WorkloadRules() {}

    static void priorityClass(String root, JsonNode priorityClass, List<Cause> causes) {
        String name = Meta.name(priorityClass);
        long value = priorityClass.path("value").asLong();
        Integer known = SYSTEM_PRIORITIES.get(name);
        String wrong = "";
        if (known != null && known != value) {
            wrong = "value of " + name + " PriorityClass must be " + known;
        } else if (known != null && priorityClass.path("globalDefault").asBoolean()) {
            wrong = "globalDefault of " + name + " PriorityClass must be false";
        } else if (known == null && name.startsWith("system-")) {
            wrong = name + " is not a known system priority class";
        } else if (known == null && value > LARGEST_PRIORITY) {
            String why = "maximum allowed value of a user defined priority is " + LARGEST_PRIORITY;
            causes.add(Cause.forbidden("value", why));
        }
        if (!wrong.isEmpty()) {
            String why = "priority class names with 'system-' prefix are reserved for system use only. error: ";
            causes.add(Cause.forbidden("metadata.name", why + wrong));
        }
    }

    static void timeZone(String field, JsonNode zone, List<Cause> causes) {
        if (zone.isTextual() && !ZoneId.getAvailableZoneIds().contains(zone.asText())) {
            causes.add(Cause.invalid(field, zone, "unknown time zone " + zone.asText()));
        }
    }

    static void schedule(String field, JsonNode schedule, List<Cause> causes) {
        try {
            if (schedule.asText().contains("TZ")) {
                throw new IllegalArgumentException("cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
            }
            if (!schedule.asText().isEmpty()) {
                Schedule.of(schedule.asText());
            }
        } catch (IllegalArgumentException e) {
            causes.add(Cause.invalid(field, schedule, String.valueOf(e.getMessage())));
        }
    }

    /** The Pods of a Job end. */
    static void restartsOnFailure(String field, JsonNode policy, List<Cause> causes) {
        if (policy.asText().equals("Always")) {
            causes.add(Cause.required(field, "valid values: \"OnFailure\", \"Never\""));
        } else if (!policy.asText().isEmpty()) {
            Rule.oneOf(List.of("OnFailure", "Never")).judge(field, policy, causes);
        }
    }

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
                BigDecimal amount = Quantity.of(entry.getValue()).number();
                JsonNode limit = resources.path("limits").path(name);
                if (!name.matches("cpu|memory|ephemeral-storage|hugepages-.*|.*/.*")) {
                    causes.add(Cause.invalid(at, name, "must be a standard resource for containers"));
                }
                if (amount.signum() < 0) {
                    causes.add(Cause.invalid(at, entry.getValue(), "must be greater than or equal to 0"));
                }
                if (list.equals("requests")
                        && !limit.isMissingNode()
                        && amount.compareTo(Quantity.of(limit).number()) > 0) {
                    String why = "must be less than or equal to " + name + " limit of " + limit.asText();
                    causes.add(Cause.invalid(field + ".requests", entry.getValue(), why));
                }
            }
        }
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
