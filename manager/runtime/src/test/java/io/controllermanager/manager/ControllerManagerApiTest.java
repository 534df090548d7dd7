package io.controllermanager.manager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.ApiConnection;
import io.controllermanager.client.ApiDiscovery;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.WriteFence.WriteRefusedException;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.informer.InformerFactory;
import io.controllermanager.informer.InformerOptions;
import io.controllermanager.informer.PartialObjectMetadata;
import io.controllermanager.informer.Selection;
import io.controllermanager.leaderelection.LeaderElectionConfig;
import io.controllermanager.leaderelection.LeaderElector;
import io.controllermanager.recorder.EventBroadcaster;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.FreshNamespace;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.controllermanager.time.Clock;
import io.controllermanager.time.SystemTimer;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoordinationV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.StringReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The host with nothing faked, on a control plane of its own, whose API server goes away at times. */
@RealControlPlane(dedicated = true)
class ControllerManagerApiTest {

    private static final ResourceType<V1ConfigMap> CONFIG_MAP =
            ResourceType.namespaced(V1ConfigMap.class, "", "v1", "ConfigMap", "configmaps");
    private static final ResourceType<V1ConfigMap> WIDGET =
            ResourceType.namespaced(V1ConfigMap.class, "example.com", "v1", "Widget", "widgets");

    private final ControlPlane plane;
    private final ApiClient admin;
    private final List<Replica> replicas = new ArrayList<>();
    private final List<String> log = new CopyOnWriteArrayList<>();
    private String namespace = "";

    ControllerManagerApiTest(ControlPlane plane) throws IOException {
        this.plane = plane;
        this.admin = client(plane);
    }

    @BeforeEach
    void takeNamespace(FreshNamespace fresh) {
        namespace = fresh.name();
    }

