package io.controllermanager.controller.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.ResourceType;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.controller.EventSource;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.informer.Selection;
import io.controllermanager.informer.internal.delivery.EventSubscriber;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.VirtualTime;
import io.controllermanager.workqueue.internal.WorkQueue;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A name that is deleted and created again stands for another object, which begins anew; in virtual time. */
class RecreatedObjectTest {

    private static final ResourceType<V1ConfigMap> TYPE =
            ResourceType.namespaced(V1ConfigMap.class, "", "v1", "ConfigMap", "configmaps");
    private static final Request KEY = new Request("default", "a");
    private static final ControllerOptions BACKOFF = ControllerOptions.DEFAULTS
            .withReconcileTimeout(null)
            .withBackoff(Duration.ofSeconds(1), Duration.ofHours(1));

    private final VirtualTime time = new VirtualTime();
    private final AtomicInteger reconciles = new AtomicInteger();
    private final Semaphore mayEnd = new Semaphore(1_000);
    private final List<Controller> controllers = new ArrayList<>();
    private volatile boolean failing = true;

    @AfterEach
    void end() {
        mayEnd.release(1_000);
        controllers.forEach(Controller::close);
    }

    @Test
    void failuresOfTheOldOneDoNotCountForTheNewOne() {
        Controller controller = controller(BACKOFF);
        EventSubscriber<V1ConfigMap> events = failedThreeTimes(controller);
        controller.pause(true);
        replace(events);

        assertThat(controller.queueSnapshot().retries()).isEmpty();
        assertThat(controller.snapshot().failing()).isZero();
        assertThat(controller.queueSnapshot().delayedKeys()).isZero();
        Work.begin(controller);
        awaitFailures(controller, 4, 1);
        time.advance(Duration.ofSeconds(1));
        awaitFailures(controller, 5, 2);
    }

    @Test
    void anEditAndATakeoverLeaveFailuresAlone() {
        Controller controller = controller(BACKOFF);
        EventSubscriber<V1ConfigMap> events = failedThreeTimes(controller);
        events.onEvent(new ResourceEvent.Updated<>(object("old", "1"), object("old", "2")));
        awaitFailures(controller, 4, 4);
        events.onEvent(new ResourceEvent.Created<>(object("old", "2"), true));
        awaitFailures(controller, 5, 5);
    }

    @Test
    void aRetryOfTheOldOneIsMadeAtThePriorityOfTheNewOne() {
        Controller controller = controller(BACKOFF);
        Work.begin(controller);
        controller.reconcileNow(KEY);
        awaitFailures(controller, 1, 1);
        controller.pause(true);
        replace(subscriber(controller));

        awaitDepths(controller, Map.of(WorkQueue.NORMAL_PRIORITY, 1));
        time.advance(Duration.ofSeconds(1));
        awaitDepths(controller, Map.of(WorkQueue.NORMAL_PRIORITY, 1));
    }

    @Test
    void whatComesOfAReconcileThatBeganBeforeDoesNotCount() {
        Controller controller = controller(BACKOFF);
        mayEnd.drainPermits();
        Work.begin(controller);
        controller.reconcileNow(KEY);
        await().until(() -> reconciles.get() == 1);
        replace(subscriber(controller));
        controller.pause(true);
        mayEnd.release();
        await().until(() -> controller.snapshot().activeWorkers() == 0
                && controller.queueSnapshot().processing().isEmpty());

        assertThat(controller.snapshot().errors()).isEqualTo(1);
        assertThat(controller.snapshot().failing()).isZero();
        assertThat(controller.queueSnapshot().retries()).isEmpty();
        time.advance(Duration.ofSeconds(1));
        assertThat(controller.queueSnapshot().depthByPriority()).isEqualTo(Map.of(WorkQueue.NORMAL_PRIORITY, 1));
    }

    @Test
    void norDoesOneThatHasEndedAndIsBeingSettled() {
        failing = false;
        AtomicReference<@Nullable Controller> settling = new AtomicReference<>();
        Controller controller =
                controller(ControllerOptions.DEFAULTS.withMinInterval(Duration.ofHours(1)), new Clock() {
                    @Override
                    public long nanoTime() {
                        // The worker asks for the time once more when the reconcile has ended, while it still has the
                        // key.
                        boolean worker = Thread.currentThread().getName().contains("worker");
                        Controller asked = worker && reconciles.get() == 1 ? settling.getAndSet(null) : null;
                        if (asked != null && asked.snapshot().reconciling() == 0) {
                            replace(subscriber(asked));
                        } else if (asked != null) {
                            settling.set(asked);
                        }
                        return time.nanoTime();
                    }

                    @Override
                    public Instant now() {
                        return time.now();
                    }
                });
        settling.set(controller);
        EventSubscriber<V1ConfigMap> events = subscriber(controller);
        Work.begin(controller);
        events.onEvent(new ResourceEvent.Created<>(object("old", "1"), false));

        await().until(() -> reconciles.get() == 2 && idle(controller));
    }

