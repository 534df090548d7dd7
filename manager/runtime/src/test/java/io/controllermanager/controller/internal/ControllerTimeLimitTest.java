package io.controllermanager.controller.internal;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.testing.support.Waiting;
import io.controllermanager.time.internal.VirtualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Reconciles that exceed their time limit, and those that ignore it. */
class ControllerTimeLimitTest extends ControllerFixture {

    @Test
    void interruptsAReconcileAtItsTimeLimit() throws Exception {
        CompletableFuture<String> end = new CompletableFuture<>();
        behaviours.put("slow", request -> {
            try {
                release.await();
                return DONE;
            } catch (InterruptedException e) {
                end.complete("interrupted");
                throw new IllegalStateException("interrupted", e);
            }
        });
        Controller controller = start(ControllerOptions.DEFAULTS.withReconcileTimeout(Duration.ofSeconds(30)));
        add("slow", "good");
        waitForReconciles(1);
        assertThat(controller.snapshot().activeWorkers()).isEqualTo(1);
        time.advance(Duration.ofSeconds(29));
        assertThat(end.isDone()).isFalse();
        time.advance(Duration.ofSeconds(1));
        assertThat(Waiting.on(end)).isEqualTo("interrupted");
        waitForReconciles(2);
        eventually(() -> assertThat(queue.delayed()).isEqualTo(1));
        assertMetric("controller_runtime_reconcile_timeouts_total{controller=\"foo\"} 1.0");
        eventually(() -> assertThat(messages(Level.ERROR))
                .containsExactly(
                        "Reconcile of foo default/slow was interrupted at its time limit, and is retried in 1000 ms:"
                                + " IllegalStateException: interrupted"));
        time.advance(Duration.ofMillis(900));
        assertThat(controller.snapshot().stuck()).isEmpty();
        assertThat(controller.snapshot().restartReason()).isNull();
        assertThat(reconciled).containsExactly("slow", "good");
    }

    @Test
    void replacesAWorkerThatIgnoresItsInterruption() {
        behaviours.put("stuck", request -> waitUninterruptibly());
        Controller controller = start(ControllerOptions.DEFAULTS.withReconcileTimeout(Duration.ofSeconds(30)));
        add("stuck", "good");
        waitForReconciles(1);
        time.advance(Duration.ofSeconds(30));
        assertThat(controller.snapshot().stuck()).isEmpty();
        time.advance(GRACE);

        waitForReconciles(2);
        assertThat(reconciled).containsExactly("stuck", "good");
        ControllerSnapshot.StuckReconcile stuck = controller.snapshot().stuck().get(0);
        assertThat(stuck.key()).isEqualTo("default/stuck");
        assertThat(stuck.thread()).isEqualTo("foo-worker-1");
        assertThat(stuck.since()).isEqualTo(VirtualTime.START);
        assertMetric("controller_manager_stuck_workers{controller=\"foo\"} 1.0");
        assertThat(messages(Level.ERROR)).singleElement().asString().contains("waitUninterruptibly");

        assertThat(controller.snapshot().restartReason()).isNull();
        assertThat(controller.snapshot().warning())
                .isEqualTo("a reconcile does not end, the oldest with default/stuck since " + VirtualTime.START
                        + " on thread foo-worker-1");

        // Its key stays with the stuck reconcile until that ends, and comes again then.
        add("stuck", "better");
        waitForReconciles(3);
        assertThat(reconciled).containsExactly("stuck", "good", "better");
        time.advance(Duration.ofHours(1));
        assertThat(messages(Level.ERROR)).hasSize(1);
        release.countDown();
        waitForReconciles(4);
        eventually(() -> assertThat(controller.snapshot().stuck()).isEmpty());
        eventually(() -> assertThat(liveThreads()).hasSize(1));
        assertThat(reconciled).containsExactly("stuck", "good", "better", "stuck");
    }

    @Test
    void leavesNoInterruptToTheNextReconcile() throws Exception {
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        behaviours.put("slow", request -> waitUntilInterrupted());
        behaviours.put("next", request -> {
            interrupted.complete(Thread.currentThread().isInterrupted());
            return DONE;
        });
        start(ControllerOptions.DEFAULTS.withReconcileTimeout(Duration.ofSeconds(30)));
        add("slow", "next");
        waitForReconciles(1);
        time.advance(Duration.ofSeconds(30));
        assertThat(Waiting.on(interrupted)).isFalse();
    }

    @Test
    void aRetiredWorkerThatIsStuckGivesItsPlaceToAnother() {
        behaviours.put("stuck", request -> waitUninterruptibly());
        Controller controller = start(ControllerOptions.DEFAULTS.withReconcileTimeout(Duration.ofSeconds(30)));
        add("stuck", "good");
        waitForReconciles(1);
        controller.pause(true);
        Work.begin(controller);
        time.advance(Duration.ofSeconds(30));
        time.advance(GRACE);
        waitForReconciles(2);
        assertThat(reconciled).containsExactly("stuck", "good");
    }
}
