package io.controllermanager.controller.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.ResourceType;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.time.internal.VirtualTime;
import io.controllermanager.workqueue.internal.Causes;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Reconcilers that never return, ignore interrupts or throw Errors, beside a thousand that behave. */
class MisbehavingReconcilersTest {

    private static final int WORKERS = 4;
    private static final Duration GRACE = Duration.ofSeconds(5);

    private final VirtualTime time = new VirtualTime();
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final AtomicInteger begun = new AtomicInteger();
    private final CountDownLatch release = new CountDownLatch(1);
    private final Set<String> reconciled = ConcurrentHashMap.newKeySet();
    private final List<Controller> controllers = new ArrayList<>();

    @AfterEach
    void end() {
        release.countDown();
        controllers.forEach(Controller::close);
    }

    @Test
    void aPoolFullOfReconcilesThatNeverReturnIsFreeAgainAfterTheDefaultTimeLimit() {
        Controller controller = start(this::neverReturn);
        for (int i = 0; i < WORKERS; i++) {
            controller.enqueue(key("bad-" + i), 0, Causes.NONE);
        }
        await().until(() -> begun.get() == WORKERS);
        time.advance(Duration.ofMinutes(10));

        addGood(controller);
        awaitGood();
        assertMetric("controller_runtime_reconcile_timeouts_total", WORKERS);
        await().until(() -> controller.snapshot().failing() == WORKERS);
        assertMetric("controller_runtime_reconcile_errors_total", WORKERS);
        assertThat(controller.snapshot().stuck()).isEmpty();
    }

    @Test
    void aPoolFullOfReconcilesThatIgnoreInterruptsIsReplaced() {
        Controller controller = start(this::ignoreInterrupts);
        for (int i = 0; i < WORKERS; i++) {
            controller.enqueue(key("bad-" + i), 0, Causes.NONE);
        }
        await().until(() -> begun.get() == WORKERS);
        time.advance(Duration.ofMinutes(10));
        time.advance(GRACE);

        addGood(controller);
        awaitGood();
        assertMetric("controller_manager_stuck_workers", WORKERS);
        // The last good reconcile has said that it was there, and its worker is perhaps not done with it.
        await().untilAsserted(() -> assertMetric("controller_runtime_active_workers", WORKERS));
        ControllerSnapshot snapshot = controller.snapshot();
        assertThat(snapshot.liveWorkers()).isEqualTo(WORKERS);
        assertThat(snapshot.warning()).startsWith(WORKERS + " reconciles do not end, the oldest with ");
        assertThat(snapshot.restartReason()).isNull();
        release.countDown();
        await().until(() -> controller.snapshot().stuck().isEmpty());
        assertThat(controller.snapshot().liveWorkers()).isEqualTo(WORKERS);
    }

    @Test
    void errorsCostNoWorkerAndNoOtherKey() {
        Controller controller = start(request -> {
            throw switch (request.getName()) {
                case "bad-0" -> new OutOfMemoryError("not really");
                case "bad-1" -> new StackOverflowError("not really");
                case "bad-2" -> new NoClassDefFoundError("com/example/Missing");
                default -> new InternalError("not really");
            };
        });
        for (int i = 0; i < WORKERS; i++) {
            controller.enqueue(key("bad-" + i), 0, Causes.NONE);
        }
        addGood(controller);

        awaitGood();
        await().until(() -> controller.snapshot().failing() == WORKERS);
        assertMetric("controller_runtime_reconcile_panics_total", WORKERS);
        assertThat(controller.snapshot().liveWorkers()).isEqualTo(WORKERS);
        time.advance(Duration.ofMillis(5));
        await().untilAsserted(() -> assertMetric("controller_runtime_reconcile_panics_total", 2 * WORKERS));
    }

    private void addGood(Controller controller) {
        for (int i = 0; i < 1000; i++) {
            controller.enqueue(key("good-" + i), 0, Causes.NONE);
        }
    }

    private void awaitGood() {
        await().until(() -> reconciled.size() == 1000);
    }

    private interface Bad {
        Result on(Request request) throws InterruptedException;
    }

    private Controller start(Bad bad) {
        Reconciler reconciler = request -> {
            if (request.getName().startsWith("good")) {
                reconciled.add(request.getName());
                return new Result(false);
            }
            // By now its time limit runs.
            begun.incrementAndGet();
            try {
                return bad.on(request);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        };
        ControllerDescriptor descriptor = ControllerDescriptor.named("foo")
                .forType(ResourceType.namespaced(V1ConfigMap.class, "", "v1", "ConfigMap", "configmaps"))
                .options(ControllerOptions.DEFAULTS.withWorkers(WORKERS))
                .reconciler(reconciler)
                .build();
        Controller controller = new ControllerBuilder(descriptor, reconciler, time)
                .clock(time)
                .meterRegistry(registry)
                .interruptGrace(GRACE)
                .build();
        controllers.add(controller);
        Work.begin(controller);
        return controller;
    }

    private Result neverReturn(Request request) throws InterruptedException {
        release.await();
        return new Result(false);
    }

    private Result ignoreInterrupts(Request request) {
        while (true) {
            try {
                release.await();
                return new Result(false);
            } catch (InterruptedException ignored) {
                // that is the point
            }
        }
    }

    private static Request key(String name) {
        return new Request("default", name);
    }

    private void assertMetric(String name, int value) {
        assertThat(registry.scrape().lines()).contains(name + "{controller=\"foo\"} " + value + ".0");
    }
}
