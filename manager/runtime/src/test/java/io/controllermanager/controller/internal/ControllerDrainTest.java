package io.controllermanager.controller.internal;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.testing.support.Waiting;
import io.controllermanager.workqueue.internal.Backoff;
import io.controllermanager.workqueue.internal.FailureTracker;
import io.controllermanager.workqueue.internal.WorkQueue;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What becomes of running reconciles when the workers stop. */
class ControllerDrainTest extends ControllerFixture {

    /** A controller whose worker has a key and ends with it when it is interrupted. */
    private Controller busy() {
        behaviours.put("slow", request -> waitUntilInterrupted());
        Controller controller = start(UNLIMITED);
        add("slow");
        waitForReconciles(1);
        return controller;
    }

    /** Begins a drain of a minute; returns when that has begun to count. */
    private CompletableFuture<Boolean> drain(Controller controller) {
        CompletableFuture<Boolean> stop = stop(controller, Duration.ofMinutes(1));
        eventually(() -> assertThat(time.scheduledTasks()).isEqualTo(1));
        return stop;
    }

    @Test
    void letsRunningReconcilesEndWhenStopped() throws Exception {
        behaviours.put("slow", request -> waitUninterruptibly());
        Controller controller = start(UNLIMITED);
        add("slow", "waiting");
        waitForReconciles(1);
        CompletableFuture<Boolean> stop = drain(controller);
        eventually(() -> assertThat(controller.snapshot().running()).isFalse());
        assertThat(stop.isDone()).isFalse();
        release.countDown();
        assertThat(Waiting.on(stop)).isTrue();
        assertThat(reconciled).containsExactly("slow");
        assertThat(queue.size()).isEqualTo(1);
        waitUntilSettled();

        Work.begin(controller);
        waitForReconciles(2);
        assertThat(reconciled).containsExactly("slow", "waiting");
    }

    @Test
    void interruptsWhatHasNotEndedWhenTheDrainIsOver() throws Exception {
        Controller controller = busy();
        CompletableFuture<Boolean> stop = drain(controller);
        time.advance(Duration.ofMinutes(1));
        assertThat(Waiting.on(stop)).isTrue();
        assertThat(queue.size()).as("put back").isEqualTo(1);
        assertThat(controller.snapshot().errors()).isZero();
        assertThat(queue.snapshot().retries()).doesNotContainKey(key("slow"));
    }

    @Test
    void cutsADrainShortWhenThereIsNoMoreTime() throws Exception {
        Controller controller = busy();
        CompletableFuture<Boolean> drain = drain(controller);

        Work.end(controller, Duration.ZERO);

        assertThat(Waiting.on(drain)).isTrue();
        assertThat(queue.size()).as("put back").isEqualTo(1);
    }

    @Test
    void drainsWhatWasRetiredBefore() throws Exception {
        Controller controller = busy();
        controller.pause(true);

        CompletableFuture<Boolean> stop = drain(controller);
        assertThat(stop.isDone()).isFalse();
        time.advance(Duration.ofMinutes(1));
        assertThat(Waiting.on(stop)).isTrue();
        assertThat(queue.size()).as("put back").isEqualTo(1);
    }

    @Test
    void drainsWhatASmallerSizeHasRetired() throws Exception {
        behaviours.put("1", request -> waitUntilInterrupted());
        behaviours.put("2", request -> waitUntilInterrupted());
        Controller controller = start(UNLIMITED.withWorkers(2));
        add("1", "2");
        waitForReconciles(2);
        controller.resize(1);

        CompletableFuture<Boolean> stop = drain(controller);
        time.advance(Duration.ofMinutes(1));
        assertThat(Waiting.on(stop)).isTrue();
        assertThat(queue.size()).as("both put back").isEqualTo(2);
    }

    @Test
    void aDrainDoesNotWaitForWhatIsStuck() throws Exception {
        behaviours.put("stuck", request -> waitUninterruptibly());
        Controller controller = start(ControllerOptions.DEFAULTS.withReconcileTimeout(Duration.ofSeconds(30)));
        add("stuck");
        waitForReconciles(1);
        time.advance(Duration.ofSeconds(30));
        time.advance(GRACE);
        assertThat(controller.snapshot().stuck()).hasSize(1);

        // No time passes.
        assertThat(Waiting.on(stop(controller, Duration.ofMinutes(1)))).isFalse();
    }

