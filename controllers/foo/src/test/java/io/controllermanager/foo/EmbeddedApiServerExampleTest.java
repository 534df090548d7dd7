package io.controllermanager.foo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.faults.Fault;
import io.controllermanager.apiserver.faults.RequestMatcher;
import io.controllermanager.apiserver.junit.EmbeddedApiServer;
import io.controllermanager.client.ResourceClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.test.context.SpringBootTest;

/** The example of docs/embedded-api-server.md, as it stands there. */
@SpringBootTest(properties = "controller-manager.leader-election.enabled=false")
@EmbeddedApiServer(manifests = "../../config/crd/bases/*.yaml")
class EmbeddedApiServerExampleTest {

    @SpringBootApplication(proxyBeanMethods = false)
    static class Application {}

    @Test
    void makesADeploymentAlsoWhenTheApiServerRefusesAtFirst(ApiServer server) throws Exception {
        Fault refusal = server.faults()
                .when(RequestMatcher.verb("create").resource("deployments"))
                .times(2)
                .respond(503);
        new ResourceClient<>(server.client(), Foo.TYPE)
                .create(new Foo(new V1ObjectMeta().namespace("default").name("example"), new FooSpec("web", 2)));

        AppsV1Api deployments = new AppsV1Api(server.client());
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
