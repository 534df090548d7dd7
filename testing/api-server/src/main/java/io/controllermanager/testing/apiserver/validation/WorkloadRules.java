package io.controllermanager.testing.apiserver.validation;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.testing.apiserver.http.StatusException.Cause;
import java.util.List;

/** Rules for what makes Pods of a template. */
final class WorkloadRules {

    private WorkloadRules() {}

    static Rule selectorOf(String kind) {
        return (field, selector, causes) -> {
            if (selector.isObject() && selector.isEmpty()) {
                causes.add(Cause.invalid(field, selector, "empty selector is invalid for " + kind));
            }
        };
    }

    static void strategy(String field, JsonNode strategy, List<Cause> causes) {
        if (strategy.path("type").asText().equals("Recreate") && strategy.has("rollingUpdate")) {
            String why = "may not be specified when strategy `type` is 'Recreate'";
            causes.add(Cause.forbidden(field + ".rollingUpdate", why));
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
