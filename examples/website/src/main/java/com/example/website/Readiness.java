package com.example.website;

import io.kubernetes.client.openapi.models.V1Condition;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether a page is served, and if not, why: the condition Ready.
 *
 * @param reason one UpperCamelCase word, for machines
 * @param message a sentence, for people
 */
record Readiness(boolean ready, String reason, String message) {

    private static final String TYPE = "Ready";

    static Readiness served(String message) {
        return new Readiness(true, "Served", message);
    }

    static Readiness starting(String message) {
        return new Readiness(false, "Starting", message);
    }

    static Readiness hostTaken(Website holder) {
        return new Readiness(
                false, "HostTaken", "the host belongs to Website " + holder.namespace() + "/" + holder.name());
    }

    static Readiness secretMissing(@Nullable String name) {
        return new Readiness(false, "SecretMissing", "there is no Secret " + name);
    }

    static Readiness nameTaken() {
        return new Readiness(
                false, "NameTaken", "a ConfigMap, Deployment or Service of this name belongs to somebody else");
    }

    /** Whether somebody has to do something about it. */
    boolean isProblem() {
        return !ready && !reason.equals("Starting");
    }

    /** The status that says this. The condition's time changes only with its status. */
    Website.Status toStatus(Website website, Instant now) {
        V1Condition before = of(website);
        String status = ready ? "True" : "False";
        OffsetDateTime since = before != null && status.equals(before.getStatus())
                ? before.getLastTransitionTime()
                : OffsetDateTime.ofInstant(now.truncatedTo(ChronoUnit.SECONDS), ZoneOffset.UTC);
        V1Condition condition = new V1Condition()
                .type(TYPE)
                .status(status)
                .reason(reason)
                .message(message)
                .observedGeneration(website.metadata().getGeneration())
                .lastTransitionTime(since);
        return new Website.Status(website.metadata().getGeneration(), List.of(condition));
    }

    /** The condition as it is now, null before the first reconcile. */
    static @Nullable V1Condition of(Website website) {
        Website.Status status = website.status();
        if (status == null || status.conditions() == null) {
            return null;
        }
        return status.conditions().stream()
                .filter(condition -> TYPE.equals(condition.getType()))
                .findFirst()
                .orElse(null);
    }
}