    @Test
    void closingInterruptsWhatWasRetiredBefore() {
        Controller controller = busy();
        controller.pause(true);
        controller.close();
        eventually(() -> assertThat(liveThreads()).isEmpty());
    }

    @Test
    void aReconcileThatGoesOnKeepsItsPlaceWhenWorkBeginsAgainDuringADrain() throws Exception {
        behaviours.put("slow", request -> waitUninterruptibly());
        Controller controller = start(UNLIMITED);
        add("slow", "next");
        waitForReconciles(1);
        CompletableFuture<Boolean> stop = drain(controller);
        Work.begin(controller);
        assertThat(Waiting.on(stop)).as("nothing has to end any more").isTrue();
        time.advance(Duration.ofMinutes(2));
        assertThat(liveThreads()).hasSize(1);
        assertThat(reconciled).containsExactly("slow");
        release.countDown();
        waitForReconciles(2);
        assertThat(reconciled).containsExactly("slow", "next");
    }

    @Test
    void tellsThatAReconcileHasNotEnded() throws Exception {
        behaviours.put("stuck", request -> waitUninterruptibly());
        Controller controller = start(UNLIMITED);
        add("stuck");
        waitForReconciles(1);
        CompletableFuture<Boolean> stop = stop(controller, Duration.ofSeconds(10));
        eventually(() -> assertThat(time.scheduledTasks()).isEqualTo(1));
        time.advance(Duration.ofSeconds(10));
        eventually(() -> assertThat(time.scheduledTasks()).isEqualTo(2));
        time.advance(Duration.ofSeconds(1));
        assertThat(Waiting.on(stop)).isFalse();
        time.advance(GRACE);
        assertThat(controller.snapshot().stuck()).hasSize(1);

        // Others go on when the workers start again, and the key when its first reconcile has ended.
        add("stuck", "good");
        Work.begin(controller);
        waitForReconciles(2);
        release.countDown();
        waitForReconciles(3);
        assertThat(reconciled).containsExactly("stuck", "good", "stuck");
    }

    @Test
    void interruptsAtOnceWithoutADrainAndPutsTheKeyBackAtItsPriority() throws Exception {
        behaviours.put("slow", request -> count("slow") == 1 ? waitUntilInterrupted() : DONE);
        Controller controller = start(ControllerOptions.DEFAULTS);
        queue.add(key("slow"), WorkQueue.LOW_PRIORITY);
        waitForReconciles(1);
        Work.end(controller, Duration.ZERO);
        eventually(() -> assertThat(queue.size()).isEqualTo(1));
        assertThat(queue.snapshot().depthByPriority()).isEqualTo(Map.of(WorkQueue.LOW_PRIORITY, 1));
        assertThat(messages(Level.ERROR)).isEmpty();
        waitUntilSettled();
        assertThat(Work.end(controller, Duration.ZERO)).isTrue();

        add("edited");
        Work.begin(controller);
        waitForReconciles(3);
        assertThat(reconciled).containsExactly("slow", "edited", "slow");
    }

    @Test
    void waitsUntilWhatCameOfAReconcileHasBeenDealtWith() throws Exception {
        CountDownLatch settling = new CountDownLatch(1);
        WorkQueue<Request> slow = WorkQueue.<Request>named("slow")
                .clock(time)
                .timer(time)
                .failures(new FailureTracker<>(time, new Backoff(Duration.ofSeconds(1), failures -> {
                    settling.countDown();
                    waitUninterruptibly();
                    return Duration.ofSeconds(1);
                })))
                .build();
        behaviours.put("bad", request -> {
            throw new IllegalStateException("not yet");
        });
        Controller controller = start(builder(UNLIMITED).queue(slow));
        slow.add(key("bad"));
        eventually(() -> assertThat(settling.getCount()).isZero());

        assertThat(Work.end(controller, Duration.ZERO)).isFalse();
        CompletableFuture<Boolean> drained = drain(controller);
        assertThat(drained).isNotDone();
        release.countDown();

        assertThat(Waiting.on(drained)).isTrue();
        assertThat(slow.delayed()).isEqualTo(1);
    }
}
