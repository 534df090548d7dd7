package io.controllermanager.test;

import static io.controllermanager.test.KubernetesAssertions.assertThat;
import static io.controllermanager.test.KubernetesAssertions.assertThatEvents;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.junit.EmbeddedApiServer;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

@EmbeddedApiServer(manifests = "classpath:greetings.yaml")
class KubernetesAssertionsTest {

    /** An object that is a record, with conditions of its own making. */
    record Bulletin(String kind, V1ObjectMeta metadata, Map<String, List<Map<String, String>>> status)
            implements KubernetesObject {

        @Override
        public V1ObjectMeta getMetadata() {
            return metadata;
        }

        @Override
        public String getApiVersion() {
            return "v1";
        }

        @Override
        public String getKind() {
            return kind;
        }
    }

    @Test
    void looksAtWhatAControllerMade(ApiServer server) throws ApiException {
        ResourceClient<Greeting> greetings = new ResourceClient<>(server.client(), Greeting.TYPE);
        ResourceClient<V1ConfigMap> configMaps = new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP);
        try (RunningManager manager =
                RunningManager.startInVirtualTime(server, GreetingController.descriptor(new GuestBook()))) {
            greetings.create(new Greeting("hello", "hello", "Hello"));
            manager.settles();

            Greeting greeting = greetings.get("default", "hello");
            V1ConfigMap configMap = configMaps.get("default", "hello");
            assertThat(greeting)
                    .hasCondition("Ready", "True")
                    .withReason("Served")
                    .withMessage("the text is there")
                    .ofTheCurrentGeneration()
                    .and()
                    .hasFinalizer("example.com/guest-book");
            assertThat(configMap).isControlledBy(greeting).hasNoFinalizer("example.com/guest-book");
            await().untilAsserted(() -> assertThatEvents(server).of(greeting).contains("Normal", "Served"));
            assertThatEvents(server).of(configMap).doesNotContain("Served");
            assertThat(configMap.getData()).containsEntry("text", "Hello");
        }
    }

    @Test
    void saysWhatIsWrong() {
        Bulletin bulletin = new Bulletin(
                "Bulletin",
                new V1ObjectMeta().namespace("default").name("news"),
                Map.of("conditions", List.of(Map.of("type", "Ready", "status", "False", "reason", "Waiting"))));
        assertThatThrownBy(() -> assertThat(bulletin).hasCondition("Ready", "True"))
                .hasMessageContaining("Bulletin default/news: the status of condition Ready is False, not True");
        assertThatThrownBy(() ->
                        assertThat(bulletin).hasCondition("Ready", "False").withReason("Served"))
                .hasMessageContaining("the reason of condition Ready is Waiting, not Served");
        assertThatThrownBy(() ->
                        assertThat(bulletin).hasCondition("Ready", "False").withMessage("soon"))
                .hasMessageContaining("the message of condition Ready is nothing, not soon");
        assertThatThrownBy(() -> assertThat(bulletin).hasCondition("Synced", "True"))
                .hasMessageContaining("Bulletin default/news has no condition Synced, but [Ready]");
        assertThatThrownBy(() -> assertThat(bulletin).hasFinalizer("example.com/x"))
                .hasMessageContaining("has no finalizer example.com/x, but []");
        assertThatThrownBy(() -> assertThat(bulletin).isBeingDeleted()).hasMessageContaining("is not being deleted");
        V1ConfigMap owner = new V1ConfigMap()
                .kind("ConfigMap")
                .metadata(new V1ObjectMeta().name("owner").uid("u1"));
        assertThatThrownBy(() -> assertThat(bulletin).isOwnedBy(owner))
                .hasMessageContaining("Bulletin default/news is not owned by ConfigMap owner");
        assertThatThrownBy(() -> assertThat((KubernetesObject) null).isBeingDeleted())
                .hasMessageContaining("not to be null");
    }

    @Test
    void saysWhichEventsThereAre(ApiServer server) {
        assertThatThrownBy(() -> assertThatEvents(server).contains("Warning", "Broken"))
                .hasMessageContaining("There is no Event Warning Broken, but []");
    }
}
