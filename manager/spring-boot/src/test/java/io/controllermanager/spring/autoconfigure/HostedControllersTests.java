package io.controllermanager.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.leaderelection.internal.LeadershipStatus;
import io.controllermanager.manager.internal.ControllerStatus;
import io.controllermanager.spring.actuate.endpoint.LeaderElectionEndpoint;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.kubernetes.client.extended.controller.Controller;
import io.kubernetes.client.extended.controller.builder.ControllerBuilder;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoordinationV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.apis.RbacAuthorizationV1Api;
import io.kubernetes.client.openapi.models.RbacV1Subject;
import io.kubernetes.client.openapi.models.V1ClusterRoleBinding;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1RoleRef;
import io.kubernetes.client.spring.extended.controller.annotation.AddWatchEventFilter;
import io.kubernetes.client.spring.extended.controller.annotation.GroupVersionResource;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesInformer;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesInformers;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconciler;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconcilerWatch;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconcilerWatches;
import io.kubernetes.client.spring.extended.controller.config.KubernetesInformerAutoConfiguration;
import io.kubernetes.client.util.Config;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.ObservationTextPublisher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.availability.ApplicationAvailabilityAutoConfiguration;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@RealControlPlane
class HostedControllersTests {

    private final ControlPlane plane;
    private final ApplicationContextRunner runner;

