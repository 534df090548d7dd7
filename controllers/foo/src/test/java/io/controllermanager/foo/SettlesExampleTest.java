package io.controllermanager.foo;

import static io.controllermanager.test.Convergence.settles;
import static io.controllermanager.test.KubernetesAssertions.assertThat;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.junit.EmbeddedApiServer;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.spring.autoconfigure.ControllerManagerHost;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.test.context.SpringBootTest;

/** What docs/testing.md shows of an application that settles. */
@SpringBootTest(properties = "controller-manager.leader-election.enabled=false")
@EmbeddedApiServer(manifests = "../../config/crd/bases/*.yaml", world = true)
class SettlesExampleTest {

    @SpringBootApplication(proxyBeanMethods = false)
    static class Application {}

    @Autowired
    private ControllerManagerHost host;

    @Autowired
    private ApiServer server;

    @Test
    void writesNothingOnceItHasConverged() throws ApiException {
        Foo foo = new ResourceClient<>(server.client(), Foo.TYPE)
                .create(new Foo(new V1ObjectMeta().namespace("default").name("example"), new FooSpec("web", 2)));

        settles(host.manager(), server);

        assertThat(new ResourceClient<>(server.client(), ResourceTypes.DEPLOYMENT).get("default", "web"))
                .isControlledBy(foo);
    }
}
