package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerOptions;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What a restart of the process would help, and what it would not. */
class ControllerManagerLivenessTest extends ControllerManagerFixture {

    /** After so long without a sign of life an election is stuck: the lease duration and 20 s. */
    private static final Duration LEASE_AND_TOLERANCE = Duration.ofSeconds(15 + 20);

    /** Within which time an elector that is not starved tries again. */
    private static final Duration ATTEMPT_DUE = Duration.ofSeconds(5);

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
        awaitPassing(
                LONG_STEP,
                () -> assertThat(log.stream().filter("interrupted slow"::equals))
                        .hasSizeGreaterThan(5));
        assertThat(manager.liveness().healthy()).isTrue();
        assertThat(manager.liveness().warnings())
                .singleElement()
                .asString()
                .startsWith("controller maps: a reconcile does not end, the oldest with ns/stuck-1 since ")
                .contains(" on thread maps-worker-");
        assertThat(manager.controllers().get(0).stuck()).hasSize(1);

        for (int i = 2; i <= 9; i++) {
            cluster.fake(CONFIG_MAP).put(configMap("stuck-" + i));
        }
        awaitPassing(
                LONG_STEP,
                () -> assertThat(manager.controllers().get(0).stuck()).hasSize(9));
        assertThat(manager.liveness().healthy()).isTrue();
        cluster.fake(CONFIG_MAP).put(configMap("stuck-10"));
        awaitPassing(
                LONG_STEP,
                () -> assertThat(manager.liveness().reasons())
                        .singleElement()
                        .asString()
                        .startsWith("controller maps: 10 reconciles are stuck, the oldest with ns/stuck-1 since "));
        assertThat(busy.getCount()).isZero();
        assertThat(manager.readiness(false).healthy()).isTrue();
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
        assertThat(manager.liveness()).isEqualTo(new HealthReport(List.of(), List.of()));
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
        assertThat(manager.readiness(false).healthy()).isFalse();
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
        assertThat(manager.readiness(false).healthy()).isTrue();
    }

    /** For ten times as long as it takes to call the election stuck, each attempt at the Lease finds liveness healthy. */
    private void assertAliveFor(ControllerManager manager, Runnable beforeEachAttempt) {
        AtomicLong attempted = new AtomicLong(time.nanoTime());
        lock.beforeRequest(() -> attempted.set(time.nanoTime()));
        Instant until = time.now().plus(LEASE_AND_TOLERANCE.multipliedBy(10));
        while (time.now().isBefore(until)) {
            long before = attempted.get();
            beforeEachAttempt.run();
            AtomicInteger looks = new AtomicInteger();
            await().pollInterval(Duration.ofMillis(1)).until(() -> {
                Duration next = time.untilNextTask();
                // No further than the next attempt is due, which the elector's thread makes when it comes to it.
                // Others' tasks may have passed that time before the elector has set its own: then a little further
                // now and then.
                boolean due = next != null && time.nanoTime() - before + next.toNanos() <= ATTEMPT_DUE.toNanos();
                if (next != null && (due || looks.incrementAndGet() % 1000 == 0)) {
                    time.advance(next);
                }
                assertThat(manager.liveness()).isEqualTo(new HealthReport(List.of(), List.of()));
                return attempted.get() != before;
            });
        }
    }
}
