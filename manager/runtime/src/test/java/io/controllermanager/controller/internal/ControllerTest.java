package io.controllermanager.controller.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.controller.ControllerOptions;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The simple course of things: keys come, are reconciled and forgotten. */
class ControllerTest extends ControllerFixture {

    @Test
    void reconcilesKeysAndForgetsThem() {
        Controller controller = start(ControllerOptions.DEFAULTS);
        add("a", "b");
        waitForReconciles(2);
        waitUntilSettled();
        assertThat(reconciled).containsExactly("a", "b");
        assertThat(controller.snapshot().reconciles()).isEqualTo(2);
        assertThat(controller.snapshot().errors()).isZero();
        assertThat(queue.delayed()).isZero();
        assertMetric("controller_runtime_reconcile_total{controller=\"foo\",result=\"success\"} 2.0");
        assertMetric("controller_runtime_reconcile_time_seconds_count{controller=\"foo\"} 2");
    }

    @Test
    void outlivesErrors() {
        behaviours.put("memory", request -> {
            throw new OutOfMemoryError("made up");
        });
        behaviours.put("stack", this::recurse);
        behaviours.put("link", request -> {
            throw new NoClassDefFoundError("gone");
        });
        Controller controller = start(ControllerOptions.DEFAULTS);
        add("memory", "stack", "link", "good");
        waitForReconciles(4);
        eventually(() -> assertThat(queue.delayed()).isEqualTo(3));
        assertThat(controller.snapshot().errors()).isEqualTo(3);
        assertMetric("controller_runtime_reconcile_panics_total{controller=\"foo\"} 3.0");
        assertMetric("controller_runtime_reconcile_errors_total{controller=\"foo\"} 3.0");
    }

    @SuppressWarnings("InfiniteRecursion")
    private Result recurse(Request request) {
        return recurse(request);
    }

    @Test
    void reconcilesWhatAnOperatorAsksForFirst() {
        Controller controller = controller(ControllerOptions.DEFAULTS);
        add("a", "b");
        queue.addAfter(key("c"), Duration.ofHours(1));
        controller.reconcileNow(key("c"));
        Work.begin(controller);
        waitForReconciles(3);
        assertThat(reconciled).containsExactly("c", "a", "b");
    }

    @Test
    void keepsTheQueuesKeyFromTheReconciler() {
        behaviours.put("a", request -> {
            request.setName("changed");
            throw new IllegalStateException("failed");
        });
        start(ControllerOptions.DEFAULTS);
        add("a");
        eventually(() -> assertThat(queue.snapshot().delayed()).containsOnlyKeys(key("a")));
    }

    @Test
    void takesNoResultForDone() {
        Controller controller = start(builder(ControllerOptions.DEFAULTS, nothing()));
        add("a");
        eventually(() -> assertThat(controller.snapshot().reconciles()).isEqualTo(1));
        assertThat(controller.snapshot().errors()).isZero();
    }

    @SuppressWarnings("NullAway") // what reconcilers written elsewhere may do
    private static Reconciler nothing() {
        return request -> null;
    }

    @Test
    void startsAndStopsAnyNumberOfTimes() throws Exception {
        Controller controller = start(ControllerOptions.DEFAULTS.withWorkers(4));
        for (int round = 0; round < 200; round++) {
            add("a" + round, "b" + round, "c" + round);
            Work.end(controller, Duration.ZERO);
            Work.begin(controller);
            Work.begin(controller);
        }
        eventually(() -> assertThat(Set.copyOf(reconciled)).hasSize(600));
        waitUntilSettled();
        assertThat(queue.size()).isZero();
        eventually(() -> assertThat(liveThreads()).hasSize(4));
        assertThat(controller.snapshot().errors()).isZero();
    }

    @Test
    void endsForGood() {
        behaviours.put("slow", request -> waitUntilInterrupted());
        Controller controller = start(ControllerOptions.DEFAULTS.withWorkers(3));
        add("slow");
        waitForReconciles(1);
        controller.close();
        eventually(() -> assertThat(liveThreads()).isEmpty());
        assertThat(registry.getMeters()).isEmpty();
        assertThat(queue.isShuttingDown()).isTrue();
        assertThatThrownBy(() -> Work.begin(controller))
                .hasMessageContaining("foo")
                .hasMessageContaining("closed");
        controller.close();
    }
}