    @Test
    void theNewOneDoesNotWaitForTheIntervalOfTheOldOne() {
        failing = false;
        Controller controller = controller(ControllerOptions.DEFAULTS.withMinInterval(Duration.ofHours(1)));
        EventSubscriber<V1ConfigMap> events = subscriber(controller);
        Work.begin(controller);
        events.onEvent(new ResourceEvent.Created<>(object("old", "1"), false));
        await().until(() -> reconciles.get() == 1 && idle(controller));
        controller.pause(true);
        replace(events);
        Work.begin(controller);
        await().until(() -> reconciles.get() == 2 && idle(controller));

        // And again while it is reconciled.
        time.advance(Duration.ofHours(1));
        mayEnd.drainPermits();
        events.onEvent(new ResourceEvent.Updated<>(object("new", "2"), object("new", "3")));
        await().until(() -> reconciles.get() == 3);
        replace(events);
        mayEnd.release(2);
        await().until(() -> reconciles.get() == 4 && idle(controller));

        // The interval holds for the new one as for any other.
        events.onEvent(new ResourceEvent.Updated<>(object("new", "2"), object("new", "3")));
        await().until(() -> controller.snapshot().delayed() == 1 && idle(controller));
        assertThat(reconciles).hasValue(4);
    }

    @Test
    void anOwnedObjectThatIsCreatedAnewIsNotTheOneThatFails() {
        Controller controller = controller(BACKOFF);
        failedThreeTimes(controller);
        controller.pause(true);
        EventSubscriber<V1ConfigMap> owned = controller.subscriberFor(
                new EventSource<>(Selection.of(TYPE), object -> java.util.Set.of(KEY), event -> true));
        replace(owned);

        assertThat(controller.queueSnapshot().retries()).isEqualTo(Map.of(KEY, 3));
    }

    private EventSubscriber<V1ConfigMap> failedThreeTimes(Controller controller) {
        EventSubscriber<V1ConfigMap> events = subscriber(controller);
        Work.begin(controller);
        events.onEvent(new ResourceEvent.Created<>(object("old", "1"), false));
        awaitFailures(controller, 1, 1);
        time.advance(Duration.ofSeconds(1));
        awaitFailures(controller, 2, 2);
        time.advance(Duration.ofSeconds(2));
        awaitFailures(controller, 3, 3);
        return events;
    }

    private static void replace(EventSubscriber<V1ConfigMap> events) {
        events.onEvent(new ResourceEvent.Deleted<>(object("old", "1"), true));
        events.onEvent(new ResourceEvent.Created<>(object("new", "2"), false));
    }

    /** A worker that is being retired may have the key in its hands for a moment, until it puts it back. */
    private static void awaitDepths(Controller controller, Map<Integer, Integer> depths) {
        await().untilAsserted(() ->
                assertThat(controller.queueSnapshot().depthByPriority()).isEqualTo(depths));
    }

    private void awaitFailures(Controller controller, int expected, int counted) {
        await().untilAsserted(() -> {
            assertThat(reconciles).hasValue(expected);
            assertThat(controller.snapshot().delayed()).isEqualTo(1);
            assertThat(controller.queueSnapshot().retries()).isEqualTo(Map.of(KEY, counted));
            assertThat(controller.queueSnapshot().processing()).isEmpty();
        });
    }

    private static boolean idle(Controller controller) {
        return controller.snapshot().queueDepth() == 0
                && controller.queueSnapshot().processing().isEmpty();
    }

    private Result reconcile(Request request) {
        reconciles.incrementAndGet();
        mayEnd.acquireUninterruptibly();
        if (failing) {
            throw new IllegalStateException("not yet");
        }
        return new Result(false);
    }

    private Controller controller(ControllerOptions options) {
        return controller(options, time);
    }

    private Controller controller(ControllerOptions options, Clock clock) {
        ControllerDescriptor descriptor = descriptor(options);
        Controller controller = new ControllerBuilder(descriptor, this::reconcile, time)
                .clock(clock)
                .build();
        controllers.add(controller);
        return controller;
    }

    private ControllerDescriptor descriptor(ControllerOptions options) {
        return ControllerDescriptor.named("foo")
                .forType(TYPE)
                .options(options)
                .reconciler(this::reconcile)
                .build();
    }

    /** What the host subscribes to the informer of the type that the controller is for. */
    @SuppressWarnings("unchecked")
    private EventSubscriber<V1ConfigMap> subscriber(Controller controller) {
        EventSource<V1ConfigMap> primary = (EventSource<V1ConfigMap>)
                descriptor(ControllerOptions.DEFAULTS).sources().get(0);
        return controller.subscriberFor(primary);
    }

    private static V1ConfigMap object(String uid, String resourceVersion) {
        return new V1ConfigMap()
                .metadata(new V1ObjectMeta()
                        .namespace("default")
                        .name("a")
                        .uid(uid)
                        .resourceVersion(resourceVersion));
    }
}
