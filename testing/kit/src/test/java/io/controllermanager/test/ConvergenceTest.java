package io.controllermanager.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.faults.Fault;
import io.controllermanager.apiserver.faults.RequestMatcher;
import io.controllermanager.apiserver.junit.EmbeddedApiServer;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.informer.internal.InformerFactory;
import io.controllermanager.informer.internal.InformerOptions;
import io.controllermanager.leaderelection.internal.ElectionParts;
import io.controllermanager.leaderelection.internal.LeaderElectionConfig;
import io.controllermanager.leaderelection.internal.LeaderElector;
import io.controllermanager.leaderelection.internal.PodIdentity;
import io.controllermanager.manager.internal.Cluster;
import io.controllermanager.manager.internal.ControllerManager;
import io.controllermanager.manager.internal.ControllerRegistration;
import io.controllermanager.manager.internal.HostParts;
import io.controllermanager.manager.internal.Leadership;
import io.controllermanager.recorder.internal.EventBroadcaster;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

@EmbeddedApiServer(manifests = "classpath:greetings.yaml")
class ConvergenceTest {

    private final GuestBook book = new GuestBook();

    private static Greeting create(ApiServer server, String name) throws ApiException {
        return new ResourceClient<>(server.client(), Greeting.TYPE).create(new Greeting(name, name, "Hello"));
    }

