package io.controllermanager.client.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.request.ResourcePath;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import okhttp3.Request;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a trail says of writes that it does not keep. */
class RequestTrailTest {

    private static final ResourceType<V1ConfigMap> CONFIG_MAP =
            ResourceType.namespaced(V1ConfigMap.class, "", "v1", "ConfigMap", "configmaps");

    /** Wants all answers, as a cache does of its type. */
    private static final WriteObserver CACHE = new WriteObserver() {
        @Override
        public boolean observes(Request request, ResourcePath path) {
            return true;
        }

        @Override
        public void written(Request request, ResourcePath path, JsonObject answer) {}
    };

    private final ApiServer server = ApiServer.start();
    private final SystemTimer timer = new SystemTimer("timer");
    private final ApiConnection connection = ApiConnection.builder(Clock.system(), timer)
            .apiClient(server.client())
            .build();
    private final ResourceClient<V1ConfigMap> client = new ResourceClient<>(connection.apiClient(), CONFIG_MAP);
    private final String namespace = server.createNamespace("trail");

    @AfterEach
    void close() {
        connection.close();
        timer.close();
        server.close();
    }

    @Test
    void aChangeIsToBeToldAlthoughManyWritesBeforeChangedNothing() throws ApiException {
        V1ConfigMap stored = client.create(new V1ConfigMap()
                .metadata(new V1ObjectMeta().namespace(namespace).name("map")));
        connection.observeWrites(CACHE);
        RequestTrail trail = new RequestTrail(path -> stored, type -> false);
        for (int i = 0; i <= RequestTrail.MOST; i++) {
            patch(trail, "{}");
        }
        assertThat(trail.isEventful()).isFalse();
        patch(trail, "{\"data\":{\"a\":\"1\"}}");
        assertThat(trail.isEventful()).isTrue();
        assertThat(trail.writes())
                .hasSize(RequestTrail.MOST)
                .allMatch(write -> write.effect() == RequestTrail.Effect.NONE);
        assertThat(trail.moreWrites()).isEqualTo(2);
    }

    private void patch(RequestTrail trail, String json) {
        V1ConfigMap patched = trail.during(() -> {
            try {
                return client.patch(namespace, "map", new Patch.Merge(json));
            } catch (ApiException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(patched).isNotNull();
    }
}
