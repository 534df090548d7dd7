package io.controllermanager.spring.config;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** What a dry run waits for, and how it prints what it has found. */
@ConfigurationProperties("controller-manager.plan")
public class PlanProperties {

    /** How the plan is printed. */
    public enum Output {
        /** For people. */
        TEXT,
        /** For programs. */
        JSON
    }

    /** How the plan is printed to standard output. */
    private Output output = Output.TEXT;

    /** A key that comes again within this time is waited for. Later ones are listed in the plan. */
    private Duration settle = Duration.ofSeconds(5);

    /** How long a dry run may take. After that it prints what it has found so far, and ends with exit code 1. */
    private Duration timeout = Duration.ofMinutes(10);

    /** ValidatingAdmissionPolicyBinding by which the API server refuses this process's writes that are no dry runs. The chart sets it. Unless it is there, the plan says that the client alone refuses them. */
    private @Nullable String policyBinding;

    public Output getOutput() {
        return output;
    }

    public void setOutput(Output output) {
        this.output = output;
    }

    public Duration getSettle() {
        return settle;
    }

    public void setSettle(Duration settle) {
        this.settle = settle;
    }

    public Duration getTimeout() {
        return timeout;
    }

    public void setTimeout(Duration timeout) {
        this.timeout = timeout;
    }

    public @Nullable String getPolicyBinding() {
        return policyBinding;
    }

    public void setPolicyBinding(@Nullable String policyBinding) {
        this.policyBinding = policyBinding;
    }
}
