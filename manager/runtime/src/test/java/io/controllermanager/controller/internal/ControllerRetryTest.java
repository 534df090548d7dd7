package io.controllermanager.controller.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.controller.TerminalException;
import io.controllermanager.time.internal.Timer;
import io.controllermanager.time.internal.VirtualTime;
import io.controllermanager.workqueue.internal.Backoff;
import io.controllermanager.workqueue.internal.FailureTracker;
import io.controllermanager.workqueue.internal.WorkQueue;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Which keys come again, and when. */
class ControllerRetryTest extends ControllerFixture {

    @Test
    void retriesWhatFailsWithBackoffUntilItSucceeds() {
        behaviours.put("bad", request -> {
            if (count("bad") < 3) {
                throw new IllegalStateException("not yet");
            }
            return DONE;
        });
        Controller controller = start(ControllerOptions.DEFAULTS);
        add("bad", "good");
        waitForReconciles(2);
        waitUntilSettled();
        assertThat(queue.delayed()).isEqualTo(1);
        assertThat(controller.snapshot().failing()).isEqualTo(1);
        ControllerSnapshot.Failure failure =
                Objects.requireNonNull(controller.snapshot().lastFailure());
        assertThat(controller.recentFailures()).containsExactly(failure);
        assertThat(Objects.requireNonNull(controller.snapshot().times()).count())
                .isEqualTo(2);
        assertThat(failure.key()).isEqualTo("default/bad");
        assertThat(failure.message()).isEqualTo("IllegalStateException: not yet");
        assertThat(failure.at()).isEqualTo(VirtualTime.START);

        time.advance(Duration.ofSeconds(1));
        waitForReconciles(3);
        eventually(() -> assertThat(queue.delayed()).isEqualTo(1));
        time.advance(Duration.ofSeconds(1));
        assertThat(queue.delayed()).isEqualTo(1);
        time.advance(Duration.ofSeconds(1));
        waitForReconciles(4);
        waitUntilSettled();
        assertThat(controller.snapshot().failing()).isZero();
        assertThat(queue.snapshot().retries()).doesNotContainKey(key("bad"));
        assertMetric("controller_runtime_reconcile_total{controller=\"foo\",result=\"error\"} 2.0");
        assertMetric("controller_runtime_reconcile_errors_total{controller=\"foo\"} 2.0");
    }

    @Test
    void aKeyComesAgainAtThePriorityThatItsResultSays() {
        behaviours.put("later", request -> new PriorityResult(new Result(true, Duration.ofSeconds(1)), 7));
        behaviours.put("retried", request -> new PriorityResult(new Result(true), WorkQueue.LOW_PRIORITY));
        behaviours.put("said", request -> new Result(true, Duration.ofSeconds(1)));
        Controller controller = start(ControllerOptions.DEFAULTS);
        add("later", "retried", "said");
        waitForReconciles(3);
        waitUntilSettled();
        controller.pause(true);
        time.advance(Duration.ofSeconds(1));
        assertThat(queue.depthByPriority()).isEqualTo(Map.of(7, 1, WorkQueue.LOW_PRIORITY, 1, 0, 1));
    }

    @Test
    void doesNotRetryATerminalErrorBeforeTheNextChange() {
        behaviours.put("bad", request -> {
            throw new TerminalException("spec.cidr is nonsense");
        });
        Controller controller = start(ControllerOptions.DEFAULTS);
        add("bad");
        eventually(() -> assertThat(controller.snapshot().lastFailure()).isNotNull());
        assertThat(controller.snapshot().errors()).isEqualTo(1);
        assertThat(controller.snapshot().failing()).as("it waits for a change").isZero();
        time.advance(Duration.ofDays(1));
        assertThat(queue.delayed()).isZero();
        assertThat(queue.snapshot().retries()).doesNotContainKey(key("bad"));
        assertMetric("controller_runtime_terminal_reconcile_errors_total{controller=\"foo\"} 1.0");
        add("bad");
        waitForReconciles(2);
    }

