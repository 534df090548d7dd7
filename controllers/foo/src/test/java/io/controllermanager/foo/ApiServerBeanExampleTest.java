package io.controllermanager.foo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.ResourceClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** What docs/embedded-api-server.md has for {@code spring-boot:test-run}, as it stands there. */
class ApiServerBeanExampleTest {

    @SpringBootApplication(proxyBeanMethods = false)
    static class FooApplication {
        public static void main(String... arguments) {
            SpringApplication.run(FooApplication.class, arguments);
        }
    }

    static class TestFooApplication {

        public static void main(String... arguments) {
            SpringApplication.from(FooApplication::main).with(Cluster.class).run(arguments);
        }

        @TestConfiguration(proxyBeanMethods = false)
        static class Cluster {
            @Bean
            ApiServer apiServer() {
                return ApiServer.builder()
                        .manifests("../../config/crd/bases/*.yaml")
                        .world(true)
                        .start();
            }
        }
    }

    @Test
    void connectsTheApplication() throws ApiException {
        try (ConfigurableApplicationContext context = SpringApplication.from(FooApplication::main)
                .with(TestFooApplication.Cluster.class)
                .run("--controller-manager.leader-election.enabled=false")
                .getApplicationContext()) {
            ApiServer server = context.getBean(ApiServer.class);
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
        }
    }
}
