package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.testing.support.Waiting;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Standby, loss of leadership and its return, a Lease out of reach. */
class ControllerManagerLeadershipTest extends ControllerManagerFixture {

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
    void onLossWorkersAreInterruptedAndAfterRegainEveryKeyComesAgain() throws Exception {
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
        Waiting.on(interrupted);
        assertThat(manager.leadership().leading()).isFalse();
        await().until(() -> losses.size() == 1);
        assertThat(manager.readiness(false).healthy()).isTrue();
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
                        .watches(SECRET, secret -> Set.of(new Request("ns", "of-secret")))
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
        assertThat(manager.controllers().get(0).detail()).isEqualTo("queues what its caches hold");
        cluster.fake(CONFIG_MAP).unreadable(false);
        awaitPassing(() -> assertThat(log).contains("maps ns/a"));
        await().until(() -> manager.controllers().get(0).detail() == null);
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
        awaitPassing(
                Duration.ofMillis(500),
                () -> assertThat(log.stream().filter("maps ns/a"::equals)).hasSizeGreaterThanOrEqualTo(12));
        lock.failWith("away");
        awaitState(manager, "maps", ControllerState.WAITING_FOR_LEADERSHIP);
        log.clear();
        failing.clear();
        lock.failWith(null);
        // Not a moment of virtual time passes from here.
        cluster.recover();

        await().untilAsserted(() -> assertThat(log).contains("maps ns/a"));
        assertThat(state(manager, "maps")).isEqualTo(ControllerState.RUNNING);
    }

    @Test
    void aLeaseThatCannotBeReadMakesAReplicaNotReady() {
        lock.failWith("missing permission: get leases");
        ControllerManager manager = manager(elector());
        manager.start();

        await().untilAsserted(() -> assertThat(manager.readiness(false).reasons())
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
        assertThat(manager.readiness(false).healthy()).isTrue();

        lock.failWith("missing permission: update leases");
        time.advance(Duration.ofSeconds(5));

        await().untilAsserted(() -> assertThat(manager.readiness(false).reasons())
                .containsExactly("leader election: missing permission: update leases"));
    }
}
