package io.controllermanager.manager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.ResourceType;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.event.EventChannel;
import io.controllermanager.leaderelection.LeaderElectionConfig;
import io.controllermanager.leaderelection.LeaderElector;
import io.controllermanager.leaderelection.LeaseStore;
import io.controllermanager.recorder.EventRecorder;
import io.controllermanager.time.VirtualTime;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The host's order of things: real threads and controllers, virtual time, a cluster in memory. */
class ControllerManagerTest {

    private static final ResourceType<V1ConfigMap> CONFIG_MAP =
            ResourceType.namespaced(V1ConfigMap.class, "", "v1", "ConfigMap", "configmaps");
    private static final ResourceType<V1Secret> SECRET =
            ResourceType.namespaced(V1Secret.class, "", "v1", "Secret", "secrets");
    private static final ResourceType<V1Deployment> DEPLOYMENT =
            ResourceType.namespaced(V1Deployment.class, "apps", "v1", "Deployment", "deployments");

    /** After so long without a sign of life an election is stuck: the lease duration and 20 s. */
    private static final Duration LEASE_AND_TOLERANCE = Duration.ofSeconds(15 + 20);

    private final VirtualTime time = new VirtualTime();
    private final List<String> log = new CopyOnWriteArrayList<>();
    private final FakeCluster cluster = new FakeCluster(log);
    private final LeaseStore store = new LeaseStore();
    private final LeaseStore.Lock lock = store.lock("me");
    private final ApiClient client = new ApiClient();
    private final ApiClient unfenced = new ApiClient();
    private final List<Runnable> recoveries = new CopyOnWriteArrayList<>();
    private final List<ControllerManager> started = new ArrayList<>();
    private final CountDownLatch release = new CountDownLatch(1);

