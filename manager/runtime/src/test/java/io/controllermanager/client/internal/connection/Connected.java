package io.controllermanager.client.internal.connection;

import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.access.ApiAccessResolver;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A connection to a real control plane, with what it needs. */
public final class Connected implements AutoCloseable {

    private final SystemTimer timer = new SystemTimer("test-timer");
    private final ApiConnection connection;

    public Connected(ControlPlane plane) {
        this(plane, null);
    }

    /** Through a proxy, if a URL is given. */
    public Connected(ControlPlane plane, @Nullable String url) {
        connection = ApiConnection.builder(Clock.system(), timer).build();
        connection.connect(
                new ApiAccessResolver().resolve(plane.kubeconfigFile().toString(), url));
    }

    public ApiConnection connection() {
        return connection;
    }

    public SystemTimer timer() {
        return timer;
    }

    public <T extends KubernetesObject> ResourceClient<T> client(ResourceType<T> type) {
        return new ResourceClient<>(connection.apiClient(), type);
    }

    public ResourceClient<V1ConfigMap> configMaps() {
        return client(ResourceTypes.CONFIG_MAP);
    }

    public static V1ConfigMap configMap(String namespace, String name, String value) {
        return new V1ConfigMap()
                .metadata(new V1ObjectMeta().namespace(namespace).name(name))
                .data(Map.of("value", value));
    }

    @Override
    public void close() {
        connection.close();
        timer.close();
    }
}
