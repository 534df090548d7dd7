package io.controllermanager.network;

import io.controllermanager.client.ResourceType;
import io.controllermanager.types.CustomResource;
import io.controllermanager.types.PrinterColumn;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import org.jspecify.annotations.Nullable;

/**
 * An address range that a namespace lays claim to: kind Network of {@code sample.k8s.io/v1}.
 *
 * @param apiVersion {@code sample.k8s.io/v1}
 * @param kind {@code Network}
 * @param metadata name, namespace and the like
 * @param spec what is wanted; null only where an older CRD is installed
 * @param status what the controller found, null before its first reconcile
 */
@CustomResource(
        group = "sample.k8s.io",
        version = "v1",
        shortNames = "net",
        // Groups under k8s.io are protected (KEP-2337).
        annotations = "api-approved.kubernetes.io=unapproved, experimental-only")
@PrinterColumn(name = "CIDR", description = "The address range", jsonPath = ".spec.cidr")
@PrinterColumn(name = "Gateway", description = "The gateway, given or derived", jsonPath = ".status.gateway")
@PrinterColumn(
        name = "Ready",
        description = "Whether the Network is valid and no other claims its addresses",
        jsonPath = ".status.conditions[?(@.type==\"Ready\")].status")
@PrinterColumn(
        name = "Reason",
        description = "Why it is ready or not",
        jsonPath = ".status.conditions[?(@.type==\"Ready\")].reason")
@PrinterColumn(
        name = "First",
        description = "The lowest usable address",
        priority = 1,
        jsonPath = ".status.usableRange.first")
@PrinterColumn(
        name = "Last",
        description = "The highest usable address",
        priority = 1,
        jsonPath = ".status.usableRange.last")
@PrinterColumn(
        name = "Capacity",
        description = "How many usable addresses there are",
        priority = 1,
        jsonPath = ".status.capacity")
public record Network(
        String apiVersion,
        String kind,
        V1ObjectMeta metadata,
        NetworkSpec spec,
        @Nullable NetworkStatus status) implements KubernetesObject {

    /** How Networks are named in URLs. */
    public static final ResourceType<Network> TYPE = ResourceType.of(Network.class);

    /** A Network without status. */
    public Network(V1ObjectMeta metadata, NetworkSpec spec) {
        this(TYPE.apiVersion(), TYPE.kind(), metadata, spec, null);
    }

    /** The same with another status. */
    public Network withStatus(NetworkStatus newStatus) {
        return new Network(apiVersion, kind, metadata, spec, newStatus);
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
