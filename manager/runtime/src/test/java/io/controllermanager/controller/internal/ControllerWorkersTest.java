package io.controllermanager.controller.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.testing.support.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** How many workers there are, and on what threads. */
class ControllerWorkersTest extends ControllerFixture {

    @Test
    void changesTheNumberOfWorkers() {
        behaviours.put("1", request -> waitUninterruptibly());
        behaviours.put("2", request -> waitUninterruptibly());
        behaviours.put("3", request -> waitUninterruptibly());
        Controller controller = start(ControllerOptions.DEFAULTS);
        add("1", "2", "3");
        waitForReconciles(1);
        controller.resize(3);
        waitForReconciles(3);
        assertThat(controller.snapshot().activeWorkers()).isEqualTo(3);
        assertMetric("controller_runtime_max_concurrent_reconciles{controller=\"foo\"} 3.0");
        assertMetric("controller_runtime_active_workers{controller=\"foo\"} 3.0");

        controller.resize(5);
        eventually(() -> assertThat(liveThreads()).hasSize(5));
        controller.resize(2);
        eventually(() -> assertThat(liveThreads())
                .as("idle ones went, running ones stay")
                .hasSize(3));
        release.countDown();
        eventually(() -> assertThat(liveThreads()).hasSize(2));
        add("4");
        waitForReconciles(4);
        assertThatThrownBy(() -> controller.resize(0)).hasMessageContaining("0");
    }

    @Test
    void oneThatIsReplacedWhileItWaitsForAKeyLeavesAtOnceAndTakesNoneFromOthers() {
        Controller controller = start(UNLIMITED.withWorkers(2));
        eventually(() -> assertThat(liveThreads())
                .hasSize(2)
                .allSatisfy(thread -> assertThat(thread.getState()).isEqualTo(Thread.State.WAITING)));
        Set<Worker> replaced = controller.pool.all();
        replaced.forEach(Worker::replace);

        eventually(() -> assertThat(controller.pool.all()).hasSize(2).doesNotContainAnyElementsOf(replaced));
        add("a");
        waitForReconciles(1);
    }

    @Test
    void neverReconcilesMoreAtOnceThanThereAreWorkersAfterTwoChangesOfTheirNumber() {
        for (String name : List.of("1", "2", "3", "4", "5")) {
            behaviours.put(name, request -> waitUninterruptibly());
        }
        Controller controller = start(UNLIMITED.withWorkers(3));
        add("1", "2", "3", "4", "5");
        waitForReconciles(3);
        controller.resize(1);
        controller.resize(3);
        assertThat(liveThreads()).hasSize(3);
        controller.resize(4);
        waitForReconciles(4);
        assertThat(liveThreads()).hasSize(4);
        assertThat(controller.snapshot().liveWorkers()).isEqualTo(4);
        release.countDown();
        waitForReconciles(5);
        eventually(() -> assertThat(liveThreads()).hasSize(4));
    }

    @Test
    void worksOnVirtualThreadsOrSaysThatThereAreNone() throws Exception {
        CompletableFuture<String> thread = new CompletableFuture<>();
        ControllerBuilder builder = builder(ControllerOptions.DEFAULTS, request -> {
            thread.complete(Thread.currentThread().toString());
            return DONE;
        });
        assertThat(WorkerThreads.virtualAvailable()).isEqualTo(Runtime.version().feature() >= 21);
        if (!WorkerThreads.virtualAvailable()) {
            assertThatThrownBy(() -> builder.virtualThreads(true))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageStartingWith("virtual threads need Java 21 or later, this is 1");
            return;
        }
        start(builder.virtualThreads(true));
        add("a");
        assertThat(Waiting.on(thread)).startsWith("VirtualThread").contains("foo-worker-1");
    }

    @Test
    void triesAgainToStartAWorkerThatCouldNotBeStarted() {
        int[] attempts = {0};
        Controller controller = controller(builder(ControllerOptions.DEFAULTS).threadFactory(task -> {
            if (++attempts[0] == 1) {
                throw new OutOfMemoryError("unable to create native thread (made up)");
            }
            return new Thread(task, "foo-worker-late");
        }));
        assertThat(controller.snapshot().restartReason()).isNull();
        Work.begin(controller);
        add("a");
        assertThat(controller.snapshot().restartReason()).isEqualTo("none of its workers has a living thread");
        time.advance(Duration.ofSeconds(1));
        waitForReconciles(1);
        assertThat(controller.snapshot().restartReason()).isNull();
    }

    @Test
    void isAliveWhileItsFirstWorkersAreStarted() {
        List<String> reasons = new ArrayList<>();
        AtomicReference<Controller> starting = new AtomicReference<>();
        starting.set(controller(builder(ControllerOptions.DEFAULTS).threadFactory(task -> {
            reasons.add(starting.get().snapshot().restartReason());
            return new Thread(task, "foo-worker-slow");
        })));
        Work.begin(starting.get());
        assertThat(reasons).containsExactly((String) null);
    }

    @Test
    void noticesAThreadThatEndsWithoutItsWorker() throws Exception {
        Controller controller = start(
                builder(ControllerOptions.DEFAULTS).threadFactory(task -> new Thread(() -> {}, "foo-worker-dead")));
        eventually(() -> assertThat(controller.snapshot().liveWorkers()).isZero());
        assertThat(controller.snapshot().restartReason()).isEqualTo("none of its workers has a living thread");
        assertThat(Waiting.on(stop(controller, Duration.ofMinutes(1)))).isTrue();
    }
}
