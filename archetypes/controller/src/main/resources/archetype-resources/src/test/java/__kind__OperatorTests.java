package ${package};

import static io.controllermanager.test.Convergence.settles;
import static io.controllermanager.test.KubernetesAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.junit.EmbeddedApiServer;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.spring.autoconfigure.ControllerManagerHost;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** The application may do what its controller declares, and nothing more. */
@SpringBootTest(properties = "controller-manager.leader-election.enabled=false")
@EmbeddedApiServer(
        manifests = "config/crd/*.yaml",
        authorization = true,
        user = "system:serviceaccount:${artifactId}:${artifactId}",
        rights = "${singular}")
class ${kind}OperatorTests {

    @Autowired
    private ControllerManagerHost host;

    @Autowired
    private ApiServer server;

    private ResourceClient<${kind}> ${plural};
    private ResourceClient<V1ConfigMap> configMaps;
    private String namespace;

    @BeforeEach
    void prepare() throws ApiException {
        ${plural} = new ResourceClient<>(server.client(), ResourceType.of(${kind}.class));
        configMaps = new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP);
        namespace = server.createNamespace("test");
    }

    /** Once it is done, it writes nothing. */
    @Test
    void converges() throws ApiException {
        create("Hello");

        settles(host.manager(), server);

        assertThat(${plural}.get(namespace, "hello")).hasCondition("Ready", "True").ofTheCurrentGeneration();
        assertThat(configMaps.get(namespace, "hello")).isControlledBy(${plural}.get(namespace, "hello"));
        assertThat(message()).isEqualTo("Hello");

        ${plural}.patch(namespace, "hello", new Patch.Merge("{\"spec\": {\"message\": \"Bye\"}}"));
        settles(host.manager(), server);

        assertThat(message()).isEqualTo("Bye");
    }

    @Test
    void heals() throws ApiException {
        create("Hello");
        settles(host.manager(), server);

        configMaps.patch(namespace, "hello", new Patch.Merge("{\"data\": {\"message\": \"Go away\"}}"));
        settles(host.manager(), server);
        assertThat(message()).isEqualTo("Hello");

        configMaps.delete(namespace, "hello");
        settles(host.manager(), server);
        assertThat(message()).isEqualTo("Hello");
    }

    @Test
    void cleansUp() throws ApiException {
        create("Hello");
        settles(host.manager(), server);

        ${plural}.delete(namespace, "hello");

        await().atMost(Duration.ofMinutes(1)).until(() -> configMaps.get(namespace, "hello") == null);
    }

    @Test
    void refusesAnEmptyMessage() {
        assertThatThrownBy(() -> create("")).hasMessageContaining("spec.message");
    }

    private void create(String message) throws ApiException {
        ${kind} object = new ${kind}();
        object.setMetadata(new V1ObjectMeta().namespace(namespace).name("hello"));
        object.setSpec(new ${kind}.Spec(message));
        ${plural}.create(object);
    }

    private String message() throws ApiException {
        return configMaps.get(namespace, "hello").getData().get("message");
    }
}
