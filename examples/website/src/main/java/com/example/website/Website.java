package com.example.website;

import io.controllermanager.types.CustomObject;
import io.controllermanager.types.CustomResource;
import io.controllermanager.types.Default;
import io.controllermanager.types.ObjectName;
import io.controllermanager.types.PrinterColumn;
import io.controllermanager.types.ValidationRule;
import io.kubernetes.client.openapi.models.V1Condition;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A page that is served under a host name. */
@CustomResource(group = "example.com", version = "v1")
@PrinterColumn(name = "Host", jsonPath = ".spec.host")
@PrinterColumn(name = "Ready", jsonPath = ".status.conditions[?(@.type==\"Ready\")].status")
@PrinterColumn(name = "Reason", jsonPath = ".status.conditions[?(@.type==\"Ready\")].reason")
// The Service is called the same, and has no longer names.
@ObjectName(maxLength = 63, pattern = "[a-z]([-a-z0-9]*[a-z0-9])?")
public final class Website extends CustomObject<Website.Spec, Website.Status> {

    /**
     * What is wanted.
     *
     * @param host The host name that the page is served under. One Website in the cluster has it, the first.
     * @param html The page.
     * @param replicas How many pods serve it.
     * @param tlsSecretName A Secret of type kubernetes.io/tls in the same namespace. Without one there is no HTTPS.
     */
    public record Spec(
            @Size(max = 253)
            @Pattern(regexp = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
            @ValidationRule(value = "self == oldSelf", message = "cannot be changed; create another Website")
            String host,

            @Size(max = 500_000) String html,

            @Default("1") @Min(0) @Max(100) int replicas,

            @Size(min = 1, max = 253) @Nullable String tlsSecretName) {}

    /**
     * What the controller found.
     *
     * @param observedGeneration The generation of the spec that the status is about.
     * @param conditions Ready says whether the page is served, and if not, why.
     */
    public record Status(
            @Nullable Long observedGeneration, @Nullable List<V1Condition> conditions) {}
}
