package io.controllermanager.apiserver.validation;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.apiserver.http.StatusException.Cause;
import io.controllermanager.apiserver.json.Meta;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;

/** Rules for what makes Pods of a template. */
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
}
