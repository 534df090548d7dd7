package io.controllermanager.network;

import io.controllermanager.client.ResourceType;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import org.jspecify.annotations.Nullable;

/**
 * An address range that a namespace lays claim to: kind Network of {@code sample.k8s.io/v1}.
 *
 * @param apiVersion {@code sample.k8s.io/v1}
 * @param kind {@code Network}
 * @param metadata name, namespace and the like
 * @param spec what is wanted
 * @param status what the controller found, null before its first reconcile
 */
public record Network(
        String apiVersion,
        String kind,
        V1ObjectMeta metadata,
        @Nullable NetworkSpec spec,
        @Nullable NetworkStatus status)
        implements KubernetesObject {

    /** How Networks are named in URLs. */
    public static final ResourceType<Network> TYPE =
            ResourceType.namespaced(Network.class, "sample.k8s.io", "v1", "Network", "networks");

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
