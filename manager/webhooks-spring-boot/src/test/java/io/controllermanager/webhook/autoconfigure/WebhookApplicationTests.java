package io.controllermanager.webhook.autoconfigure;

import static io.controllermanager.webhook.autoconfigure.Doors.ONE;
import static io.controllermanager.webhook.autoconfigure.Doors.TWO;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.spring.autoconfigure.ControllerManagerAutoConfiguration;
import io.controllermanager.spring.autoconfigure.EmbeddedApiServerAutoConfiguration;
import io.controllermanager.spring.autoconfigure.ReadinessReasons;
import io.controllermanager.webhook.autoconfigure.Doors.DoorOne;
import io.controllermanager.webhook.autoconfigure.Doors.DoorTwo;
import io.controllermanager.webhook.autoconfigure.Doors.OneKeyEach;
import io.controllermanager.webhook.autoconfigure.Doors.Repaint;
import io.controllermanager.webhook.autoconfigure.Doors.SpecOne;
import io.controllermanager.webhook.autoconfigure.Doors.SpecTwo;
import io.controllermanager.webhook.autoconfigure.Doors.White;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** An application with all kinds of webhooks on an embedded API server, where it registers them itself. */
class WebhookApplicationTests {

    private final ApiServer server = ApiServer.start();
    private final String namespace = server.createNamespace("doors");
    private final ResourceClient<DoorOne> ones = new ResourceClient<>(server.client(), ONE);
    private final ResourceClient<DoorTwo> twos = new ResourceClient<>(server.client(), TWO);
    private final ResourceClient<V1CustomResourceDefinition> crds =
            new ResourceClient<>(server.client(), ResourceTypes.CUSTOM_RESOURCE_DEFINITION);

    @BeforeEach
    void install() {
        server.apply("classpath:doors.yaml");
    }

    @AfterEach
    void close() {
        server.close();
    }

    private void run(Consumer<ApplicationContext> test) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        EmbeddedApiServerAutoConfiguration.class,
                        ControllerManagerAutoConfiguration.class,
                        WebhookAutoConfiguration.class))
                .withPropertyValues("management.endpoints.web.exposure.include=webhooks")
                .withBean(
                        ApiServer.class,
                        () -> server,
                        definition -> ((AbstractBeanDefinition) definition).setDestroyMethodName(""))
                .withBean(Repaint.class)
                .withBean(OneKeyEach.class)
                .withBean(White.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    await().untilAsserted(() -> assertThat(
                                    context.getBean(ReadinessReasons.class).get())
                            .isEmpty());
                    test.accept(context);
                });
    }

    private DoorOne one(String name, String colour) {
        DoorOne door = new DoorOne();
        door.setMetadata(new V1ObjectMeta().namespace(namespace).name(name));
        door.setSpec(new SpecOne(colour));
        return door;
    }

    private DoorTwo two(String name, String paint, @Nullable String key) {
        DoorTwo door = new DoorTwo();
        door.setMetadata(new V1ObjectMeta().namespace(namespace).name(name));
        door.setSpec(new SpecTwo(paint, key));
        return door;
    }

    private void secret(String name) throws ApiException {
        new ResourceClient<>(server.client(), ResourceTypes.SECRET)
                .create(new V1Secret()
                        .metadata(new V1ObjectMeta().namespace(namespace).name(name)));
    }

    @Test
    void bothVersionsAreReadAndWritten() {
        run(context -> {
            try {
                secret("k");
                ones.create(one("a", "red"));
                await().until(() -> {
                    try {
                        twos.create(two("b", "blue", "k"));
                        return true;
                    } catch (ApiException e) {
                        assertThat(e).hasMessageContaining("no Secret has this name");
                        return false;
                    }
                });

                assertThat(twos.list(namespace))
                        .extracting(DoorTwo::spec)
                        .containsExactly(new SpecTwo("red", null), new SpecTwo("blue", "k"));
                assertThat(ones.list(namespace))
                        .extracting(DoorOne::spec)
                        .containsExactly(new SpecOne("red"), new SpecOne("blue"));

                ones.patch(namespace, "b", new Patch.Merge("{\"spec\":{\"colour\":\"green\"}}"));
                assertThat(twos.get(namespace, "b").spec()).isEqualTo(new SpecTwo("green", "k"));
            } catch (ApiException e) {
                throw new AssertionError(e.getMessage(), e);
            }
        });
    }

    @Test
    void whatIsWrongIsRefusedAndWhatIsMissingIsFilledIn() {
        run(context -> {
            try {
                assertThat(twos.create(two("a", "", null)).spec()).isEqualTo(new SpecTwo("white", null));
                assertThatThrownBy(() -> twos.create(two("b", "red", "k")))
                        .hasMessageContaining(
                                "admission webhook \"validate.doors.example.com\" denied the request:"
                                        + " Door.example.com \"b\" is invalid: spec.key: Invalid value: \"k\": no Secret has this name");
            } catch (ApiException e) {
                throw new AssertionError(e.getMessage(), e);
            }
        });
    }

    @Test
    void whatIsStoredInTheOldVersionIsStoredAgain() {
        run(context -> {
            try {
                ones.create(one("a", "red"));
                ones.create(one("b", "blue"));
                V1CustomResourceDefinition crd = crds.get(null, "doors.example.com");
                crd.getSpec()
                        .getVersions()
                        .forEach(version -> version.setStorage(version.getName().equals("v2")));
                crds.update(crd);
                assertThat(crds.get(null, "doors.example.com").getStatus().getStoredVersions())
                        .containsExactly("v1", "v2");

                await().untilAsserted(() -> assertThat(
                                crds.get(null, "doors.example.com").getStatus().getStoredVersions())
                        .containsExactly("v2"));
                await().untilAsserted(() -> assertThat(crds.get(null, "doors.example.com")
                                .getMetadata()
                                .getAnnotations())
                        .isNullOrEmpty());
                assertThat(context.getBean(WebhooksEndpoint.class).webhooks().types())
                        .containsExactly(new WebhooksEndpoint.ConvertedType("doors.example.com", List.of("v2"), null));
                assertThat(ones.list(namespace))
                        .extracting(DoorOne::spec)
                        .containsExactly(new SpecOne("red"), new SpecOne("blue"));
            } catch (ApiException e) {
                throw new AssertionError(e.getMessage(), e);
            }
        });
    }
}
