package io.controllermanager.test;

import static io.controllermanager.test.KubernetesAssertions.assertThat;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.junit.EmbeddedApiServer;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/** What docs/controller-reference.md shows of Applier and StatusWriter in a reconciler of client-java. */
@EmbeddedApiServer(manifests = "classpath:greetings.yaml")
class PlainReconcilerTest {

    @Test
    void appliesPrunesAndTellsInTheStatus(ApiServer server) throws ApiException {
        ResourceClient<Greeting> greetings = new ResourceClient<>(server.client(), Greeting.TYPE);
        ResourceClient<V1ConfigMap> configMaps = new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP);
        try (RunningManager manager = RunningManager.start(server, PlainGreetingReconciler.descriptor())) {
            Greeting greeting = greetings.create(new Greeting("hello", "hello", "Hello"));
            manager.settles();
            assertThat(greetings.get("default", "hello"))
                    .hasCondition("Ready", "True")
                    .withReason("Applied");
            assertThat(configMaps.get("default", "hello")).isControlledBy(greeting);

            configMaps.patch("default", "hello", new Patch.Json("[{\"op\":\"remove\",\"path\":\"/data/text\"}]"));
            manager.settles();
            Assertions.assertThat(configMaps.get("default", "hello").getData()).containsEntry("text", "Hello");

            greetings.patch("default", "hello", new Patch.Merge("{\"spec\":{\"configMapName\":\"other\"}}"));
            manager.settles();
            assertThat(configMaps.get("default", "other")).isControlledBy(greeting);
            Assertions.assertThat(configMaps.get("default", "hello")).isNull();
            Assertions.assertThat(greetings.get("default", "hello").status().configMap())
                    .isEqualTo("other");
        }
    }
}
