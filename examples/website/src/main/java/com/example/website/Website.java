package com.example.website;

import io.controllermanager.client.ResourceType;
import io.controllermanager.types.CustomResource;
import io.controllermanager.types.Default;
import io.controllermanager.types.ObjectName;
import io.controllermanager.types.PrinterColumn;
import io.controllermanager.types.ValidationRule;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A page that is served under a host name.
 *
 * @param status What the controller found.
 */
@CustomResource(group = "example.com", version = "v1")
@PrinterColumn(name = "Host", jsonPath = ".spec.host")
@PrinterColumn(name = "Ready", jsonPath = ".status.conditions[?(@.type==\"Ready\")].status")
@PrinterColumn(name = "Reason", jsonPath = ".status.conditions[?(@.type==\"Ready\")].reason")
// The Service is called the same, and has no longer names.
@ObjectName(maxLength = 63, pattern = "[a-z]([-a-z0-9]*[a-z0-9])?")
public record Website(
        String apiVersion,
        String kind,
        V1ObjectMeta metadata,
        Spec spec,
        @Nullable Status status) implements KubernetesObject {

    static final ResourceType<Website> TYPE = ResourceType.of(Website.class);

    /** Keeps a Website until its DNS record is gone. */
    static final String FINALIZER = "example.com/dns";

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

    public Website(V1ObjectMeta metadata, Spec spec) {
        this(TYPE.apiVersion(), TYPE.kind(), metadata, spec, null);
    }

    Website withStatus(Status newStatus) {
        return new Website(apiVersion, kind, metadata, spec, newStatus);
    }

    String namespace() {
        return metadata.getNamespace();
    }

    String name() {
        return metadata.getName();
    }

    boolean isBeingDeleted() {
        return metadata.getDeletionTimestamp() != null;
    }

    /** Whether its DNS record is made or may be made. */
    boolean isAdmitted() {
        return metadata.getFinalizers() != null && metadata.getFinalizers().contains(FINALIZER);
    }

    /** Whether both are states of one object. */
    boolean isSameAs(Website other) {
        return Objects.equals(metadata.getUid(), other.metadata.getUid());
    }

    @Override
    public V1ObjectMeta getMetadata() {
        return metadata;
    }

    @Override
    public String getApiVersion() {
        return apiVersion;
    }

    @Override
    public String getKind() {
        return kind;
    }
}
