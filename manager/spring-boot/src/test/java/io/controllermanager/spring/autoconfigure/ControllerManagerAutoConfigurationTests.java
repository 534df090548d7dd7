package io.controllermanager.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.informer.internal.InformerFactory;
import io.controllermanager.leaderelection.internal.LeadershipStatus;
import io.controllermanager.manager.internal.ControllerState;
import io.controllermanager.manager.internal.ControllerStatus;
import io.controllermanager.spring.actuate.endpoint.ControllersEndpoint;
import io.controllermanager.spring.actuate.endpoint.InformersEndpoint;
import io.controllermanager.spring.actuate.endpoint.LeaderElectionEndpoint;
import io.controllermanager.spring.actuate.health.HostLivenessHealthIndicator;
import io.controllermanager.spring.actuate.health.HostReadinessHealthIndicator;
import io.controllermanager.spring.config.ConfigurationException;
import io.controllermanager.spring.config.ControllerManagerProperties;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.spring.extended.controller.config.KubernetesInformerAutoConfiguration;
import io.kubernetes.client.spring.extended.manifests.config.KubernetesManifestsAutoConfiguration;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.availability.ApplicationAvailabilityAutoConfiguration;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.AvailabilityProbesAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.LifecycleProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class ControllerManagerAutoConfigurationTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    ControllerManagerAutoConfiguration.class,
                    ControllerManagerEndpointAutoConfiguration.class,
                    ControllerManagerHealthAutoConfiguration.class,
                    AvailabilityProbesAutoConfiguration.class,
                    ApplicationAvailabilityAutoConfiguration.class,
                    KubernetesInformerAutoConfiguration.class))
            .withUserConfiguration(Descriptors.class, NotStarted.class)
            .withPropertyValues("management.endpoints.web.exposure.include=*");

    @Test
    void providesWhatControllersNeedWithoutLookingForAnApiServer() {
        runner.run(context -> {
            assertThat(context).hasSingleBean(ApiConnection.class);
            assertThat(context).hasSingleBean(InformerFactory.class);
            assertThat(context).hasBean("sharedInformerFactory");
            assertThat(context).doesNotHaveBean("defaultApiClient");
            assertThat(context.getBean(ApiClient.class))
                    .isSameAs(context.getBean(ApiConnection.class).apiClient());
            assertThat(context.getBean(ApiConnection.class).access()).isNull();
        });
    }

    @Test
    void canBeTurnedOff() {
        runner.withPropertyValues("controller-manager.enabled=false", "kubernetes.informer.enabled=false")
                .run(context -> assertThat(context)
                        .doesNotHaveBean(ControllerManagerHost.class)
                        .doesNotHaveBean(ControllersEndpoint.class)
                        .doesNotHaveBean(HostReadinessHealthIndicator.class));
    }

    @Test
    void followsTheApplicationsOwnClient() {
        ApiClient own = new ApiClient().setBasePath("https://own:6443");
        runner.withBean(ApiClient.class, () -> own).run(context -> {
            assertThat(context.getBean(ApiClient.class)).isSameAs(own);
            assertThat(context.getBean(ApiConnection.class).apiClient().getBasePath())
                    .isEqualTo("https://own:6443");
            assertThat(context.getBean(ApiConnection.class).owns(own)).isTrue();
        });
    }

    @Test
    void letsTheClientBeCustomized() {
        runner.withBean(ApiClientCustomizer.class, () -> client -> client.addDefaultHeader("X-Team", "blue"))
                .run(context -> assertThat(context.getBean(ApiClient.class))
                        .extracting("defaultHeaderMap")
                        .asInstanceOf(InstanceOfAssertFactories.MAP)
                        .containsEntry("X-Team", "blue"));
    }

    @Test
    void readsPropertiesOfEachController() {
        runner.withPropertyValues(
                        "controller-manager.controllers=*,-two",
                        "controller-manager.controller.one.workers=4",
                        "controller-manager.shutdown-timeout=1m30s")
                .run(context -> {
                    List<ControllerStatus> controllers = context.getBean(ControllersEndpoint.class)
                            .controllers()
                            .controllers();
                    assertThat(controllers)
                            .extracting(ControllerStatus::name, ControllerStatus::state, ControllerStatus::workers)
                            .containsExactly(
                                    tuple("one", ControllerState.STOPPED, 4),
                                    tuple("two", ControllerState.DISABLED, 2));
                    assertThat(context.getBean(ControllerManagerProperties.class)
                                    .shutdownTimeout())
                            .isEqualTo(Duration.ofSeconds(90));
                });
    }

    @Test
    void reportsEveryMistakeInOneStart() {
        runner.withPropertyValues(
                        "controller-manager.controllers=nope",
                        "controller-manager.client.qps=0",
                        "controller-manager.informers.page-size=0",
                        "controller-manager.leader-election.retry-period=soon",
                        "controller-manager.controller.one.workers=0")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(ConfigurationException.class)
                        .hasMessageContainingAll(
                                "controller-manager.controllers=nope",
                                "no controller is called \"nope\"; known are one, two",
                                "controller-manager.client.qps=0",
                                "controller-manager.informers.page-size=0",
                                "controller-manager.leader-election.retry-period=soon",
                                "must be a duration",
                                "controller-manager.controller.one.workers=0"));
    }

    @Test
    void keysWithoutNamespaceAreNotDividedByIt() {
        ControllerDescriptor nodes = ControllerDescriptor.named("nodes")
                .forType(ResourceType.cluster(V1Node.class, "", "v1", "Node", "nodes"))
                .reconciler(request -> new Result(false))
                .build();
        ApplicationContextRunner divided = runner.withBean("nodes", ControllerDescriptor.class, () -> nodes)
                .withPropertyValues("controller-manager.controller.nodes.shards=4");
        divided.run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOf(ConfigurationException.class)
                .hasMessage("controller-manager.controller.nodes.shard-by=namespace: nodes/v1 has no namespace: use"
                        + " shard-by=name or shard-by=uid"));
        divided.withPropertyValues("controller-manager.controller.nodes.shard-by=name")
                .run(context -> assertThat(context).hasNotFailed());
        divided.withPropertyValues("controller-manager.controller.nodes.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void refusesTwoControllersOfOneName() {
        runner.withBean("again", ControllerDescriptor.class, () -> descriptor("one"))
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContainingAll("two controllers are called \"one\": the beans ", "again", " and "));
    }

    @Test
    void showsHowThingsAre() {
        runner.run(context -> {
            assertThat(context).hasSingleBean(InformersEndpoint.class);
            assertThat(context.getBean(LeaderElectionEndpoint.class).leaderElection())
                    .isInstanceOfSatisfying(
                            LeadershipStatus.class,
                            status -> assertThat(status.leading()).isFalse());
            assertThat(context.getBean(LeaderElectionEndpoint.class).leaderElection("one"))
                    .isNull();
            assertThat(context.getBean(ControllersEndpoint.class).controller("one"))
                    .isNotNull();
            assertThat(context.getBean(ControllersEndpoint.class).controller("three"))
                    .isNull();
        });
    }

    @Test
    void takesTheProbesPlaces() {
        runner.run(context -> {
            assertThat(context).hasBean("readinessStateHealthIndicator");
            assertThat(context).hasBean("livenessStateHealthIndicator");
            assertThat(context).hasSingleBean(HostReadinessHealthIndicator.class);
            assertThat(context).hasSingleBean(HostLivenessHealthIndicator.class);
        });
    }

    @Test
    void leavesClientJavasManifestsOff() {
        SpringApplication application = new SpringApplication(Everything.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        try (ConfigurableApplicationContext context = application.run("--spring.main.banner-mode=off")) {
            assertThat(context.getBeanNamesForType(KubernetesManifestsAutoConfiguration.class))
                    .isEmpty();
            assertThat(context.getBeanNamesForType(KubernetesInformerAutoConfiguration.class))
                    .hasSize(1);
        }
    }

    private static ControllerDescriptor descriptor(String name) {
        return ControllerDescriptor.named(name)
                .forType(ResourceTypes.CONFIG_MAP)
                .options(ControllerOptions.DEFAULTS.withWorkers(2))
                .reconciler(request -> new Result(false))
                .build();
    }

    @Configuration(proxyBeanMethods = false)
    static class Descriptors {

        @Bean
        ControllerDescriptor one() {
            return descriptor("one");
        }

        @Bean
        ControllerDescriptor two() {
            return descriptor("two");
        }
    }

    /** The host is there, but no API server that it could be started with. */
    @Configuration(proxyBeanMethods = false)
    static class NotStarted {

        @Bean
        static BeanFactoryPostProcessor withoutLifecycle() {
            return factory -> factory.registerSingleton("lifecycleProcessor", new NoLifecycle());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Everything extends NotStarted {}

    private static final class NoLifecycle implements LifecycleProcessor {

        @Override
        public void onRefresh() {}

        @Override
        public void onClose() {}

        @Override
        public void start() {}

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return false;
        }
    }
}