    @AfterEach
    void end() {
        release.countDown();
        started.forEach(ControllerManager::stop);
        await().pollInterval(Duration.ofMillis(5))
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .extracting(Thread::getName)
                        .noneMatch(name -> name.startsWith("controller-manager-")));
    }

    @Test
    void aControllerGoesThroughItsStatesInOrder() {
        ControllerManager manager = manager(elector(), registration("maps", CONFIG_MAP, this::record));
        assertThat(state(manager, "maps")).isEqualTo(ControllerState.STOPPED);
        assertThat(manager.readiness().healthy()).isFalse();
        lock.failWith("timeout");
        manager.start();

        awaitState(manager, "maps", ControllerState.WAITING_FOR_TYPE);
        assertThat(log).isEmpty();
        cluster.serve(CONFIG_MAP);
        awaitState(manager, "maps", ControllerState.WAITING_FOR_CACHES);
        assertThat(manager.readiness().reasons()).contains("controller maps: caches are not synced");
        cluster.fake(CONFIG_MAP).put(configMap("a"));
        cluster.fake(CONFIG_MAP).synced(true);
        awaitState(manager, "maps", ControllerState.WAITING_FOR_LEADERSHIP);
        // A standby has full caches and an empty queue.
        assertThat(manager.controllers().get(0).queueDepth()).isZero();
        assertThat(log).containsExactly("informer configmaps");
        lock.failWith(null);
        awaitState(manager, "maps", ControllerState.RUNNING);

        awaitLog("informer configmaps", "maps ns/a");
        assertThat(manager.readiness()).isEqualTo(HealthReport.of(List.of()));
        assertThat(manager.liveness()).isEqualTo(HealthReport.of(List.of()));
        assertThat(manager.leadership().leading()).isTrue();
        assertThat(manager.isRunning()).isTrue();
    }

    @Test
    void metersTellTheStateOfEachController() {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        serveSynced(CONFIG_MAP);
        ControllerManager manager = build(
                builder(elector()).meterRegistry(meters),
                registration("maps", CONFIG_MAP, this::record),
                registration("secrets", SECRET, this::record));
        assertThat(meters.find("controller.manager.controller.state").gauges()).isEmpty();
        manager.start();

        awaitPassing(
                () -> assertThat(states(meters)).containsExactlyInAnyOrder("maps running", "secrets waiting_for_type"));
        manager.pause("maps");
        assertThat(states(meters)).containsExactlyInAnyOrder("maps paused", "secrets waiting_for_type");
        manager.stop();
        assertThat(meters.find("controller.manager.controller.state").gauges()).isEmpty();
        manager.start();
        awaitPassing(
                () -> assertThat(states(meters)).containsExactlyInAnyOrder("maps running", "secrets waiting_for_type"));
    }

    private static List<String> states(SimpleMeterRegistry meters) {
        return meters.get("controller.manager.controller.state").gauges().stream()
                .filter(gauge -> gauge.value() == 1)
                .map(gauge ->
                        gauge.getId().getTag("controller") + " " + gauge.getId().getTag("state"))
                .toList();
    }

    @Test
    void aMissingTypeKeepsOnlyItsControllerWaitingAndIsNamed() {
        serveSynced(CONFIG_MAP);
        cluster.fake(SECRET).synced(true);
        ControllerManager manager = manager(
                elector(),
                registration("maps", CONFIG_MAP, this::record),
                registration("secrets", SECRET, this::record));
        manager.start();

        awaitState(manager, "maps", ControllerState.RUNNING);
        awaitState(manager, "secrets", ControllerState.WAITING_FOR_TYPE);
        assertThat(manager.controllers().get(1).detail()).isEqualTo("the API server does not serve secrets/v1");
        assertThat(manager.readiness().healthy()).isTrue();
        cluster.serve(SECRET);
        awaitState(manager, "secrets", ControllerState.RUNNING);
    }

    @Test
    void anApiServerThatCannotBeAskedIsAskedAgainAndSaidSo() {
        serveSynced(CONFIG_MAP);
        cluster.reachable(false);
        ControllerManager manager = manager(elector(), registration("maps", CONFIG_MAP, this::record));
        manager.start();

        awaitState(manager, "maps", ControllerState.WAITING_FOR_TYPE);
        awaitPassing(() -> assertThat(manager.readiness().reasons())
                .containsExactly("controller maps: the API server cannot be asked for configmaps/v1:"
                        + " java.net.ConnectException: connection refused"));
        assertThat(store.requests()).isEmpty();
        cluster.reachable(true);
        awaitState(manager, "maps", ControllerState.RUNNING);
    }

    @Test
    void lateCachesAreReportedAndWaitedForWithoutEnd() {
        serveSynced(CONFIG_MAP);
        cluster.serve(SECRET);
        ControllerManager manager = manager(
                elector(),
                registration("maps", CONFIG_MAP, this::record),
                registration("secrets", SECRET, this::record));
        manager.start();

        awaitState(manager, "maps", ControllerState.WAITING_FOR_LEADERSHIP);
        await().pollInterval(Duration.ofMillis(5)).untilAsserted(() -> {
            time.advance(Duration.ofSeconds(5));
            assertThat(manager.readiness().reasons())
                    .containsExactly("controller secrets: caches are not synced after 120 s: secrets/v1"
                            + " (last error: 403 Forbidden)");
        });
        // The others no longer wait for it.
        awaitState(manager, "maps", ControllerState.RUNNING);
        cluster.fake(SECRET).synced(true);
        awaitState(manager, "secrets", ControllerState.RUNNING);
        assertThat(manager.readiness().healthy()).isTrue();
    }

    @Test
    void anApiServerThatCannotBeAskedForOneTypeKeepsTheOthersOnlyForTheCacheSyncTimeout() {
        serveSynced(CONFIG_MAP);
        // Of the core group, which the API server itself serves: this says that it is not ready.
        cluster.refuse(SECRET, 503);
        ControllerManager manager = manager(
                elector(),
                registration("maps", CONFIG_MAP, this::record),
                registration("secrets", SECRET, this::record));
        manager.start();
        awaitState(manager, "maps", ControllerState.WAITING_FOR_LEADERSHIP);
        awaitPassing(() -> assertThat(manager.readiness().reasons())
                .containsExactly("controller secrets: the API server cannot be asked for secrets/v1: HTTP 503"));
        time.advance(Duration.ofMinutes(1));
        assertThat(store.requests()).isEmpty();

        time.advance(Duration.ofMinutes(1));
        awaitState(manager, "maps", ControllerState.RUNNING);
        assertThat(state(manager, "secrets")).isEqualTo(ControllerState.WAITING_FOR_TYPE);
    }

    @Test
    void aFactoryThatDoesNotReturnKeepsTheOthersOnlyForTheCacheSyncTimeout() {
        serveSynced(CONFIG_MAP);
        CountDownLatch busy = new CountDownLatch(1);
        ControllerManager manager = manager(
                elector(),
                ControllerRegistration.of(ControllerDescriptor.named("slow")
                        .forType(CONFIG_MAP)
                        .reconcilerFactory(context -> {
                            busy.countDown();
                            waitUninterrupted();
                            return reconciler("slow", this::record);
                        })
                        .build()),
                registration("maps", CONFIG_MAP, this::record));
        manager.start();
        awaitState(manager, "maps", ControllerState.WAITING_FOR_LEADERSHIP);
        await().until(() -> busy.getCount() == 0);
        assertThat(store.requests()).isEmpty();

        time.advance(Duration.ofMinutes(2));
        awaitState(manager, "maps", ControllerState.RUNNING);
        assertThat(state(manager, "slow")).isEqualTo(ControllerState.WAITING_FOR_CACHES);
        release.countDown();
        awaitState(manager, "slow", ControllerState.RUNNING);
    }

    @Test
    void aGroupThatIsForbiddenOrAwayDoesNotKeepTheOthers() {
        for (int code : new int[] {403, 503}) {
            serveSynced(CONFIG_MAP);
            cluster.refuse(DEPLOYMENT, code);
            ControllerManager manager = manager(
                    elector(),
                    registration("deployments", DEPLOYMENT, this::record),
                    registration("maps", CONFIG_MAP, this::record));
            manager.start();

            // No time passes.
            await().untilAsserted(
                            () -> assertThat(manager.leadership().leading()).isTrue());
            assertThat(manager.readiness().reasons())
                    .contains("controller deployments: the API server cannot be asked for deployments.apps/v1: HTTP "
                            + code);
            manager.stop();
        }
    }

    @Test
    void aControllerThatCannotBeMadeFailsAlone() {
        serveSynced(CONFIG_MAP);
        ControllerDescriptor broken = ControllerDescriptor.named("broken")
                .forType(CONFIG_MAP)
                .reconcilerFactory(context -> {
                    context.informer(CONFIG_MAP);
                    throw new NoClassDefFoundError("Nothing");
                })
                .build();
        ControllerManager manager =
                manager(elector(), ControllerRegistration.of(broken), registration("maps", CONFIG_MAP, this::record));
        manager.start();

        awaitState(manager, "broken", ControllerState.FAILED);
        awaitState(manager, "maps", ControllerState.RUNNING);
        assertThat(manager.controllers().get(0).detail()).contains("NoClassDefFoundError: Nothing");
        assertThat(manager.readiness().reasons()).hasSize(1);
        assertThat(manager.liveness().healthy()).isTrue();
        assertThat(log).contains("released configmaps/v1");
    }

    @Test
    void aDisabledControllerIsListedButTouchesNothing() {
        ControllerRegistration off = registration("maps", CONFIG_MAP, this::record);
        ControllerManager manager =
                manager(elector(), new ControllerRegistration(off.descriptor(), off.options(), false));
        manager.start();
        await().until(() -> manager.leadership().leading());

        assertThat(state(manager, "maps")).isEqualTo(ControllerState.DISABLED);
        assertThat(manager.readiness().healthy()).isTrue();
        assertThat(cluster.hasInformer(CONFIG_MAP)).isFalse();
    }

    @Test
    void aControllerThatNeedsNoLeaderRunsOnAStandbyWithTheUnfencedClient() {
        serveSynced(CONFIG_MAP);
        lock.failWith("timeout");
        List<ApiClient> clients = new CopyOnWriteArrayList<>();
        ControllerDescriptor everywhere = ControllerDescriptor.named("everywhere")
                .forType(CONFIG_MAP)
                .options(ControllerOptions.DEFAULTS.withNeedsLeaderElection(false))
                .reconcilerFactory(context -> {
                    clients.add(context.apiClient());
                    return reconciler("everywhere", this::record);
                })
                .build();
        ControllerDescriptor leaderOnly = ControllerDescriptor.named("leader-only")
                .forType(CONFIG_MAP)
                .reconcilerFactory(context -> {
                    clients.add(context.apiClient());
                    return reconciler("leader-only", this::record);
                })
                .build();
        ControllerManager manager =
                manager(elector(), ControllerRegistration.of(everywhere), ControllerRegistration.of(leaderOnly));
        cluster.fake(CONFIG_MAP).put(configMap("a"));
        manager.start();

        awaitState(manager, "everywhere", ControllerState.RUNNING);
        awaitState(manager, "leader-only", ControllerState.WAITING_FOR_LEADERSHIP);
        await().until(() -> log.contains("everywhere ns/a"));
        assertThat(log).doesNotContain("leader-only ns/a");
        assertThat(clients).containsExactlyInAnyOrder(client, unfenced);
    }

    @Test
    void onLossWorkersAreInterruptedAndAfterRegainEveryKeyComesAgain() {
        serveSynced(CONFIG_MAP);
        cluster.fake(CONFIG_MAP).put(configMap("a"));
        cluster.fake(CONFIG_MAP).put(configMap("b"));
        CountDownLatch interrupted = new CountDownLatch(1);
        List<String> losses = new CopyOnWriteArrayList<>();
        Reconciler reconciler = reconciler("maps", (name, request) -> {
            record(name, request);
            if (request.getName().equals("hangs")) {
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    interrupted.countDown();
                    throw new IllegalStateException(e);
                }
            }
        });
        ControllerManager manager = build(
                builder(elector()).shutdownTimeout(Duration.ZERO).onLeadershipLost(() -> losses.add("lost")),
                ControllerRegistration.of(ControllerDescriptor.named("maps")
                        .forType(CONFIG_MAP)
                        .options(ControllerOptions.DEFAULTS.withWorkers(2))
                        .reconciler(reconciler)
                        .build()));
        manager.start();
        awaitState(manager, "maps", ControllerState.RUNNING);
        await().until(() -> log.contains("maps ns/a") && log.contains("maps ns/b"));
        cluster.fake(CONFIG_MAP).put(configMap("hangs"));
        await().until(() -> log.contains("maps ns/hangs"));
        log.clear();

        lock.failWith("timeout");
        awaitState(manager, "maps", ControllerState.WAITING_FOR_LEADERSHIP);
        await().until(() -> interrupted.getCount() == 0);
        assertThat(manager.leadership().leading()).isFalse();
        await().until(() -> losses.size() == 1);
        assertThat(manager.readiness().healthy()).isTrue();
        cluster.fake(CONFIG_MAP).put(configMap("meanwhile"));
        assertThat(log).isEmpty();
        lock.failWith(null);
        awaitState(manager, "maps", ControllerState.RUNNING);

        await().untilAsserted(
                        () -> assertThat(log).contains("maps ns/a", "maps ns/b", "maps ns/hangs", "maps ns/meanwhile"));
        assertThat(losses).hasSize(1);
    }

    @Test
    void whatCannotBeLookedAtAfterATakeoverIsTriedAgainAndHoldsNothingElseUp() {
        serveSynced(CONFIG_MAP);
        serveSynced(SECRET);
        ControllerManager manager = manager(
                elector(),
                ControllerRegistration.of(ControllerDescriptor.named("maps")
                        .forType(CONFIG_MAP)
                        .watches(SECRET, secret -> java.util.Set.of(new Request("ns", "of-secret")))
                        .reconciler(reconciler("maps", this::record))
                        .build()));
        cluster.fake(CONFIG_MAP).put(configMap("a"));
        cluster.fake(SECRET)
                .put(new V1Secret().metadata(new V1ObjectMeta().namespace("ns").name("s")));
        cluster.fake(CONFIG_MAP).unreadable(true);
        manager.start();

        awaitState(manager, "maps", ControllerState.RUNNING);
        awaitPassing(() -> assertThat(log).contains("maps ns/of-secret"));
        assertThat(log).doesNotContain("maps ns/a");
        cluster.fake(CONFIG_MAP).unreadable(false);
        awaitPassing(() -> assertThat(log).contains("maps ns/a"));
    }

    @Test
    void whenTheApiServerIsBackWhatFailedAndTheLeaseAreTriedAtOnce() {
        serveSynced(CONFIG_MAP);
        cluster.fake(CONFIG_MAP).put(configMap("a"));
        List<Boolean> failing = new CopyOnWriteArrayList<>(List.of(true));
        ControllerManager manager = manager(elector(), registration("maps", CONFIG_MAP, (name, request) -> {
            record(name, request);
            if (!failing.isEmpty()) {
                throw new IllegalStateException("API server is away");
            }
        }));
        manager.start();
        awaitState(manager, "maps", ControllerState.RUNNING);
        // Until its backoff is minutes long.
        await().pollInterval(Duration.ofMillis(2)).until(() -> {
            time.advance(Duration.ofMillis(500));
            return log.stream().filter("maps ns/a"::equals).count() >= 12;
        });
        lock.failWith("away");
        awaitState(manager, "maps", ControllerState.WAITING_FOR_LEADERSHIP);
        log.clear();
        failing.clear();
        lock.failWith(null);
        // Not a moment of virtual time passes from here.
        recoveries.forEach(Runnable::run);

        await().untilAsserted(() -> assertThat(log).contains("maps ns/a"));
        assertThat(state(manager, "maps")).isEqualTo(ControllerState.RUNNING);
    }

    @Test
    void stopDrainsThenReleasesTheLeaseThenStopsInformersAndLeavesTheQueue() throws Exception {
        serveSynced(CONFIG_MAP);
        CountDownLatch busy = new CountDownLatch(1);
        ControllerManager manager = manager(elector(), registration("maps", CONFIG_MAP, (name, request) -> {
            busy.countDown();
            waitUninterrupted();
            log.add("reconciled " + request.getName());
        }));
        manager.start();
        awaitState(manager, "maps", ControllerState.RUNNING);
        cluster.fake(CONFIG_MAP).put(configMap("a"));
        busy.await();
        for (int i = 0; i < 10; i++) {
            cluster.fake(CONFIG_MAP).put(configMap("left-" + i));
        }
        log.clear();
        lock.beforeRequest(() -> log.add("lease"));
        Thread stopper = new Thread(manager::stop, "stopper");
        stopper.start();
        await().until(() -> !manager.isRunning());
        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals("controller-manager-stop-maps")));
        assertThat(log).isEmpty();
        release.countDown();
        stopper.join();

        assertThat(log).containsExactly("reconciled a", "lease", "released configmaps/v1", "informers stopped");
        assertThat(manager.controllers().get(0).state()).isEqualTo(ControllerState.STOPPED);
        assertThat(manager.controllers().get(0).reconciles()).isEqualTo(1);
        assertThat(manager.readiness().reasons()).containsExactly("the controller manager is not running");
        assertThat(cluster.fake(CONFIG_MAP).subscribers()).isZero();
    }

    @Test
    void aReconcileThatIgnoresInterruptsDoesNotHoldTheStopUp() throws Exception {
        serveSynced(CONFIG_MAP);
        CountDownLatch busy = new CountDownLatch(1);
        ControllerManager manager = build(
                builder(elector()).shutdownTimeout(Duration.ofMillis(50)),
                registration("maps", CONFIG_MAP, (name, request) -> {
                    busy.countDown();
                    waitUninterrupted();
                }));
        manager.start();
        awaitState(manager, "maps", ControllerState.RUNNING);
        cluster.fake(CONFIG_MAP).put(configMap("a"));
        busy.await();
        log.clear();
        lock.beforeRequest(() -> log.add("lease"));
        Thread pusher = advanceTime();
        long begun = System.nanoTime();
        manager.stop();
        Duration took = Duration.ofNanos(System.nanoTime() - begun);
        pusher.interrupt();
        pusher.join();

        assertThat(took).isLessThan(Duration.ofSeconds(10));
        // The Lease was renewed as long as the reconcile was waited for.
        assertThat(log).startsWith("lease").endsWith("lease", "released configmaps/v1", "informers stopped");
        // It is not given back: the reconcile still runs.
        assertThat(Objects.requireNonNull(
                                Objects.requireNonNull(store.current()).getSpec())
                        .getHolderIdentity())
                .isNotEmpty();
        assertThat(manager.leadership().leading()).isFalse();
    }

    @Test
    void stuckReconcilesAreWarnedOfAndOnlyManyOfThemFailLiveness() throws Exception {
        serveSynced(CONFIG_MAP);
        CountDownLatch busy = new CountDownLatch(10);
        ControllerManager manager = build(
                builder(elector()).shutdownTimeout(Duration.ZERO),
                ControllerRegistration.of(ControllerDescriptor.named("maps")
                        .forType(CONFIG_MAP)
                        .options(ControllerOptions.DEFAULTS.withWorkers(2).withReconcileTimeout(Duration.ofSeconds(2)))
                        .reconciler(reconciler("maps", (name, request) -> {
                            if (request.getName().startsWith("stuck")) {
                                busy.countDown();
                                waitUninterrupted();
                                return;
                            }
                            try {
                                release.await();
                            } catch (InterruptedException e) {
                                log.add("interrupted " + request.getName());
                                throw new IllegalStateException(e);
                            }
                        }))
                        .build()));
        manager.start();
        awaitState(manager, "maps", ControllerState.RUNNING);
        cluster.fake(CONFIG_MAP).put(configMap("stuck-1"));
        cluster.fake(CONFIG_MAP).put(configMap("slow"));
        // Retried many times over: its worker is never stuck.
        awaitPassing(() ->
                assertThat(log.stream().filter("interrupted slow"::equals)).hasSizeGreaterThan(5));
        assertThat(manager.liveness().healthy()).isTrue();
        assertThat(manager.liveness().warnings())
                .singleElement()
                .asString()
                .startsWith("controller maps: a reconcile ignores its interruption, the oldest with ns/stuck-1 since ")
                .contains(" on thread maps-worker-");
        assertThat(manager.controllers().get(0).stuck()).hasSize(1);

        for (int i = 2; i <= 9; i++) {
            cluster.fake(CONFIG_MAP).put(configMap("stuck-" + i));
        }
        awaitPassing(() -> assertThat(manager.controllers().get(0).stuck()).hasSize(9));
        assertThat(manager.liveness().healthy()).isTrue();
        cluster.fake(CONFIG_MAP).put(configMap("stuck-10"));
        awaitPassing(() -> assertThat(manager.liveness().reasons())
                .singleElement()
                .asString()
                .startsWith("controller maps: 10 reconciles are stuck, the oldest with ns/stuck-1 since "));
        assertThat(busy.getCount()).isZero();
        assertThat(manager.readiness().healthy()).isTrue();
        release.countDown();
        await().untilAsserted(() -> assertThat(manager.liveness().healthy()).isTrue());
    }

    @Test
    void anElectionThatIsStuckFailsLivenessUntilItGoesOn() {
        serveSynced(CONFIG_MAP);
        CountDownLatch hangs = new CountDownLatch(1);
        ControllerManager manager = manager(elector(), registration("maps", CONFIG_MAP, this::record));
        manager.start();
        awaitState(manager, "maps", ControllerState.RUNNING);
        lock.beforeRequest(() -> {
            hangs.countDown();
            waitUninterrupted();
        });
        awaitPassing(() -> assertThat(hangs.getCount()).isZero());

        // Some time has passed since the attempt began, which was the loop's last sign of life.
        time.advance(LEASE_AND_TOLERANCE.minusSeconds(10));
        assertThat(manager.leadership().leading()).isFalse();
        assertThat(manager.liveness()).isEqualTo(HealthReport.of(List.of()));
        time.advance(Duration.ofSeconds(10).plusNanos(1));
        assertThat(manager.liveness().reasons()).containsExactly("leader election for ns/lease is stuck");

        release.countDown();
        awaitPassing(() -> assertThat(manager.liveness().healthy()).isTrue());
    }

    @Test
    void anApiServerOutOfReachDoesNotFailLiveness() {
        serveSynced(CONFIG_MAP);
        ControllerManager manager = manager(elector(), registration("maps", CONFIG_MAP, this::record));
        manager.start();
        awaitState(manager, "maps", ControllerState.RUNNING);
        cluster.reachable(false);
        lock.failWith("timeout");

        assertAliveFor(manager, () -> {});
        assertThat(manager.leadership().leading()).isFalse();
        assertThat(state(manager, "maps")).isEqualTo(ControllerState.WAITING_FOR_LEADERSHIP);
    }

    @Test
    void anApiServerOutOfReachFromTheStartDoesNotFailLiveness() {
        lock.failWith("timeout");
        ControllerManager manager = manager(elector());
        manager.start();

        assertAliveFor(manager, () -> {});
        assertThat(manager.readiness().healthy()).isFalse();
    }

    @Test
    void aStandbyIsAliveHoweverLongAnotherLeads() {
        V1LeaseSpec others = new V1LeaseSpec().holderIdentity("another").leaseDurationSeconds(15);
        store.put(new V1Lease()
                .metadata(new V1ObjectMeta().namespace("ns").name("lease"))
                .spec(others));
        ControllerManager manager = manager(elector());
        manager.start();

        assertAliveFor(
                manager,
                () -> store.edit(lease -> Objects.requireNonNull(lease.getSpec())
                        .setRenewTime(time.now().atOffset(ZoneOffset.UTC))));
        assertThat(manager.leadership().holder()).isEqualTo("another");
        assertThat(manager.readiness().healthy()).isTrue();
    }

    /** For ten times as long as it takes to call the election stuck, each attempt at the Lease finds liveness healthy. */
    private void assertAliveFor(ControllerManager manager, Runnable beforeEachAttempt) {
        AtomicInteger attempts = new AtomicInteger();
        lock.beforeRequest(attempts::incrementAndGet);
        Instant until = time.now().plus(LEASE_AND_TOLERANCE.multipliedBy(10));
        while (time.now().isBefore(until)) {
            int before = attempts.get();
            beforeEachAttempt.run();
            await().pollInterval(Duration.ofMillis(1)).until(() -> {
                time.advanceToNextTask();
                assertThat(manager.liveness()).isEqualTo(HealthReport.of(List.of()));
                return attempts.get() > before;
            });
        }
    }

    @Test
    void aPausedControllerQueuesAndReconcilesNothingUntilItIsResumed() {
        serveSynced(CONFIG_MAP);
        ControllerManager manager = manager(elector(), registration("maps", CONFIG_MAP, this::record));
        assertThatIllegalStateException().isThrownBy(() -> manager.pause("maps"));
        manager.start();
        awaitState(manager, "maps", ControllerState.RUNNING);
        manager.pause("maps");
        manager.pause("maps");
        assertThat(state(manager, "maps")).isEqualTo(ControllerState.PAUSED);
        assertThat(manager.readiness().healthy()).isTrue();
        cluster.fake(CONFIG_MAP).put(configMap("a"));
        assertThat(manager.controllers().get(0).queueDepth()).isEqualTo(1);
        assertThat(manager.queue("maps").depthByPriority().values()).containsExactly(1);

        // It stays paused whoever leads.
        lock.failWith("timeout");
        await().pollInterval(Duration.ofMillis(5)).until(() -> {
            time.advance(Duration.ofMillis(100));
            return !manager.leadership().leading();
        });
        lock.failWith(null);
        await().pollInterval(Duration.ofMillis(5)).until(() -> {
            time.advance(Duration.ofMillis(50));
            return manager.leadership().leading();
        });
        assertThat(state(manager, "maps")).isEqualTo(ControllerState.PAUSED);
        assertThat(log).containsExactly("informer configmaps");
        manager.resume("maps");
        await().untilAsserted(() -> assertThat(log).contains("maps ns/a"));
        assertThat(state(manager, "maps")).isEqualTo(ControllerState.RUNNING);
    }

    @Test
    void anOperatorChangesTheNumberOfWorkersAndAsksForAKey() {
        serveSynced(CONFIG_MAP);
        ControllerManager manager = manager(elector(), registration("maps", CONFIG_MAP, (name, request) -> {
            record(name, request);
            waitUninterrupted();
        }));
        manager.start();
        awaitState(manager, "maps", ControllerState.RUNNING);
        manager.resize("maps", 2);
        manager.reconcileNow("maps", new Request("ns", "asked-for"));
        manager.reconcileNow("maps", new Request("ns", "as-well"));

        await().untilAsserted(() -> assertThat(log).contains("maps ns/asked-for", "maps ns/as-well"));
        assertThat(manager.controllers().get(0).workers()).isEqualTo(2);
        assertThat(manager.controllers().get(0).activeWorkers()).isEqualTo(2);
        assertThatIllegalArgumentException().isThrownBy(() -> manager.resize("maps", 0));
        assertThatExceptionOfType(java.util.NoSuchElementException.class)
                .isThrownBy(() -> manager.resize("mops", 1))
                .withMessage("there is no controller \"mops\"");
    }

    @Test
    void oneControllerStopsAndStartsApartFromTheOthers() {
        serveSynced(CONFIG_MAP);
        serveSynced(SECRET);
        ControllerManager manager = manager(
                elector(),
                registration("maps", CONFIG_MAP, this::record),
                registration("secrets", SECRET, this::record));
        manager.start();
        awaitState(manager, "maps", ControllerState.RUNNING);
        awaitState(manager, "secrets", ControllerState.RUNNING);
        assertThatIllegalStateException().isThrownBy(() -> manager.startController("maps"));
        manager.stopController("maps");
        manager.stopController("maps");

        assertThat(state(manager, "maps")).isEqualTo(ControllerState.STOPPED);
        assertThat(log).containsExactlyInAnyOrder("informer configmaps", "informer secrets", "released configmaps/v1");
        assertThat(cluster.fake(CONFIG_MAP).subscribers()).isZero();
        assertThat(manager.readiness().healthy()).isTrue();
        assertThatIllegalStateException().isThrownBy(() -> manager.pause("maps"));
        cluster.fake(CONFIG_MAP).put(configMap("a"));
        cluster.fake(SECRET)
                .put(new V1Secret().metadata(new V1ObjectMeta().namespace("ns").name("s")));
        await().untilAsserted(() -> assertThat(log).contains("secrets ns/s"));
        assertThat(log).doesNotContain("maps ns/a");

        manager.startController("maps");
        awaitState(manager, "maps", ControllerState.RUNNING);
        await().untilAsserted(() -> assertThat(log).contains("maps ns/a"));
    }

    @Test
    void aControllerThatIsStartedTwiceIsThereOnce() {
        serveSynced(CONFIG_MAP);
        CountDownLatch asked = new CountDownLatch(1);
        ControllerManager manager = manager(elector(), registration("maps", CONFIG_MAP, this::record));
        manager.start();
        awaitState(manager, "maps", ControllerState.RUNNING);
        manager.stopController("maps");
        cluster.beforeAnswer(() -> {
            asked.countDown();
            waitUninterrupted();
        });
        manager.startController("maps");
        assertThatIllegalStateException()
                .isThrownBy(() -> manager.startController("maps"))
                .withMessage("controller \"maps\" is started already");
        await().until(() -> asked.getCount() == 0);
        assertThatIllegalStateException()
                .isThrownBy(() -> manager.startController("maps"))
                .withMessage("controller \"maps\" is started already");
        release.countDown();

        awaitState(manager, "maps", ControllerState.RUNNING);
        assertThat(cluster.fake(CONFIG_MAP).subscribers()).isEqualTo(1);
    }

    @Test
    void aControllerIsStartedAgainOnlyWhenNothingOfTheFormerOneIsLeft() throws Exception {
        serveSynced(CONFIG_MAP);
        CountDownLatch closing = new CountDownLatch(1);
        ControllerManager manager = manager(elector(), registration("maps", CONFIG_MAP, this::record));
        manager.start();
        awaitState(manager, "maps", ControllerState.RUNNING);
        cluster.beforeRelease(() -> {
            closing.countDown();
            waitUninterrupted();
        });
        Thread stopper = new Thread(() -> manager.stopController("maps"), "stopper");
        stopper.start();
        closing.await();
        assertThatIllegalStateException()
                .isThrownBy(() -> manager.startController("maps"))
                .withMessage("controller \"maps\" is still stopping");
        release.countDown();
        stopper.join();
        manager.startController("maps");

        awaitState(manager, "maps", ControllerState.RUNNING);
    }

    @Test
    void aControllerThatIsStoppedWhileItIsMadeGivesItsInformersBack() {
        serveSynced(CONFIG_MAP);
        CountDownLatch busy = new CountDownLatch(1);
        ControllerManager manager = build(
                builder(elector()).shutdownTimeout(Duration.ofMillis(50)),
                ControllerRegistration.of(ControllerDescriptor.named("maps")
                        .forType(CONFIG_MAP)
                        .reconcilerFactory(context -> {
                            busy.countDown();
                            waitUninterrupted();
                            context.informer(CONFIG_MAP);
                            return reconciler("maps", this::record);
                        })
                        .build()));
        manager.start();
        await().until(() -> busy.getCount() == 0);
        manager.stopController("maps");
        assertThat(state(manager, "maps")).isEqualTo(ControllerState.STOPPED);
        release.countDown();

        awaitLog("informer configmaps", "released configmaps/v1");
        assertThat(state(manager, "maps")).isEqualTo(ControllerState.STOPPED);
        assertThat(manager.readiness().healthy()).isTrue();
    }

    @Test
    void aControllerThatFailedCanBeStartedAgain() {
        serveSynced(CONFIG_MAP);
        List<Boolean> broken = new CopyOnWriteArrayList<>(List.of(true));
        ControllerDescriptor descriptor = ControllerDescriptor.named("maps")
                .forType(CONFIG_MAP)
                .reconcilerFactory(context -> {
                    if (!broken.isEmpty()) {
                        throw new IllegalStateException("not yet");
                    }
                    return reconciler("maps", this::record);
                })
                .build();
        ControllerManager manager = manager(elector(), ControllerRegistration.of(descriptor));
        manager.start();
        awaitState(manager, "maps", ControllerState.FAILED);
        broken.clear();
        manager.startController("maps");

        awaitState(manager, "maps", ControllerState.RUNNING);
        assertThat(manager.readiness().healthy()).isTrue();
    }

    @Test
    void oneThatIsEssentialEndsTheProcessWhenItFails() {
        serveSynced(CONFIG_MAP);
        List<String> ends = new CopyOnWriteArrayList<>();
        ControllerDescriptor broken = ControllerDescriptor.named("broken")
                .forType(CONFIG_MAP)
                .options(ControllerOptions.DEFAULTS.withEssential(true))
                .reconcilerFactory(context -> {
                    throw new IllegalStateException("no licence");
                })
                .build();
        ControllerManager manager =
                build(builder(elector()).onEssentialFailed(ends::add), ControllerRegistration.of(broken));
        manager.start();

        await().untilAsserted(() -> assertThat(ends)
                .containsExactly(
                        "controller broken could not be started: java.lang.IllegalStateException: no licence"));
    }

    @Test
    void eventsFromOutsideReachTheControllerWithoutAType() {
        EventChannel<String> channel = new EventChannel<>();
        ControllerManager manager = manager(
                elector(),
                ControllerRegistration.of(ControllerDescriptor.named("devices")
                        .source(channel, device -> java.util.Set.of(new Request("ns", device)))
                        .reconciler(reconciler("devices", this::record))
                        .build()));
        manager.start();
        awaitState(manager, "devices", ControllerState.RUNNING);
        channel.send("one");
        awaitLog("devices ns/one");

        manager.stopController("devices");
        channel.send("two");
        manager.startController("devices");
        awaitState(manager, "devices", ControllerState.RUNNING);
        awaitLog("devices ns/one", "devices ns/two");
    }

    @Test
    void aTypeThatIsOwnedAndWatchedIsListedOnce() {
        ControllerDescriptor descriptor = ControllerDescriptor.named("maps")
                .forType(CONFIG_MAP)
                .owns(SECRET)
                .watches(SECRET, object -> java.util.Set.of())
                .watches(CONFIG_MAP, object -> java.util.Set.of())
                .reconciler(reconciler("maps", this::record))
                .build();
        ControllerManager manager = manager(elector(), ControllerRegistration.of(descriptor));

        assertThat(manager.controllers().get(0).watches()).containsExactly("configmaps/v1", "secrets/v1");
    }

    @Test
    void aStopDuringTheStartEndsIt() {
        ControllerManager manager = manager(elector(), registration("maps", CONFIG_MAP, this::record));
        manager.start();
        awaitState(manager, "maps", ControllerState.WAITING_FOR_TYPE);
        manager.stop();
        manager.stop();

        assertThat(state(manager, "maps")).isEqualTo(ControllerState.STOPPED);
        assertThat(log).containsExactly("informers stopped");
    }

    @Test
    void afterAStopItCanBeStartedAgain() {
        serveSynced(CONFIG_MAP);
        cluster.fake(CONFIG_MAP).put(configMap("a"));
        ControllerManager manager = manager(elector(), registration("maps", CONFIG_MAP, this::record));
        for (int i = 0; i < 3; i++) {
            log.clear();
            manager.start();
            assertThatIllegalStateException().isThrownBy(manager::start);
            awaitState(manager, "maps", ControllerState.RUNNING);
            await().until(() -> log.contains("maps ns/a"));
            manager.stop();
        }

        assertThat(manager.isRunning()).isFalse();
    }

    @Test
    void withoutElectorItAlwaysLeads() {
        serveSynced(CONFIG_MAP);
        ControllerManager manager = manager(null, registration("maps", CONFIG_MAP, this::record));
        manager.start();

        awaitState(manager, "maps", ControllerState.RUNNING);
        assertThat(manager.leadership().enabled()).isFalse();
        assertThat(manager.leadership().leading()).isTrue();
    }

    @Test
    void aLeaseThatCannotBeReadMakesAReplicaNotReady() {
        lock.failWith("missing permission: get leases");
        ControllerManager manager = manager(elector());
        manager.start();

        await().untilAsserted(() -> assertThat(manager.readiness().reasons())
                .containsExactly("leader election: missing permission: get leases"));
        assertThat(manager.liveness().healthy()).isTrue();
    }

    @Test
    void aLeaseThatMayNotBeTakenMakesAReplicaNotReadyAlsoWhereItStillNamesItsLastHolder() throws Exception {
        store.lock("gone")
                .create(new V1Lease()
                        .metadata(new V1ObjectMeta().name("lease"))
                        .spec(new V1LeaseSpec().holderIdentity("gone").leaseDurationSeconds(15)));
        ControllerManager manager = manager(elector());
        manager.start();
        await().until(() -> "gone".equals(manager.leadership().holder()));
        assertThat(manager.readiness().healthy()).isTrue();

        lock.failWith("missing permission: update leases");
        time.advance(Duration.ofSeconds(5));

        await().untilAsserted(() -> assertThat(manager.readiness().reasons())
                .containsExactly("leader election: missing permission: update leases"));
    }

    @Test
    void nonsenseIsRefused() {
        ControllerRegistration one = registration("maps", CONFIG_MAP, this::record);
        assertThatIllegalStateException()
                .isThrownBy(() -> manager(null, one, one))
                .withMessage("two controllers have the name \"maps\"");
        assertThatIllegalStateException()
                .isThrownBy(() -> ControllerManager.builder().build())
                .withMessageContaining("apiClient");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ControllerManager.builder().shutdownTimeout(Duration.ofSeconds(-1)))
                .withMessageContaining("shutdownTimeout");
    }

    private interface Work {
        void on(String controller, Request request);
    }

    private void record(String controller, Request request) {
        log.add(controller + " " + request.getNamespace() + "/" + request.getName());
    }

    private static Reconciler reconciler(String name, Work work) {
        return request -> {
            work.on(name, request);
            return new Result(false);
        };
    }

    private static <T extends KubernetesObject> ControllerRegistration registration(
            String name, ResourceType<T> type, Work work) {
        return ControllerRegistration.of(ControllerDescriptor.named(name)
                .forType(type)
                .reconciler(reconciler(name, work))
                .build());
    }

    private LeaderElector elector() {
        return new LeaderElector(
                LeaderElectionConfig.of("ns", "lease").withIdentity("me"), lock, time, time, new SimpleMeterRegistry());
    }

    private ControllerManager.Builder builder(@org.jspecify.annotations.Nullable LeaderElector elector) {
        return ControllerManager.builder()
                .apiClient(client)
                .unfencedApiClient(unfenced)
                .cluster(cluster)
                .recovery(listener -> {
                    recoveries.add(listener);
                    return () -> recoveries.remove(listener);
                })
                .leaderElector(elector)
                .clock(time)
                .timer(time)
                .eventRecorders(name -> NO_EVENTS);
    }

    private ControllerManager manager(
            @org.jspecify.annotations.Nullable LeaderElector elector, ControllerRegistration... controllers) {
        return build(builder(elector), controllers);
    }

    private ControllerManager build(ControllerManager.Builder builder, ControllerRegistration... controllers) {
        ControllerManager manager = builder.controllers(List.of(controllers)).build();
        started.add(manager);
        return manager;
    }

    private void serveSynced(ResourceType<?> type) {
        cluster.serve(type);
        cluster.fake(type).synced(true);
    }

    private static V1ConfigMap configMap(String name) {
        return new V1ConfigMap().metadata(new V1ObjectMeta().namespace("ns").name(name));
    }

    private static ControllerState state(ControllerManager manager, String name) {
        return manager.controllers().stream()
                .filter(status -> status.name().equals(name))
                .findFirst()
                .orElseThrow()
                .state();
    }

    /** Waits for a state, letting virtual time pass. */
    private void awaitState(ControllerManager manager, String name, ControllerState expected) {
        await().pollInterval(Duration.ofMillis(5)).untilAsserted(() -> {
            // Slowly enough for the elector's thread to renew in between.
            time.advance(Duration.ofMillis(50));
            assertThat(state(manager, name)).isEqualTo(expected);
        });
    }

    /** Waits for something, letting virtual time pass. */
    private void awaitPassing(org.awaitility.core.ThrowingRunnable assertion) {
        await().pollInterval(Duration.ofMillis(5)).untilAsserted(() -> {
            time.advance(Duration.ofMillis(50));
            assertion.run();
        });
    }

    private void awaitLog(String... expected) {
        await().untilAsserted(() -> assertThat(log).containsExactly(expected));
    }

    /** Lets virtual time pass until interrupted, for a test whose own thread is busy. */
    private Thread advanceTime() {
        Thread thread = new Thread(
                () -> {
                    while (!Thread.interrupted()) {
                        time.advance(Duration.ofMillis(1));
                        Thread.onSpinWait();
                    }
                },
                "time");
        thread.start();
        return thread;
    }

    private void waitUninterrupted() {
        boolean interrupted = false;
        while (true) {
            try {
                release.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static final EventRecorder NO_EVENTS = new EventRecorder() {
        @Override
        public void normal(KubernetesObject regarding, String reason, String note) {}

        @Override
        public void warning(KubernetesObject regarding, String reason, String note) {}
    };
}
