package io.controllermanager.foo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.junit.EmbeddedApiServer;
import io.controllermanager.client.ResourceClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.test.context.SpringBootTest;

/** The example of docs/embedded-api-server.md for rights, as it stands there. */
@SpringBootTest(properties = "controller-manager.leader-election.enabled=false")
@EmbeddedApiServer(
        authorization = true,
        manifests = {
            "../../config/crd/bases/*.yaml",
            "../../config/rbac/{,foo_viewer_}role.yaml",
            "src/test/rbac/*.yaml"
        },
        user = "system:serviceaccount:default:foo-controller")
class RightsExampleTest {

    @SpringBootApplication(proxyBeanMethods = false)
    static class Application {}

    @Test
    void ofTheRoleAreEnoughForTheController(ApiServer server) throws ApiException {
        new ResourceClient<>(server.client(), Foo.TYPE).create(newFoo());
        AppsV1Api deployments = new AppsV1Api(server.client());
        await().ignoreExceptionsInstanceOf(ApiException.class)
                .until(() ->
                        deployments.readNamespacedDeployment("web", "default").execute() != null);
        assertThat(server.refusals()).noneMatch(refusal -> refusal.contains("foo-controller"));
    }

    @Test
    void ofAViewerAreNotEnoughToWrite(ApiServer server) throws ApiException {
        ResourceClient<Foo> foos = new ResourceClient<>(server.clientFor("jane", "foo-viewers"), Foo.TYPE);
        assertThat(foos.list("default")).isNotNull();
        ApiException refused = catchThrowableOfType(ApiException.class, () -> foos.create(newFoo()));
        assertThat(refused.getResponseBody())
                .contains("foos.samplecontroller.k8s.io is forbidden: User \\\"jane\\\" cannot create resource");
    }

    private static Foo newFoo() {
        return new Foo(new V1ObjectMeta().namespace("default").name("example"), new FooSpec("web", 2));
    }
}
