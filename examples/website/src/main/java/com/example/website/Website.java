package com.example.website;

import io.controllermanager.client.ResourceType;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A page that is served under a host name: kind Website of {@code example.com/v1}.
 *
 * @param status what the controller found, null before its first reconcile
 */
public record Website(
        String apiVersion,
        String kind,
        V1ObjectMeta metadata,
        Spec spec,
        @Nullable Status status) implements KubernetesObject {

    static final ResourceType<Website> TYPE =
            ResourceType.namespaced(Website.class, "example.com", "v1", "Website", "websites");

    /** Keeps a Website until its DNS record is gone. */
    static final String FINALIZER = "example.com/dns";

    /**
     * What is wanted.
     *
     * @param replicas the API server fills in the CRD's default
     * @param tlsSecretName null for HTTP alone
     */
    public record Spec(
            String host,
            String html,
            int replicas,
            @Nullable String tlsSecretName) {}

    /** What the controller found. */
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