    HostedControllersTests(ControlPlane plane) {
        this.plane = plane;
        this.runner = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        ControllerManagerAutoConfiguration.class, KubernetesInformerAutoConfiguration.class))
                .withBean(KubernetesConnectionDetails.class, () -> plane::kubeconfigFile)
                .withPropertyValues(
                        "controller-manager.leader-election.resource-name=" + UUID.randomUUID(),
                        // Connection details win.
                        "controller-manager.kubeconfig=/nowhere");
    }

    @Test
    void aReconcilerAnnotatedForClientJavaRunsUnchanged() {
        runner.withUserConfiguration(Annotated.class).run(context -> {
            AnnotatedReconciler reconciler = context.getBean(AnnotatedReconciler.class);
            String namespace = plane.createNamespace("annotated");
            create(namespace, "filtered");
            create(namespace, "seen");
            await("it is reconciled").until(() -> reconciler.seen.contains(namespace + "/seen"));
            assertThat(reconciler.seen).doesNotContain(namespace + "/filtered");
            assertThat(context.getBean(ControllerManagerHost.class).controllers())
                    .extracting(ControllerStatus::name, ControllerStatus::workers)
                    .containsExactly(tuple("config-maps", 2));
        });
    }

    @Test
    void theIdentityNamesThePodIfThatIsKnown() {
        runner.withUserConfiguration(Annotated.class)
                .withPropertyValues("controller-manager.leader-election.pod-uid=6f0c1e32-22e5-4dc4-9d2b-0c5a8f7a1b11")
                .run(context -> assertThat(context.getBean(ControllerManagerHost.class)
                                .leadership()
                                .identity())
                        .contains(":6f0c1e32-22e5-4dc4-9d2b-0c5a8f7a1b11_"));
    }

    @Test
    void anAnnotatedReconcilerThatIsOffGetsNothing() {
        runner.withUserConfiguration(Annotated.class)
                .withPropertyValues("controller-manager.controllers=*,-config-maps")
                .run(context -> {
                    AnnotatedReconciler reconciler = context.getBean(AnnotatedReconciler.class);
                    String namespace = plane.createNamespace("off");
                    create(namespace, "seen");
                    ControllerManagerHost host = context.getBean(ControllerManagerHost.class);
                    await("the informer has it")
                            .until(() -> host.informers().stream()
                                    .anyMatch(informer -> informer.synced() && informer.objects() > 0));
                    assertThat(reconciler.seen).isEmpty();
                });
    }

    @Test
    void aReconcilerNamedByBeanAndAnnotationIsHostedOnce() {
        runner.withUserConfiguration(Annotated.class, ControllerBean.class).run(context -> {
            assertThat(context.getBean(ControllerManagerHost.class).controllers())
                    .extracting(ControllerStatus::name)
                    .containsExactly("by-bean");
            String namespace = plane.createNamespace("once");
            create(namespace, "seen");
            AnnotatedReconciler reconciler = context.getBean(AnnotatedReconciler.class);
            await("it is reconciled").until(() -> reconciler.seen.contains(namespace + "/seen"));
        });
    }

    @Test
    void anInformerThatStaysWithoutAWatchMakesTheHostUnready(@TempDir Path folder) throws IOException {
        Path nobody = Files.writeString(folder.resolve("nobody"), plane.kubeconfigFor("nobody"));
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(ControllerManagerAutoConfiguration.class))
                .withBean(KubernetesConnectionDetails.class, () -> () -> nobody)
                .withBean(
                        ControllerDescriptor.class,
                        () -> ControllerDescriptor.named("refused")
                                .forType(ResourceTypes.CONFIG_MAP)
                                .reconciler(request -> new Result(false))
                                .build())
                .withPropertyValues(
                        "controller-manager.leader-election.enabled=false",
                        "controller-manager.informers.disconnect-timeout=1ms")
                .run(context -> {
                    ControllerManagerHost host = context.getBean(ControllerManagerHost.class);
                    await("it is said what is missing")
                            .untilAsserted(() -> assertThat(host.readiness().reasons())
                                    .anyMatch(reason ->
                                            reason.startsWith("the informer of configmaps/v1 has had no watch")
                                                    && reason.contains("cannot list resource \"configmaps\"")));
                    assertThat(host.informers().get(0).reflectors().get(0).missingPermission())
                            .isEqualTo("list configmaps in all namespaces");
                });
    }

    @Test
    void theReadinessProbeTurnsForAsLongAsAnInformerHasNoWatch(@TempDir Path folder) throws Exception {
        String user = "unready-" + UUID.randomUUID();
        Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), plane.kubeconfigFor(user));
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        ControllerManagerAutoConfiguration.class,
                        ControllerManagerHealthAutoConfiguration.class,
                        ApplicationAvailabilityAutoConfiguration.class,
                        HealthContributorRegistryAutoConfiguration.class,
                        HealthEndpointAutoConfiguration.class))
                .withBean(KubernetesConnectionDetails.class, () -> () -> kubeconfig)
                .withBean(
                        ControllerDescriptor.class,
                        () -> ControllerDescriptor.named("unready")
                                .forType(ResourceTypes.CONFIG_MAP)
                                .reconciler(request -> new Result(false))
                                .build())
                .withPropertyValues(
                        "controller-manager.leader-election.enabled=false",
                        "controller-manager.informers.disconnect-timeout=1ms",
                        "management.endpoints.web.exposure.include=health",
                        "management.endpoint.health.group.readiness.include=readinessState")
                .run(context -> {
                    AvailabilityChangeEvent.publish(context, ReadinessState.ACCEPTING_TRAFFIC);
                    HealthEndpoint health = context.getBean(HealthEndpoint.class);
                    ControllerManagerHost host = context.getBean(ControllerManagerHost.class);
                    await("it has no watch")
                            .until(() -> host.readiness().reasons().stream()
                                    .anyMatch(reason -> reason.contains("has had no watch")));
                    assertThat(readiness(health)).isEqualTo(Status.OUT_OF_SERVICE);

                    new RbacAuthorizationV1Api(
                                    Config.fromConfig(plane.kubeconfigFile().toString()))
                            .createClusterRoleBinding(new V1ClusterRoleBinding()
                                    .metadata(new V1ObjectMeta().name(user))
                                    .roleRef(new V1RoleRef()
                                            .apiGroup("rbac.authorization.k8s.io")
                                            .kind("ClusterRole")
                                            .name("cluster-admin"))
                                    .addSubjectsItem(new RbacV1Subject()
                                            .apiGroup("rbac.authorization.k8s.io")
                                            .kind("User")
                                            .name(user)))
                            .execute();

                    await("it has one").until(() -> Status.UP.equals(readiness(health)));
                });
    }

    private static Status readiness(HealthEndpoint health) {
        return java.util.Objects.requireNonNull(health.healthForPath("readiness"))
                .getStatus();
    }

    @Test
    void theHostCanBeStoppedAndStartedAgain() {
        Set<String> seen = ConcurrentHashMap.newKeySet();
        runner.withBean(
                        ControllerDescriptor.class,
                        () -> ControllerDescriptor.named("again")
                                .forType(ResourceTypes.CONFIG_MAP)
                                .reconciler(request -> {
                                    seen.add(request.getNamespace() + "/" + request.getName());
                                    return new Result(false);
                                })
                                .build())
                .run(context -> {
                    ControllerManagerHost host = context.getBean(ControllerManagerHost.class);
                    String namespace = plane.createNamespace("again");
                    create(namespace, "before");
                    await("it is reconciled").until(() -> seen.contains(namespace + "/before"));
                    assertThat(host.readiness().reasons()).isEmpty();

                    context.stop();
                    assertThat(host.isRunning()).isFalse();
                    assertThat(host.leadership().leading()).isFalse();
                    seen.clear();

                    context.start();
                    await("it is reconciled again").until(() -> seen.contains(namespace + "/before"));
                    create(namespace, "after");
                    await("changes are seen").until(() -> seen.contains(namespace + "/after"));
                    assertThat(context.getBean(ApiConnection.class).access()).isNotNull();
                });
    }

    @Test
    void eachControllerHasALeaseOfItsOwnWherePropertiesSaySo() {
        String name = "lease-" + UUID.randomUUID();
        runner.withUserConfiguration(Annotated.class)
                .withPropertyValues(
                        "controller-manager.leader-election.lease-per-controller=true",
                        "controller-manager.leader-election.resource-name=" + name,
                        "controller-manager.leader-election.resource-namespace=default")
                .run(context -> {
                    AnnotatedReconciler reconciler = context.getBean(AnnotatedReconciler.class);
                    String namespace = plane.createNamespace("shared");
                    create(namespace, "seen");
                    await("it is reconciled").until(() -> reconciler.seen.contains(namespace + "/seen"));

                    ControllerManagerHost host = context.getBean(ControllerManagerHost.class);
                    LeaderElectionEndpoint endpoint =
                            new LeaderElectionEndpoint(host::leadership, host::leaderships, host::divided);
                    assertThat(endpoint.leaderElection("config-maps"))
                            .asInstanceOf(InstanceOfAssertFactories.type(LeadershipStatus.class))
                            .extracting(LeadershipStatus::lease, LeadershipStatus::leading)
                            .containsExactly("default/" + name + "-config-maps", true);
                    assertThat(endpoint.leaderElection())
                            .isInstanceOfSatisfying(
                                    LeaderElectionEndpoint.Controllers.class,
                                    all -> assertThat(all.controllers()).containsOnlyKeys("config-maps"));
                    assertThat(new CoordinationV1Api(Config.fromConfig(
                                            plane.kubeconfigFile().toString()))
                                    .readNamespacedLease(name + "-config-maps", "default")
                                    .execute()
                                    .getSpec()
                                    .getHolderIdentity())
                            .isNotEmpty();
                    // The client that beans share writes while this process has something to do.
                    new CoreV1Api(context.getBean(ApiConnection.class).apiClient())
                            .deleteNamespacedConfigMap("seen", namespace)
                            .execute();
                });
    }

    /** What a tracing bridge hangs on to. */
    @Test
    void eachReconcileIsObservedInTheApplicationsRegistry() {
        Set<String> observed = ConcurrentHashMap.newKeySet();
        ObservationRegistry observations = ObservationRegistry.create();
        observations.observationConfig().observationHandler(new ObservationTextPublisher(observed::add));
        runner.withUserConfiguration(Annotated.class)
                .withBean(ObservationRegistry.class, () -> observations)
                .run(context -> {
                    create(plane.createNamespace("observed"), "seen");
                    await("it is observed")
                            .until(() -> observed.stream()
                                    .anyMatch(line -> line.contains("STOP")
                                            && line.contains("name='controller.reconcile'")
                                            && line.contains("controller='config-maps'")
                                            && line.contains("result='success'")));
                });
    }

    @Test
    void aRestartCompetesWithTheCredentialsThatAreFoundThen(@TempDir Path folder) throws IOException {
        Path kubeconfig = folder.resolve("kubeconfig");
        String good = Files.readString(plane.kubeconfigFile());
        Files.writeString(kubeconfig, good.replaceAll("(server\"?: *\"?)[^\\s\",}]+", "$1https://127.0.0.1:1"));
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        ControllerManagerAutoConfiguration.class, KubernetesInformerAutoConfiguration.class))
                .withBean(KubernetesConnectionDetails.class, () -> () -> kubeconfig)
                .withUserConfiguration(Annotated.class)
                .withPropertyValues(
                        "controller-manager.leader-election.resource-name=" + UUID.randomUUID(),
                        "controller-manager.cache-sync-timeout=10ms")
                .run(context -> {
                    ControllerManagerHost host = context.getBean(ControllerManagerHost.class);
                    await("the API server is not reached")
                            .until(() -> String.valueOf(host.leadership().lastError())
                                    .contains("not reached"));

                    context.stop();
                    Files.writeString(kubeconfig, good);
                    context.start();
                    await("it leads").until(() -> host.leadership().leading());
                });
    }

    /** With a client of its own: the host's is fenced until this process leads. */
    private void create(String namespace, String name) throws ApiException, IOException {
        new CoreV1Api(Config.fromConfig(plane.kubeconfigFile().toString()))
                .createNamespacedConfigMap(namespace, new V1ConfigMap().metadata(new V1ObjectMeta().name(name)))
                .execute();
    }

    @Configuration(proxyBeanMethods = false)
    @KubernetesInformers(
            @KubernetesInformer(
                    apiTypeClass = V1ConfigMap.class,
                    apiListTypeClass = V1ConfigMapList.class,
                    groupVersionResource =
                            @GroupVersionResource(apiGroup = "", apiVersion = "v1", resourcePlural = "configmaps")))
    @SuppressWarnings("deprecation")
    static class Annotated {

        @Bean
        AnnotatedReconciler configMapReconciler() {
            return new AnnotatedReconciler();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ControllerBean {

        @Bean
        Controller byBean(
                SharedInformerFactory factory,
                AnnotatedReconciler reconciler,
                List<SharedIndexInformer<V1ConfigMap>> informers) {
            assertThat(informers).hasSize(1);
            return ControllerBuilder.defaultBuilder(factory)
                    .watch(queue -> ControllerBuilder.controllerWatchBuilder(V1ConfigMap.class, queue)
                            .build())
                    .withReconciler(reconciler)
                    .withName("by-bean")
                    .build();
        }
    }

    @KubernetesReconciler(
            value = "config-maps",
            workerCount = 2,
            watches = @KubernetesReconcilerWatches(@KubernetesReconcilerWatch(apiTypeClass = V1ConfigMap.class)))
    @SuppressWarnings("deprecation")
    public static class AnnotatedReconciler implements Reconciler {

        final Set<String> seen = ConcurrentHashMap.newKeySet();

        @AddWatchEventFilter(apiTypeClass = V1ConfigMap.class)
        public boolean onAdd(V1ConfigMap configMap) {
            return !"filtered".equals(configMap.getMetadata().getName());
        }

        @Override
        public Result reconcile(Request request) {
            seen.add(request.getNamespace() + "/" + request.getName());
            return new Result(false);
        }
    }
}
