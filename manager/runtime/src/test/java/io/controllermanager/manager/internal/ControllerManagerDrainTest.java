package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.testing.support.Waiting;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** The stop of the host: what it waits for, and in which order it ends. */
class ControllerManagerDrainTest extends ControllerManagerFixture {

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
        Waiting.on(busy);
        for (int i = 0; i < 10; i++) {
            cluster.fake(CONFIG_MAP).put(configMap("left-" + i));
        }
        awaitRenewed(manager);
        log.clear();
        lock.beforeRequest(() -> log.add("lease"));
        Thread stopper = new Thread(manager::stop, "stopper");
        stopper.start();
        Drain.awaitBegun();
        assertThat(log).isEmpty();
        release.countDown();
        Waiting.on(stopper);

        assertThat(log).containsExactly("reconciled a", "lease", "released configmaps/v1", "informers stopped");
        assertThat(manager.controllers().get(0).state()).isEqualTo(ControllerState.STOPPED);
        assertThat(manager.controllers().get(0).reconciles()).isEqualTo(1);
        assertThat(manager.readiness(false).reasons()).containsExactly("the controller manager is not running");
        assertThat(cluster.fake(CONFIG_MAP).subscribers()).isZero();
    }

    @Test
    void aReconcileThatIgnoresInterruptsDoesNotHoldTheStopUp() throws Exception {
        serveSynced(CONFIG_MAP);
        CountDownLatch busy = new CountDownLatch(1);
        ControllerManager manager = manager(elector(), registration("maps", CONFIG_MAP, (name, request) -> {
            busy.countDown();
            waitUninterrupted();
        }));
        manager.start();
        awaitState(manager, "maps", ControllerState.RUNNING);
        cluster.fake(CONFIG_MAP).put(configMap("a"));
        Waiting.on(busy);
        awaitRenewed(manager);
        log.clear();
        lock.beforeRequest(() -> log.add("lease"));
        Thread stopper = new Thread(manager::stop, "stopper");
        stopper.start();
        awaitPassing(LONG_STEP, () -> assertThat(stopper.isAlive()).isFalse());

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
    void aStopDuringTheStartEndsIt() {
        ControllerManager manager = manager(elector(), registration("maps", CONFIG_MAP, this::record));
        manager.start();
        awaitState(manager, "maps", ControllerState.WAITING_FOR_TYPE);
        manager.stop();
        manager.stop();

        assertThat(state(manager, "maps")).isEqualTo(ControllerState.STOPPED);
        assertThat(log).containsExactly("informers stopped");
    }
}
