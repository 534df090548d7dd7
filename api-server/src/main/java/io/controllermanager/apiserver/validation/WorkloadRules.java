package io.controllermanager.apiserver.validation;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.apiserver.http.StatusException.Cause;
import java.time.ZoneId;
import java.util.List;

/** Rules for what makes Pods of a template. */
final class WorkloadRules {

    private WorkloadRules() {}

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
