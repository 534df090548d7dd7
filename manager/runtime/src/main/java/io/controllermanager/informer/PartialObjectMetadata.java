package io.controllermanager.informer;

import io.controllermanager.client.ResourceType;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import org.jspecify.annotations.Nullable;

/**
 * An object of any type without all that is not metadata, as the API server gives it for the asking ({@code
 * meta.k8s.io/v1}). Its apiVersion and kind are those of the object itself.
 */
public final class PartialObjectMetadata implements KubernetesObject {

    private @Nullable String apiVersion;
    private @Nullable String kind;
    private V1ObjectMeta metadata = new V1ObjectMeta();

    /** The type whose objects are another type's metadata. */
    public static ResourceType<PartialObjectMetadata> of(ResourceType<?> type) {
        return new ResourceType<>(
                PartialObjectMetadata.class, type.group(), type.version(), type.kind(), type.plural(), type.scope());
    }

    @Override
    @SuppressWarnings("NullAway") // client-java's interface does not say that it may be null
    public String getApiVersion() {
        return apiVersion;
    }

    /** Sets the group and version. */
    public void setApiVersion(String newApiVersion) {
        this.apiVersion = newApiVersion;
    }

    @Override
    @SuppressWarnings("NullAway") // as above
    public String getKind() {
        return kind;
    }

    /** Sets the kind. */
    public void setKind(String newKind) {
        this.kind = newKind;
    }

    @Override
    public V1ObjectMeta getMetadata() {
        return metadata;
    }

    /** Sets the metadata. */
    public void setMetadata(V1ObjectMeta newMetadata) {
        this.metadata = newMetadata;
    }
}
