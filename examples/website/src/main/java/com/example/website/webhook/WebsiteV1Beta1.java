package com.example.website.webhook;

import com.example.website.Website;
import io.controllermanager.types.CustomObject;
import io.controllermanager.types.CustomResource;
import io.controllermanager.types.Default;
import io.controllermanager.types.ObjectName;
import io.controllermanager.types.PrinterColumn;
import io.controllermanager.types.ValidationRule;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import org.jspecify.annotations.Nullable;

/** A page that is served under a host name, as the first version of the type had it. */
@CustomResource(group = "example.com", version = "v1beta1", kind = "Website", storage = false)
@PrinterColumn(name = "Host", jsonPath = ".spec.host")
@PrinterColumn(name = "Ready", jsonPath = ".status.conditions[?(@.type==\"Ready\")].status")
@PrinterColumn(name = "Reason", jsonPath = ".status.conditions[?(@.type==\"Ready\")].reason")
// The Service is called the same, and has no longer names.
@ObjectName(maxLength = 63, pattern = "[a-z]([-a-z0-9]*[a-z0-9])?")
public final class WebsiteV1Beta1 extends CustomObject<WebsiteV1Beta1.Spec, Website.Status> {

    /**
     * What is wanted.
     *
     * @param host The host name that the page is served under. One Website in the cluster has it, the first.
     * @param page The page. In v1 it is called html.
     * @param replicas How many pods serve it.
     * @param tlsSecretName A Secret of type kubernetes.io/tls in the same namespace. Without one there is no HTTPS.
     */
    public record Spec(
            @Size(max = 253)
            @Pattern(regexp = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
            @ValidationRule(value = "self == oldSelf", message = "cannot be changed; create another Website")
            String host,

            @Size(max = 500_000) String page,

            @Default("1") @Min(0) @Max(100) int replicas,

            @Size(min = 1, max = 253) @Nullable String tlsSecretName) {}
}