    @AfterEach
    void end() {
        replicas.forEach(Replica::close);
        await().pollInterval(Duration.ofMillis(5))
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .extracting(Thread::getName)
                        .noneMatch(name -> name.startsWith("controller-manager-")));
    }

    @Test
    void theLeaderReconcilesTheStandbyTakesOverWithWarmCaches() throws Exception {
        create("one");
        Replica a = new Replica("a");
        a.manager.start();
        awaitState(a, ControllerState.RUNNING);
        await().until(() -> log.contains("a one"));
        Replica b = new Replica("b");
        b.manager.start();
        awaitState(b, ControllerState.WAITING_FOR_LEADERSHIP);
        await().until(() -> b.manager.readiness().healthy());
        create("two");
        await().until(() -> log.contains("a two"));
        assertThat(b.manager.controllers().get(0).queueDepth()).isZero();
        assertThat(log).noneMatch(line -> line.startsWith("b "));
        assertThatThrownBy(() -> new CoreV1Api(b.connection.apiClient())
                        .deleteNamespacedConfigMap("one", namespace)
                        .execute())
                .isInstanceOf(ApiException.class)
                .hasRootCauseInstanceOf(WriteRefusedException.class);
        assertThat(new CoreV1Api(b.connection.apiClient())
                        .readNamespacedConfigMap("one", namespace)
                        .execute())
                .isNotNull();
        a.manager.stop();
        await().until(() -> log.contains("b one") && log.contains("b two"));
        b.manager.stop();
        assertThat(holder()).isEmpty();
    }

    @Test
    void anInformerEndsWithTheLastControllerThatNeedsItAndComesBackWithTheNext() throws Exception {
        create("one");
        Replica a = new Replica("a");
        ControllerManager manager = a.manager(ControllerRegistration.of(ControllerDescriptor.named("second")
                .forType(ResourceTypes.CONFIG_MAP)
                .reconciler(request -> new Result(false))
                .build()));
        String first = manager.controllers().get(0).name();
        manager.start();
        await().until(() -> log.contains("a one"));
        awaitRunning(manager);
        assertThat(manager.informers()).hasSize(1);
        manager.stopController("second");
        assertThat(manager.informers()).hasSize(1);
        manager.stopController(first);
        assertThat(manager.informers()).isEmpty();
        log.clear();
        create("two");
        manager.startController(first);

        await().until(() -> log.contains("a one") && log.contains("a two"));
        assertThat(manager.informers()).hasSize(1);
        assertThat(manager.controllers().get(1).state()).isEqualTo(ControllerState.STOPPED);
        manager.stop();
    }

    @Test
    void aControllerHasAnInformerOfWhatItSelects() throws Exception {
        create("one");
        create("two");
        Selection<PartialObjectMetadata> selection =
                Selection.metadataOf(ResourceTypes.CONFIG_MAP).fields("metadata.name=two");
        Replica a = new Replica("a");
        ControllerManager manager = a.manager(ControllerRegistration.of(ControllerDescriptor.named("selective")
                .forType(selection, event -> true)
                .reconcilerFactory(context -> request -> {
                    PartialObjectMetadata read = context.informer(selection)
                            .lister()
                            .namespace(request.getNamespace())
                            .get(request.getName());
                    log.add("selective " + read.getKind() + " " + request.getName());
                    return new Result(false);
                })
                .build()));
        manager.start();

        await().until(() -> log.contains("a one") && log.contains("selective ConfigMap two"));
        assertThat(log).doesNotContain("selective ConfigMap one");
        assertThat(manager.informers()).hasSize(2);
        manager.stopController("selective");
        assertThat(manager.informers()).hasSize(1);
        manager.stop();
    }

    private static void awaitRunning(ControllerManager manager) {
        await().untilAsserted(() -> assertThat(manager.controllers())
                .extracting(ControllerStatus::state)
                .containsOnly(ControllerState.RUNNING));
    }

    @Test
    void aMissingCrdKeepsItsControllerWaitingUntilItAppears() throws Exception {
        Replica a = new Replica("a");
        ControllerManager manager = a.manager(ControllerRegistration.of(ControllerDescriptor.named("widgets")
                .forType(WIDGET)
                .reconciler(request -> {
                    log.add("widget " + request.getName());
                    return new Result(false);
                })
                .build()));
        manager.start();
        await().until(() -> manager.controllers().get(0).state() == ControllerState.RUNNING);
        await().until(() -> manager.controllers().get(1).state() == ControllerState.WAITING_FOR_TYPE);
        assertThat(manager.controllers().get(1).detail())
                .isEqualTo("the API server does not serve widgets.example.com/v1");
        assertThat(manager.informers()).noneMatch(status -> status.resource().contains("widgets"));
        applyCrd();

        await().until(() -> manager.controllers().get(1).state() == ControllerState.RUNNING);
        manager.stop();
    }

    @Test
    void stopWaitsForTheReconcileThenReleasesTheLeaseAndLeavesTheQueue() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        List<String> holderDuring = new CopyOnWriteArrayList<>();
        Replica a = new Replica("a", request -> {
            busy.countDown();
            go.await();
            holderDuring.add(holder());
        });
        a.manager.start();
        awaitState(a, ControllerState.RUNNING);
        for (int i = 0; i < 5; i++) {
            create("map-" + i);
        }
        busy.await();
        Thread stopper = new Thread(a.manager::stop, "stopper");
        stopper.start();
        await().until(() -> !a.manager.isRunning());
        go.countDown();
        stopper.join();

        assertThat(holderDuring).containsExactly("a");
        assertThat(holder()).isEmpty();
        assertThat(a.manager.controllers().get(0).reconciles()).isEqualTo(1);
    }

    @Test
    void afterAnOutageThatCostTheLeaseEverythingIsReconciledWithinSeconds() throws Exception {
        Replica a = new Replica("a", request -> {
            // A write, so that it fails while the API server is away.
            String name = Objects.requireNonNull(request.getName());
            new CoreV1Api(admin)
                    .replaceNamespacedConfigMap(name, namespace, configMap(name).data(Map.of("by", "a")))
                    .execute();
            log.add("a " + name);
        });
        for (int i = 0; i < 50; i++) {
            create("map-" + i);
        }
        a.manager.start();
        await().until(() -> log.stream().distinct().count() >= 50);

        plane.killApiServer();
        awaitState(a, ControllerState.WAITING_FOR_LEADERSHIP);
        assertThat(a.manager.leadership().leading()).isFalse();
        assertThat(a.manager.liveness().healthy()).isTrue();
        log.clear();
        plane.startApiServer();
        plane.awaitReady(Duration.ofSeconds(60));

        await().atMost(Duration.ofSeconds(15))
                .until(() -> log.stream().distinct().count() >= 50);
        assertThat(a.manager.leadership().leading()).isTrue();
        create("later");
        await().until(() -> log.contains("a later"));
    }

    @Test
    void aHungApiServerCostsTheLeaseAndItComesBack() throws Exception {
        Replica a = new Replica("a");
        create("one");
        a.manager.start();
        await().until(() -> log.contains("a one"));
        plane.pauseApiServer();
        awaitState(a, ControllerState.WAITING_FOR_LEADERSHIP);
        log.clear();
        plane.resumeApiServer();

        await().until(() -> log.contains("a one"));
        assertThat(holder()).isEqualTo("a");
    }

    @Test
    void theHostIsRestartable() throws Exception {
        create("one");
        Replica a = new Replica("a");
        for (int i = 0; i < 3; i++) {
            log.clear();
            a.manager.start();
            await().until(() -> log.contains("a one"));
            create("during-" + i);
            String name = "a during-" + i;
            await().until(() -> log.contains(name));
            a.manager.stop();
            assertThat(holder()).isEmpty();
        }
    }

    private interface Work {
        void on(io.kubernetes.client.extended.controller.reconciler.Request request) throws Exception;
    }

    private void create(String name) throws ApiException {
        new CoreV1Api(admin)
                .createNamespacedConfigMap(namespace, configMap(name))
                .execute();
    }

    /** As it is written: client-java's classes would add fields that the API server refuses. */
    private void applyCrd() throws IOException {
        Request request = new Request.Builder()
                .url(admin.getBasePath() + "/apis/apiextensions.k8s.io/v1/customresourcedefinitions")
                .post(RequestBody.create(CRD, MediaType.get("application/yaml")))
                .build();
        try (Response response = admin.getHttpClient().newCall(request).execute()) {
            assertThat(response.code()).isEqualTo(201);
        }
    }

    private V1ConfigMap configMap(String name) {
        return new V1ConfigMap()
                .metadata(new V1ObjectMeta().namespace(namespace).name(name));
    }

    private String holder() throws ApiException {
        return Objects.requireNonNullElse(
                Objects.requireNonNull(new CoordinationV1Api(admin)
                                .readNamespacedLease("manager", namespace)
                                .execute()
                                .getSpec())
                        .getHolderIdentity(),
                "");
    }

    private static void awaitState(Replica replica, ControllerState expected) {
        await().pollInterval(Duration.ofMillis(10))
                .until(() -> replica.manager.controllers().get(0).state() == expected);
    }

    private static ApiClient client(ControlPlane plane) throws IOException {
        return ClientBuilder.kubeconfig(KubeConfig.loadKubeConfig(new StringReader(plane.kubeconfig())))
                .build();
    }

    /** One process's worth of host, as the starter puts it together. */
    private final class Replica {

        private final SystemTimer timer;
        private final ApiConnection connection;
        private final InformerFactory factory;
        private final LeaderElector elector;
        private final EventBroadcaster events;
        private final String identity;
        private final Work work;
        private final List<ControllerManager> managers = new ArrayList<>();
        private final ControllerManager manager;

        Replica(String identity) throws IOException {
            this(identity, request -> log.add(identity + " " + request.getName()));
        }

        Replica(String identity, Work work) throws IOException {
            this.identity = identity;
            this.work = work;
            this.timer = new SystemTimer("timer-" + identity);
            this.connection = ApiConnection.builder(Clock.system(), timer)
                    .apiClient(client(plane))
                    .build();
            this.factory = new InformerFactory(
                    connection, Clock.system(), timer, InformerOptions.DEFAULTS.withNamespaces(Set.of(namespace)));
            LeaderElectionConfig config = LeaderElectionConfig.of(namespace, "manager")
                    .withIdentity(identity)
                    .withTimings(Duration.ofSeconds(3), Duration.ofSeconds(2), Duration.ofMillis(500));
            this.elector = new LeaderElector(
                    config,
                    () -> connection.leaseClient(LeaderElector.callTimeout(config)),
                    Clock.system(),
                    timer,
                    new SimpleMeterRegistry());
            connection.writeFence(elector);
            this.events = new EventBroadcaster(admin, Clock.system(), identity);
            this.manager = manager();
            replicas.add(this);
        }

        ControllerManager manager(ControllerRegistration... more) {
            ControllerManager made = ControllerManager.builder()
                    .apiClient(connection.apiClient())
                    .discovery(new ApiDiscovery(connection.apiClient(), Clock.system()))
                    .informerFactory(factory)
                    .monitor(connection.monitor())
                    .leaderElector(elector)
                    .timer(timer)
                    .eventRecorders(events::recorder)
                    .shutdownTimeout(Duration.ofSeconds(5))
                    .controller(ControllerRegistration.of(ControllerDescriptor.named("maps")
                            .forType(
                                    CONFIG_MAP,
                                    event -> !event.object()
                                            .getMetadata()
                                            .getName()
                                            .startsWith("kube-"))
                            .reconciler(request -> {
                                try {
                                    work.on(request);
                                } catch (Exception e) {
                                    throw new IllegalStateException(identity + ": " + e, e);
                                }
                                return new Result(false);
                            })
                            .build()))
                    .controllers(List.of(more))
                    .build();
            managers.add(made);
            return made;
        }

        void close() {
            managers.forEach(ControllerManager::stop);
            events.close();
            factory.close();
            connection.close();
            timer.close();
        }
    }

    private static final String CRD = """
            apiVersion: apiextensions.k8s.io/v1
            kind: CustomResourceDefinition
            metadata:
              name: widgets.example.com
            spec:
              group: example.com
              names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
              scope: Namespaced
              versions:
                - name: v1
                  served: true
                  storage: true
                  schema:
                    openAPIV3Schema:
                      type: object
                      x-kubernetes-preserve-unknown-fields: true
            """;
}