    @Test
    void aKeyWhoseRetryEndsInATerminalErrorIsNoLongerFailing() {
        behaviours.put("bad", request -> {
            if (count("bad") == 1) {
                throw new IllegalStateException("not yet");
            }
            throw new TerminalException("never");
        });
        Controller controller = start(ControllerOptions.DEFAULTS);
        add("bad");
        eventually(() -> assertThat(queue.delayed()).isEqualTo(1));
        eventually(() -> assertThat(controller.snapshot().failing()).isEqualTo(1));
        time.advance(Duration.ofSeconds(1));
        eventually(() -> assertThat(controller.snapshot().errors()).isEqualTo(2));
        eventually(() -> assertThat(controller.snapshot().failing()).isZero());
    }

    @Test
    void takesATerminalErrorForOneWhateverItIsWrappedIn() {
        behaviours.put("bad", request -> {
            throw new IllegalStateException(new CompletionException(new TerminalException("spec.cidr is nonsense")));
        });
        behaviours.put("circle", request -> {
            IllegalStateException one = new IllegalStateException("one");
            one.initCause(new IllegalStateException("other", one));
            throw one;
        });
        Controller controller = start(ControllerOptions.DEFAULTS);
        add("bad", "circle");
        eventually(() -> assertThat(controller.snapshot().errors()).isEqualTo(2));
        eventually(() -> assertThat(queue.snapshot().delayed()).containsOnlyKeys(key("circle")));
        assertMetric("controller_runtime_terminal_reconcile_errors_total{controller=\"foo\"} 1.0");
    }

    @Test
    void requeuesAsTheResultSays() {
        behaviours.put("again", request -> count("again") == 1 ? new Result(true) : DONE);
        behaviours.put("later", request -> count("later") == 1 ? new Result(true, Duration.ofMinutes(5)) : DONE);
        behaviours.put("not at all", request -> new Result(false, Duration.ofMinutes(5)));
        start(ControllerOptions.DEFAULTS);
        add("again", "later", "not at all");
        waitForReconciles(3);
        eventually(() -> assertThat(queue.snapshot().delayed())
                .isEqualTo(Map.of(key("again"), Duration.ofSeconds(1), key("later"), Duration.ofMinutes(5))));
        assertThat(queue.snapshot().retries()).containsEntry(key("again"), 1);
        assertThat(queue.snapshot().retries()).doesNotContainKey(key("later"));
        time.advance(Duration.ofMinutes(5));
        waitForReconciles(5);
        eventually(() -> {
            assertMetric("controller_runtime_reconcile_total{controller=\"foo\",result=\"requeue\"} 1.0");
            assertMetric("controller_runtime_reconcile_total{controller=\"foo\",result=\"requeue_after\"} 1.0");
            assertMetric("controller_runtime_reconcile_total{controller=\"foo\",result=\"success\"} 3.0");
        });
    }

    @Test
    void aRateLimiterThatThrowsKeepsNoKeyFromComingAgain() {
        keepsComingThrough(time);
    }

    @Test
    void aTimerThatThrowsAsWellKeepsNoKeyFromComingAgain() {
        keepsComingThrough((delay, task) -> {
            throw new IllegalStateException("refused");
        });
    }

    private void keepsComingThrough(Timer queueTimer) {
        behaviours.put("bad", request -> {
            if (count("bad") == 1) {
                throw new IllegalStateException("not yet");
            }
            return DONE;
        });
        WorkQueue<Request> limited = WorkQueue.<Request>named("limited")
                .clock(time)
                .timer(queueTimer)
                .failures(new FailureTracker<>(time, new Backoff(Duration.ZERO, failures -> {
                    throw new IllegalStateException("broken");
                })))
                .build();
        start(builder(ControllerOptions.DEFAULTS).queue(limited).threadFactory(task -> {
            Thread thread = new Thread(task, "foo-worker-limited");
            thread.setUncaughtExceptionHandler((dead, expected) -> {});
            return thread;
        }));
        limited.add(key("bad"));
        waitForReconciles(1);
        eventually(() -> assertThat(limited.snapshot().processing()).isEmpty());
        eventually(() -> assertThat(liveThreads()).isEmpty());
        time.advance(Duration.ofSeconds(1));
        waitForReconciles(2);
        eventually(() -> assertThat(limited.snapshot().processing()).isEmpty());
        assertThat(limited.size()).isZero();
    }
}