    private static V1ConfigMap child(ApiServer server, String name) throws ApiException {
        return new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP).get("default", name);
    }

    private static ControllerDescriptor of(ThrowingReconciler reconciler) {
        return ControllerDescriptor.named("maps")
                .forType(ResourceTypes.CONFIG_MAP)
                .reconciler(request -> {
                    try {
                        return reconciler.reconcile(request);
                    } catch (ApiException e) {
                        throw new IllegalStateException(e.getMessage(), e);
                    }
                })
                .build();
    }

    private interface ThrowingReconciler {
        Result reconcile(Request request) throws ApiException;
    }

    private static void createMap(ApiServer server, String name) throws ApiException {
        new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP)
                .create(new V1ConfigMap()
                        .metadata(new V1ObjectMeta().namespace("default").name(name)));
    }

    @Test
    void hasEverythingDoneWhenItReturns(ApiServer server) throws ApiException {
        try (RunningManager manager = RunningManager.start(server, GreetingController.descriptor(book))) {
            for (int round = 0; round < 20; round++) {
                create(server, "hello-" + round);
                manager.converges();
                assertThat(child(server, "hello-" + round)).isNotNull();
                assertThat(book.entries()).hasSize(round + 1);
            }
            manager.settles();
            Convergence.settles(manager.manager(), server);
        }
    }

    /** With an elector, even one that always leads, the caches are queued on a thread of their own. */
    @Test
    void waitsUntilANewLeaderHasQueuedWhatItsCachesHold(ApiServer server) throws ApiException {
        AtomicBoolean requeueing = new AtomicBoolean();
        AtomicInteger looks = new AtomicInteger();
        Set<String> reconciled = ConcurrentHashMap.newKeySet();
        ControllerDescriptor maps = ControllerDescriptor.named("maps")
                .forType(ResourceTypes.CONFIG_MAP, event -> {
                    if (Thread.currentThread().getName().startsWith("controller-manager-requeue")) {
                        requeueing.set(true);
                        await().until(() -> looks.get() >= 3);
                    }
                    return true;
                })
                .reconciler(request -> {
                    reconciled.add(request.getName());
                    return new Result(false);
                })
                .build();
        createMap(server, "cached");
        try (SystemTimer timer = new SystemTimer("test-timer");
                ApiConnection connection = ApiConnection.builder(Clock.system(), timer)
                        .apiClient(server.client())
                        .build();
                InformerFactory informers =
                        new InformerFactory(connection, Clock.system(), timer, InformerOptions.DEFAULTS);
                EventBroadcaster events = new EventBroadcaster(connection.eventClient(), Clock.system(), "test")) {
            LeaderElectionConfig election = new LeaderElectionConfig(
                    true,
                    "default",
                    "maps",
                    PodIdentity.ofHost(),
                    Duration.ofSeconds(15),
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(2),
                    true,
                    Map.of(),
                    null);
            ControllerManager manager = new ControllerManager(HostParts.of(
                    Leadership.shared(
                            new LeaderElector(
                                    election,
                                    ElectionParts.of(
                                            server.client(),
                                            Clock.system(),
                                            timer,
                                            new SimpleMeterRegistry(),
                                            () -> {})),
                            Map.of(),
                            fence -> connection.apiClient(),
                            connection.apiClient()),
                    new Cluster(informers, connection.monitor()),
                    List.of(ControllerRegistration.of(maps)),
                    events::recorder,
                    Clock.system(),
                    timer));
            manager.start();
            new Convergence(manager, server, null, () -> looks.addAndGet(requeueing.get() ? 1 : 0)).converge();
            assertThat(reconciled).containsExactly("cached");
            manager.stop();
        }
    }

    @Test
    void tellsOfALoopInTheMachinesTimeToo(ApiServer server) throws ApiException {
        try (RunningManager manager = RunningManager.start(server, GreetingController.restless(book))) {
            create(server, "hello");
            assertThatThrownBy(manager::settles)
                    .hasMessageContaining("The controllers do not settle")
                    .hasMessageContaining("patch greetings.example.com/status default/hello by controllers-under-test")
                    .hasMessageContaining("status.checkedAt: ");
        }
    }

    @Test
    void tellsOfAKeyThatFailsAgainAndAgain(ApiServer server) throws ApiException {
        server.faults()
                .when(RequestMatcher.verb("patch").resource("configmaps"))
                .respond(503);
        try (RunningManager manager = RunningManager.startInVirtualTime(server, GreetingController.descriptor(book))) {
            create(server, "hello");
            assertThatThrownBy(manager::settles)
                    .hasMessageContaining(
                            "Controller greeting does not get default/hello done: tried 10 times in a row")
                    .hasMessageContaining("503");
        }
    }

    @Test
    void waitsForRetries(ApiServer server) throws ApiException {
        server.faults()
                .when(RequestMatcher.verb("patch").resource("configmaps"))
                .times(5)
                .respond(503);
        try (RunningManager manager = RunningManager.startInVirtualTime(server, GreetingController.descriptor(book))) {
            create(server, "hello");
            manager.settles();
            assertThat(child(server, "hello")).isNotNull();
        }
    }

    @Test
    void tellsOfAKeyThatComesBackTooOften(ApiServer server) throws ApiException {
        try (RunningManager manager =
                RunningManager.startInVirtualTime(server, of(request -> new Result(true, Duration.ofSeconds(1))))) {
            createMap(server, "polled");
            assertThatThrownBy(manager::settles)
                    .hasMessageContaining("controller maps is to reconcile default/polled in 1000 ms");
        }
    }

    @Test
    void tellsOfAControllerThatHasFailed(ApiServer server) {
        ControllerDescriptor broken = ControllerDescriptor.named("broken")
                .forType(ResourceTypes.CONFIG_MAP)
                .reconcilerFactory(context -> {
                    throw new IllegalStateException("no licence");
                })
                .build();
        try (RunningManager manager = RunningManager.start(server, broken)) {
            assertThatThrownBy(manager::settles)
                    .hasMessageContaining("controller broken is FAILED")
                    .hasMessageContaining("no licence");
        }
    }

    @Test
    void doesNotWaitForATypeThatNobodyBrings(ApiServer server) {
        ControllerDescriptor waiting = ControllerDescriptor.named("waiting")
                .forType(ResourceTypes.CONFIG_MAP)
                .owns(ResourceType.namespaced(V1ConfigMap.class, "example.com", "v1", "Gadget", "gadgets"))
                .reconciler(request -> new Result(false))
                .build();
        try (RunningManager manager = RunningManager.startInVirtualTime(server, waiting)) {
            assertThatThrownBy(manager::settles)
                    .hasMessageContaining("controller waiting is WAITING_FOR_TYPE")
                    .hasMessageContaining("nobody brings gadgets.example.com/v1: apply the CRD before");
        }
    }

    @Test
    void doesNotWaitForSomebodyToResume(ApiServer server) {
        try (RunningManager manager = RunningManager.startInVirtualTime(server, GreetingController.descriptor(book))) {
            manager.settles();
            manager.manager().pause("greeting");
            assertThatThrownBy(manager::settles)
                    .hasMessage("controller greeting is PAUSED (paused by an operator), until somebody resumes it");
            manager.manager().resume("greeting");
            manager.settles();
        }
    }

    @Test
    void doesNotWaitForARightThatNobodyGrants(ApiServer server) {
        server.faults()
                .when(RequestMatcher.any().resource("configmaps").userAgent(RunningManager.USER_AGENT))
                .respond(403);
        try (RunningManager manager = RunningManager.start(server, GreetingController.descriptor(book))) {
            assertThatThrownBy(manager::settles)
                    .hasMessageContaining("The cache of configmaps/v1 is not filled")
                    .hasMessageContaining("nobody grants the permission to list configmaps in all namespaces");
        }
    }

    @Test
    void waitsWhereARightIsRefusedOnce(ApiServer server) {
        Fault refusal = server.faults()
                .when(RequestMatcher.any().resource("configmaps").userAgent(RunningManager.USER_AGENT))
                .times(1)
                .respond(403);
        try (RunningManager manager = RunningManager.start(server, GreetingController.descriptor(book))) {
            manager.settles();
        }
        assertThat(refusal.hits()).isEqualTo(1);
    }

    /** What a resync writes is told, though nothing but the resync causes it. */
    @Test
    void tellsWhatAResyncWrites(ApiServer server) throws ApiException {
        AtomicInteger reconciles = new AtomicInteger();
        ResourceClient<V1ConfigMap> maps = new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP);
        createMap(server, "counted");
        try (RunningManager manager = RunningManager.startInVirtualTime(server, of(request -> {
            if (reconciles.incrementAndGet() == 2) {
                V1ConfigMap changed = maps.get("default", "counted");
                maps.update(changed.putDataItem("reconciles", "2"));
            }
            return new Result(false);
        }))) {
            assertThatThrownBy(manager::settles)
                    .hasMessageContaining("they had converged, and a resync made 1 write:")
                    .hasMessageContaining("update configmaps default/counted")
                    .hasMessageContaining("data.reconciles: nothing → \"2\"");
        }
    }

    @Test
    void letsMinutesPassOneRequeueAfterTheOther(ApiServer server) throws ApiException {
        List<String> reconciled = new CopyOnWriteArrayList<>();
        createMap(server, "polled");
        try (RunningManager manager = RunningManager.startInVirtualTime(server, of(request -> {
            reconciled.add(request.getName());
            return new Result(true, Duration.ofMinutes(10));
        }))) {
            manager.converges();
            assertThat(reconciled).hasSize(1);
            manager.advance(Duration.ofMinutes(9));
            assertThat(reconciled).hasSize(1);
            manager.advance(Duration.ofHours(24));
            assertThat(reconciled).hasSize(145);
        }
    }

    @Test
    void isOfOneTimeWithTheServer(ApiServer server) throws ApiException {
        Instant begun = server.clock().instant();
        Instant end;
        try (RunningManager manager = RunningManager.startInVirtualTime(server, GreetingController.descriptor(book))) {
            manager.advance(Duration.ofDays(3));
            create(server, "hello");
            manager.converges();
            end = manager.clock().now();
            assertThat(end).isBetween(begun.plus(Duration.ofDays(3)), begun.plus(Duration.ofDays(4)));
            assertThat(child(server, "hello")
                            .getMetadata()
                            .getCreationTimestamp()
                            .toInstant())
                    .isEqualTo(end.truncatedTo(ChronoUnit.SECONDS));
        }
        assertThat(server.clock().instant()).isAfterOrEqualTo(end);
    }

    @Test
    void goesNotBackInTime(ApiServer server) {
        try (RunningManager manager = RunningManager.startInVirtualTime(server, GreetingController.descriptor(book))) {
            assertThatThrownBy(() -> manager.advance(Duration.ofMinutes(-5)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("PT-5M");
        }
    }

    @Test
    void hasNoTimeToAdvanceOutsideVirtualTime(ApiServer server) {
        try (RunningManager manager = RunningManager.start(server, GreetingController.descriptor(book))) {
            assertThatThrownBy(() -> manager.advance(Duration.ofMinutes(5)))
                    .hasMessageContaining("use startInVirtualTime");
        }
    }

    @Test
    void survivesARestartOfTheServer(ApiServer server) throws ApiException {
        try (RunningManager manager = RunningManager.start(server, GreetingController.descriptor(book))) {
            create(server, "before");
            manager.converges();
            server.restart();
            create(server, "after");
            manager.settles();
            assertThat(child(server, "after")).isNotNull();
        }
    }
}
