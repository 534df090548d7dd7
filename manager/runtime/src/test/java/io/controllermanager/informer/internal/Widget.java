package io.controllermanager.informer.internal;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A custom resource's class as a user writes it: plain fields. */
public final class Widget implements KubernetesObject {

    private @Nullable String apiVersion;
    private @Nullable String kind;
    V1ObjectMeta metadata = new V1ObjectMeta();
    Map<String, Double> spec = Map.of();

    @Override
    @SuppressWarnings("NullAway") // client-java's interface does not say that it may be null
    public String getApiVersion() {
        return apiVersion;
    }

    public void setApiVersion(String apiVersion) {
        this.apiVersion = apiVersion;
    }

    @Override
    @SuppressWarnings("NullAway") // as above
    public String getKind() {
        return kind;
    }

    public void setKind(String kind) {
        this.kind = kind;
    }

    @Override
    public V1ObjectMeta getMetadata() {
        return metadata;
    }
}
