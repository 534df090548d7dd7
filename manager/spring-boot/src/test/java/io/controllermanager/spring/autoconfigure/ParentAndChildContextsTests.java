package io.controllermanager.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.manager.internal.ControllerState;
import io.controllermanager.manager.internal.ControllerStatus;
import io.controllermanager.spring.actuate.endpoint.ControllersEndpoint;
import io.controllermanager.spring.actuate.health.HostReadinessHealthIndicator;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Lease;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;

/** Hosts in a parent and its children, and a host that has no controllers. */
@ExtendWith(OutputCaptureExtension.class)
class ParentAndChildContextsTests {

    private static final ResourceType<V1Lease> LEASE =
            ResourceType.namespaced(V1Lease.class, "coordination.k8s.io", "v1", "Lease", "leases");

    private final ApiServer server = ApiServer.start();

    @AfterEach
    void close() {
        server.close();
    }

    private String[] arguments(String... more) {
        return Stream.concat(
                        Stream.of(
                                "--controller-manager.kubeconfig=" + server.kubeconfigFile(),
                                "--controller-manager.leader-election.resource-name=shared",
                                "--spring.main.banner-mode=off"),
                        Stream.of(more))
                .toArray(String[]::new);
    }

    private List<V1Lease> leases() throws ApiException {
        return new ResourceClient<>(server.client(), LEASE).list("default");
    }

    private static SpringApplicationBuilder application(Class<?> source) {
        return new SpringApplicationBuilder(source).web(WebApplicationType.NONE);
    }

    private static ControllerStatus only(ConfigurableApplicationContext context) {
        return context.getBean(ControllersEndpoint.class)
                .controllers()
                .controllers()
                .get(0);
    }

    private static void awaitRunning(ConfigurableApplicationContext context) {
        await("its controller runs").until(() -> only(context).state() == ControllerState.RUNNING);
    }

    @Test
    void theControllersOfAChildRunUnderAParentThatHasNone(CapturedOutput output) throws ApiException {
        try (ConfigurableApplicationContext child =
                application(Empty.class).child(Maps.class).run(arguments())) {
            awaitRunning(child);
            assertThat(only(child).name()).isEqualTo("maps");
            assertThat(child.getBean(ControllerManagerHost.class))
                    .isNotSameAs(child.getParent().getBean(ControllerManagerHost.class));
            assertThat(child.getBean(ControllerManagerHost.class).leadership().lease())
                    .isEqualTo("default/shared");
            assertThat(leases()).hasSize(1);
            ((ConfigurableApplicationContext) child.getParent()).close();
        }
        assertThat(output)
                .containsOnlyOnce("No controller runs, and no Lease is taken: the application context ")
                .containsOnlyOnce("has no bean of type ControllerDescriptor, ObjectReconciler or Controller, and no"
                        + " Reconciler with @KubernetesReconciler");
    }

    @Test
    void aHostWithoutControllersTakesNoLeaseAndIsReady(CapturedOutput output) throws ApiException {
        try (ConfigurableApplicationContext alone = application(Empty.class).run(arguments())) {
            assertThat(alone.getBean(ControllerManagerHost.class).leadership().enabled())
                    .isFalse();
            assertThat(alone.getBean(HostReadinessHealthIndicator.class)
                            .health()
                            .getStatus())
                    .isEqualTo(Status.UP);
            assertThat(leases()).isEmpty();
        }
        assertThat(output).containsOnlyOnce("WARN").contains("No controller runs");
    }

    @Test
    void aHostWhoseControllersAreAllOffTakesNoLeaseAndNamesThem(CapturedOutput output) throws ApiException {
        for (String off : List.of("--controllers=-maps", "--controller-manager.controller.maps.enabled=false")) {
            try (ConfigurableApplicationContext alone = application(Maps.class).run(arguments(off))) {
                assertThat(only(alone).state()).isEqualTo(ControllerState.DISABLED);
                assertThat(leases()).isEmpty();
            }
        }
        assertThat(output)
                .contains("No controller runs, and no Lease is taken: controller-manager.controllers or"
                        + " controller-manager.controller.<name>.enabled has switched off maps");
    }

    @Test
    void aParentAndAChildThatBothHaveControllersNeedTwoLeases() {
        SpringApplicationBuilder parent = application(Maps.class);
        Throwable failure = catchThrowable(() -> parent.child(Secrets.class).run(arguments()));
        parent.context().close();
        assertThat(new StartFailureAnalyzer().analyze(failure).getDescription())
                .startsWith("controller-manager.leader-election.resource-name=default/shared of http")
                .endsWith(
                        " both have controllers, and the second would never get the first one's Lease: set another name"
                                + " in one of them");
        try (ConfigurableApplicationContext child = application(Maps.class)
                .child(Secrets.class)
                .initializers(made -> made.getEnvironment()
                        .getPropertySources()
                        .addFirst(new MapPropertySource(
                                "own", Map.of("controller-manager.leader-election.resource-name", "own"))))
                .run(arguments())) {
            awaitRunning(child);
            assertThat(only(child).name()).isEqualTo("secrets");
            awaitRunning((ConfigurableApplicationContext) child.getParent());
            child.getParent().getBean(ControllerManagerHost.class).stop();
            child.getParent().getBean(ControllerManagerHost.class).start();
            ((ConfigurableApplicationContext) child.getParent()).close();
        }
    }

    @Test
    void siblingsNeedTwoLeasesUnlessNoneIsTaken() {
        SpringApplicationBuilder maps = application(Plain.class).child(Maps.class);
        try (ConfigurableApplicationContext first = maps.run(arguments())) {
            awaitRunning(first);
            Throwable failure = catchThrowable(() -> maps.sibling(Secrets.class).run(arguments()));
            assertThat(new StartFailureAnalyzer().analyze(failure).getDescription())
                    .contains("both have controllers");
            try (ConfigurableApplicationContext second =
                    maps.sibling(Secrets.class).run(arguments("--leader-elect=false"))) {
                awaitRunning(second);
            }
        }
    }

    @Test
    void theControllersOfAParentWithoutAHostRunInTheChild() {
        try (ConfigurableApplicationContext child =
                application(PlainMaps.class).child(Empty.class).run(arguments())) {
            awaitRunning(child);
            assertThat(only(child).name()).isEqualTo("maps");
        }
    }

    private static ControllerDescriptor descriptor(String name, ResourceType<?> type) {
        return ControllerDescriptor.named(name)
                .forType(type)
                .reconciler(request -> new Result(false))
                .build();
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Empty {}

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Maps {

        @Bean
        ControllerDescriptor mapsController() {
            return descriptor("maps", ResourceTypes.CONFIG_MAP);
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Secrets {

        @Bean
        ControllerDescriptor secretsController() {
            return descriptor("secrets", ResourceTypes.SECRET);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Plain {}

    @Configuration(proxyBeanMethods = false)
    static class PlainMaps {

        @Bean
        ControllerDescriptor mapsController() {
            return descriptor("maps", ResourceTypes.CONFIG_MAP);
        }
    }
}
