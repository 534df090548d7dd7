package com.example.website;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn.Type;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.List;

/** A page that is served under a host name. */
@Group("example.com")
@Version("v1")
@AdditionalPrinterColumn(name = "Host", jsonPath = ".spec.host")
@AdditionalPrinterColumn(name = "Ready", jsonPath = ".status.conditions[?(@.type==\"Ready\")].status")
@AdditionalPrinterColumn(name = "Reason", jsonPath = ".status.conditions[?(@.type==\"Ready\")].reason")
@AdditionalPrinterColumn(name = "Age", jsonPath = ".metadata.creationTimestamp", type = Type.DATE)
@ValidationRule(
        value = "self.metadata.name.matches('^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$')",
        message = "the name must be that of a Service")
@ValidationRule(value = "has(self.spec)", message = "spec is required")
public class Website extends CustomResource<Website.Spec, Website.Status> implements Namespaced {

    public static class Spec {

        @JsonPropertyDescription(
                "The host name that the page is served under. One Website in the cluster has it, the first.")
        @Required
        @Size(max = 253)
        @Pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")
        @ValidationRule(value = "self == oldSelf", message = "cannot be changed; create another Website")
        public String host;

        @JsonPropertyDescription("The page.")
        @Required
        @Size(max = 500_000)
        public String html;

        @JsonPropertyDescription("How many pods serve it.")
        @Default("1")
        @Min(0)
        @Max(100)
        public int replicas;

        @JsonPropertyDescription(
                "A Secret of type kubernetes.io/tls in the same namespace. Without one there is no HTTPS.")
        @Size(min = 1, max = 253)
        public String tlsSecretName;
    }

    public static class Status {

        @JsonPropertyDescription("The generation of the spec that the status is about.")
        public Long observedGeneration;

        @JsonPropertyDescription("Ready says whether the page is served, and if not, why.")
        public List<Condition> conditions = List.of();
    }
}
