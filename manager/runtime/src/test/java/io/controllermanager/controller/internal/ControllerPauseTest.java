package io.controllermanager.controller.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.testing.support.Waiting;
import io.controllermanager.workqueue.internal.WorkQueue;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Nothing begins while the workers are stopped, retired or behind a closed gate. */
class ControllerPauseTest extends ControllerFixture {

    @Test
    void beginsNoReconcileWhileStopped() throws Exception {
        Controller controller = start(ControllerOptions.DEFAULTS);
        assertThat(Waiting.on(stop(controller, Duration.ofSeconds(1)))).isTrue();
        add("a");
        assertThat(controller.snapshot().running()).isFalse();
        // A worker that was waiting for a key may take it, and then gives it back.
        waitUntilSettled();
        assertThat(controller.snapshot().queueDepth()).isEqualTo(1);
        assertThat(reconciled).isEmpty();
        Work.begin(controller);
        waitForReconciles(1);
    }

    @Test
    void neverReconcilesMoreAtOnceThanThereAreWorkersAfterAPause() {
        behaviours.put("slow", request -> waitUninterruptibly());
        Controller controller = start(UNLIMITED);
        add("slow", "next");
        waitForReconciles(1);
        controller.pause(true);
        Work.begin(controller);
        assertThat(liveThreads()).as("the one whose reconcile goes on").hasSize(1);
        assertThat(controller.snapshot().liveWorkers()).isEqualTo(1);
        assertThat(controller.snapshot().restartReason()).isNull();
        assertThat(queue.size()).isEqualTo(1);

        release.countDown();
        waitForReconciles(2);
        eventually(() -> assertThat(liveThreads()).hasSize(1));
    }

    @Test
    void beginsNoReconcileBehindAClosedGateAndKeepsPriorityAndFailures() {
        behaviours.put("bad", request -> {
            throw new IllegalStateException("not yet");
        });
        AtomicBoolean open = new AtomicBoolean(true);
        AtomicInteger asked = new AtomicInteger();
        Controller controller = start(builder(ControllerOptions.DEFAULTS).term(shard -> {
            asked.incrementAndGet();
            return open.get();
        }));
        add("bad");
        eventually(() -> assertThat(queue.delayed()).isEqualTo(1));
        open.set(false);
        queue.add(key("bad"), WorkQueue.LOW_PRIORITY);

        eventually(() -> assertThat(asked).hasValue(2));
        eventually(() -> assertThat(controller.shards().get(0).isOpen()).isFalse());
        waitUntilSettled();
        assertThat(queue.snapshot().depthByPriority()).isEqualTo(Map.of(WorkQueue.LOW_PRIORITY, 1));
        assertThat(queue.snapshot().retries()).containsEntry(key("bad"), 1);
        assertThat(controller.snapshot().failing()).isEqualTo(1);
        assertThat(controller.snapshot().reconciles()).isEqualTo(1);
        assertThat(controller.snapshot().errors()).isEqualTo(1);
        assertThat(reconciled).containsExactly("bad");
        assertMetric("controller_runtime_reconcile_time_seconds_count{controller=\"foo\"} 1");

        open.set(true);
        Work.begin(controller);
        eventually(() -> assertThat(queue.snapshot().retries()).containsEntry(key("bad"), 2));
    }

    @Test
    void stopsAtOnceBehindAClosedGate() throws Exception {
        Controller controller = start(builder(ControllerOptions.DEFAULTS).term(shard -> false));
        add("a");
        eventually(() -> assertThat(controller.shards().get(0).isOpen()).isFalse());

        Work.end(controller, Duration.ZERO);
        waitUntilSettled();
        assertThat(queue.size()).isEqualTo(1);
        assertThat(time.scheduledTasks()).isZero();
        assertThat(reconciled).isEmpty();
    }

    @Test
    void doesNotWaitForAWorkerThatHasNotBegunAndReconcilesNothingLater() throws Exception {
        CountDownLatch atGate = new CountDownLatch(1);
        Controller controller = start(builder(ControllerOptions.DEFAULTS).term(shard -> {
            atGate.countDown();
            waitUninterruptibly();
            return true;
        }));
        add("a");
        eventually(() -> assertThat(atGate.getCount()).isZero());

        assertThat(Waiting.on(stop(controller, Duration.ofMinutes(1)))).isTrue();
        release.countDown();

        waitUntilSettled();
        assertThat(reconciled).isEmpty();
        assertThat(queue.size()).isEqualTo(1);
    }
}
