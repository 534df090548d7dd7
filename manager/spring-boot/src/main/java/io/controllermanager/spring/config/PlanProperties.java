package io.controllermanager.spring.config;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What a dry run waits for, and how it prints what it has found.
 *
 * @param output How the plan is printed to standard output.
 * @param settle A key that comes again within this time is waited for. Later ones are listed in the plan.
 * @param timeout How long a dry run may take. After that it prints what it has found so far, and ends with exit code 1.
 * @param policyBinding ValidatingAdmissionPolicyBinding by which the API server refuses this process's writes that are no dry
 *     runs. The chart sets it. Unless it is there, the plan says that the client alone refuses them.
 */
@ConfigurationProperties("controller-manager.plan")
public record PlanProperties(
        @DefaultValue("text") Output output,
        @DefaultValue("5s") Duration settle,
        @DefaultValue("10m") Duration timeout,
        @Nullable String policyBinding) {

    /** How the plan is printed. */
    public enum Output {
        /** For people. */
        TEXT,
        /** For programs. */
        JSON
    }
}
