package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.controllermanager.client.internal.transport.LinesWith;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.testing.support.Waiting;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import java.time.Duration;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What an operator may do to one controller: pause, resize, ask for a key, stop, start. */
class ControllerManagerOperationsTest extends ControllerManagerFixture {

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
        assertThat(manager.readiness(false).healthy()).isTrue();
        cluster.fake(CONFIG_MAP).put(configMap("a"));
        // A worker that was waiting when the pause came may take it, and gives it back.
        awaitPassing(() -> {
            assertThat(manager.controllers().get(0).queueDepth()).isEqualTo(1);
            assertThat(manager.queue("maps").depthByPriority().values()).containsExactly(1);
        });

        // It stays paused whoever leads.
        lock.failWith("timeout");
        awaitPassing(() -> assertThat(manager.leadership().leading()).isFalse());
        lock.failWith(null);
        awaitPassing(() -> assertThat(manager.leadership().leading()).isTrue());
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
        // They are there, and no event has told of them.
        cluster.fake(CONFIG_MAP).cache.add(configMap("asked-for"));
        cluster.fake(CONFIG_MAP).cache.add(configMap("as-well"));
        manager.reconcileNow("maps", new Request("ns", "asked-for"));
        manager.reconcileNow("maps", new Request("ns", "as-well"));

        await().untilAsserted(() -> assertThat(log).contains("maps ns/asked-for", "maps ns/as-well"));
        assertThat(manager.controllers().get(0).workers()).isEqualTo(2);
        assertThat(manager.controllers().get(0).activeWorkers()).isEqualTo(2);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> manager.reconcileNow("maps", new Request("asked-for")))
                .withMessage("key must be namespace/name, since configmaps/v1 is namespaced, but is \"asked-for\"");
        assertThatExceptionOfType(NoSuchElementException.class)
                .isThrownBy(() -> manager.reconcileNow("maps", new Request("ns", "not-there")))
                .withMessage("controller \"maps\" has no object ns/not-there in its cache of configmaps/v1: see"
                        + " whether it exists and fits");
        cluster.fake(CONFIG_MAP).only(Set.of("b", "a"));
        assertThatExceptionOfType(NoSuchElementException.class)
                .isThrownBy(() -> manager.reconcileNow("maps", new Request("ns", "asked-for")))
                .withMessage("controller \"maps\" does not watch namespace \"ns\", only [a, b]: see"
                        + " controller-manager.namespaces");
        assertThatIllegalArgumentException().isThrownBy(() -> manager.resize("maps", 0));
        assertThatExceptionOfType(NoSuchElementException.class)
                .isThrownBy(() -> manager.resize("mops", 1))
                .withMessage("there is no controller \"mops\"");
    }

    @Test
    void twoStopsAtOnceAreToldOfOnce() throws Exception {
        serveSynced(CONFIG_MAP);
        ControllerManager manager = manager(elector(), registration("stopped-twice", CONFIG_MAP, this::record));
        manager.start();
        awaitState(manager, "stopped-twice", ControllerState.RUNNING);
        ListAppender<ILoggingEvent> lines = LinesWith.text("Controller stopped-twice: stopped");
        Logger logger = (Logger) LoggerFactory.getLogger(HostedController.class);
        logger.addAppender(lines);
        try {
            CyclicBarrier together = new CyclicBarrier(2);
            Runnable stop = () -> {
                try {
                    together.await();
                } catch (InterruptedException | BrokenBarrierException e) {
                    throw new IllegalStateException(e);
                }
                manager.stopController("stopped-twice");
            };
            CompletableFuture.allOf(CompletableFuture.runAsync(stop), CompletableFuture.runAsync(stop))
                    .get(30, TimeUnit.SECONDS);

            assertThat(lines.list).hasSize(1);
        } finally {
            logger.detachAppender(lines);
        }
    }

    @Test
    void withoutElectionEachObjectIsLookedAtOnceAtTheStartAndOnceMoreAtAResync() {
        serveSynced(CONFIG_MAP);
        cluster.fake(CONFIG_MAP).put(configMap("a"));
        ControllerManager manager = manager(null, registration("maps", CONFIG_MAP, this::record));
        assertThatIllegalStateException().isThrownBy(manager::resync);
        manager.start();
        awaitState(manager, "maps", ControllerState.RUNNING);
        awaitLog("informer configmaps", "maps ns/a");
        cluster.fake(CONFIG_MAP).put(configMap("b"));
        awaitLog("informer configmaps", "maps ns/a", "maps ns/b");

        manager.pause("maps");
        manager.resync();
        manager.resume("maps");
        manager.resync();
        awaitLog("informer configmaps", "maps ns/a", "maps ns/b", "maps ns/a", "maps ns/b");
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
        assertThat(manager.readiness(false).healthy()).isTrue();
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
    void aControllerThatIsStartedTwiceIsThereOnce() throws Exception {
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
        Waiting.on(asked);
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
        Waiting.on(closing);
        assertThatIllegalStateException()
                .isThrownBy(() -> manager.startController("maps"))
                .withMessage("controller \"maps\" is still stopping");
        release.countDown();
        Waiting.on(stopper);
        manager.startController("maps");

        awaitState(manager, "maps", ControllerState.RUNNING);
    }

    @Test
    void aStopThatHangsHoldsUpNeitherOperatorsNorTheLossOfLeadership() throws Exception {
        serveSynced(CONFIG_MAP);
        serveSynced(SECRET);
        CountDownLatch hangs = new CountDownLatch(1);
        ControllerManager manager = manager(
                elector(),
                registration("maps", CONFIG_MAP, this::record),
                registration("secrets", SECRET, this::record));
        manager.start();
        awaitState(manager, "maps", ControllerState.RUNNING);
        awaitState(manager, "secrets", ControllerState.RUNNING);
        cluster.beforeRelease(() -> {
            hangs.countDown();
            waitUninterrupted();
        });
        Thread stopper = new Thread(() -> manager.stopController("maps"), "stopper");
        stopper.start();
        Waiting.on(hangs);

        manager.pause("secrets");
        assertThat(state(manager, "secrets")).isEqualTo(ControllerState.PAUSED);
        manager.resume("secrets");
        assertThat(state(manager, "secrets")).isEqualTo(ControllerState.RUNNING);
        lock.failWith("timeout");
        awaitState(manager, "secrets", ControllerState.WAITING_FOR_LEADERSHIP);
        release.countDown();
        Waiting.on(stopper);
        assertThat(state(manager, "maps")).isEqualTo(ControllerState.STOPPED);
    }

    @Test
    void aControllerThatIsStoppedWhileItIsMadeGivesItsInformersBack() throws Exception {
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
        Waiting.on(busy);
        manager.stopController("maps");
        assertThat(state(manager, "maps")).isEqualTo(ControllerState.STOPPED);
        release.countDown();

        awaitLog("informer configmaps", "released configmaps/v1");
        assertThat(state(manager, "maps")).isEqualTo(ControllerState.STOPPED);
        assertThat(manager.readiness(false).healthy()).isTrue();
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
        assertThat(manager.readiness(false).healthy()).isTrue();
    }
}
