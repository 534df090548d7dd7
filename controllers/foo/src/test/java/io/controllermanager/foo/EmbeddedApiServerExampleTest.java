package io.controllermanager.foo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.ResourceClient;
import io.controllermanager.testing.apiserver.ApiServer;
import io.controllermanager.testing.apiserver.faults.Fault;
import io.controllermanager.testing.apiserver.faults.RequestMatcher;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.ApiextensionsV1Api;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.util.Yaml;
import java.io.File;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The example of docs/embedded-api-server.md, as it stands there. */
@SpringBootTest(properties = "controller-manager.leader-election.enabled=false")
class EmbeddedApiServerExampleTest {

    private static final ApiServer SERVER = ApiServer.start();

    @SpringBootApplication(proxyBeanMethods = false)
    static class Application {}

    @DynamicPropertySource
    static void connect(DynamicPropertyRegistry properties) {
        properties.add("controller-manager.master", SERVER::url);
    }

    @BeforeAll
    static void installCrd() throws Exception {
        File crd = new File("../../config/crd/bases/samplecontroller.k8s.io_foos.yaml");
        new ApiextensionsV1Api(SERVER.client())
                .createCustomResourceDefinition(Yaml.loadAs(crd, V1CustomResourceDefinition.class))
                .execute();
    }

    @AfterAll
    static void stop() {
        SERVER.close();
    }

    @Test
    void makesADeploymentAlsoWhenTheApiServerRefusesAtFirst() throws Exception {
        Fault refusal = SERVER.faults()
                .when(RequestMatcher.verb("create").resource("deployments"))
                .times(2)
                .respond(503);
        new ResourceClient<>(SERVER.client(), Foo.TYPE)
                .create(new Foo(new V1ObjectMeta().namespace("default").name("example"), new FooSpec("web", 2)));

        AppsV1Api deployments = new AppsV1Api(SERVER.client());
        await().ignoreExceptionsInstanceOf(ApiException.class)
                .untilAsserted(() -> assertThat(deployments
                                .readNamespacedDeployment("web", "default")
                                .execute()
                                .getSpec()
                                .getReplicas())
                        .isEqualTo(2));
        assertThat(refusal.hits()).isEqualTo(2);
    }
}
