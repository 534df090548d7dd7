package io.controllermanager.controller.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.ResourceType;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerDescriptor.ChannelSource;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.controller.QueueOptions;
import io.controllermanager.controller.RateLimiterOptions;
import io.controllermanager.event.EventChannel;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.VirtualTime;
import io.controllermanager.workqueue.internal.Causes;
import io.controllermanager.workqueue.internal.FailureTracker;
import io.controllermanager.workqueue.internal.WorkQueue;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a controller's options make of the order and the time in which keys come, in virtual time. */
class QueueingOptionsTest {

    private final VirtualTime time = new VirtualTime();
    private final List<String> reconciled = new CopyOnWriteArrayList<>();
    private final List<Controller> controllers = new ArrayList<>();
    private final EventChannel<String> channel = new EventChannel<>();

    @AfterEach
    void end() {
        controllers.forEach(Controller::close);
    }

    @Test
    void aKeyIsReconciledOncePerIntervalAndNoChangeIsLost() {
        Controller controller = controller(ControllerOptions.DEFAULTS.withMinInterval(Duration.ofSeconds(10)));
        Work.begin(controller);
        controller.enqueue(key("a"), WorkQueue.NORMAL_PRIORITY, Causes.NONE);
        awaitReconciled("a");
        for (int i = 0; i < 5; i++) {
            controller.enqueue(key("a"), WorkQueue.NORMAL_PRIORITY, Causes.NONE);
            await().until(() -> controller.snapshot().delayed() == 1
                    && controller.snapshot().queueDepth() == 0);
            time.advance(Duration.ofSeconds(1));
        }
        controller.enqueue(key("b"), WorkQueue.NORMAL_PRIORITY, Causes.NONE);
        awaitReconciled("a", "b");
        time.advance(Duration.ofMillis(4_999));
        // There is one worker: once it is through with c, it has dealt with a.
        controller.enqueue(key("a"), WorkQueue.NORMAL_PRIORITY, Causes.NONE);
        controller.enqueue(key("c"), WorkQueue.NORMAL_PRIORITY, Causes.NONE);
        awaitReconciled("a", "b", "c");
        time.advance(Duration.ofMillis(1));
        awaitReconciled("a", "b", "c", "a");

        time.advance(Duration.ofHours(1));
        controller.enqueue(key("d"), WorkQueue.NORMAL_PRIORITY, Causes.NONE);
        awaitReconciled("a", "b", "c", "a", "d");
        controller.enqueue(key("a"), WorkQueue.NORMAL_PRIORITY, Causes.NONE);
        awaitReconciled("a", "b", "c", "a", "d", "a");
        // Whoever asks for it by hand does not want to wait.
        controller.reconcileNow(key("a"));
        awaitReconciled("a", "b", "c", "a", "d", "a", "a");
    }

    @Test
    void aKeyAskedForByHandNeedNotWaitThoughAPauseGetsInBetween() {
        List<Runnable> atNextReading = new CopyOnWriteArrayList<>();
        Clock clock = new Clock() {
            @Override
            public long nanoTime() {
                if (Thread.currentThread().getName().startsWith("foo-worker-") && !atNextReading.isEmpty()) {
                    atNextReading.remove(0).run();
                }
                return time.nanoTime();
            }

            @Override
            public Instant now() {
                return time.now();
            }
        };
        Controller controller = controller(
                ControllerOptions.DEFAULTS.withMinInterval(Duration.ofHours(1)), clock, this::reconcileAtOnce);
        Work.begin(controller);
        controller.enqueue(key("a"), WorkQueue.NORMAL_PRIORITY, Causes.NONE);
        awaitReconciled("a");
        await().until(() -> controller.queueSnapshot().processing().isEmpty());

        // The worker reads the clock when all it has to do yet is to begin.
        atNextReading.add(() -> controller.pause(true));
        controller.reconcileNow(key("a"));
        await().until(() -> atNextReading.isEmpty()
                && controller.queueSnapshot().processing().isEmpty());
        assertThat(reconciled).containsExactly("a");
        Work.begin(controller);
        awaitReconciled("a", "a");
        await().until(() -> controller.queueSnapshot().processing().isEmpty());
        controller.enqueue(key("a"), WorkQueue.NORMAL_PRIORITY, Causes.NONE);
        await().until(() -> controller.snapshot().delayed() == 1);
    }

    @Test
    void failuresAreRememberedHoweverLongAReconcileTakesWithinItsTimeLimit() {
        Controller controller = controller(
                ControllerOptions.DEFAULTS.withBackoff(Duration.ofSeconds(1), Duration.ofSeconds(1)),
                time,
                this::failAtTheTimeLimit);
        Work.begin(controller);
        controller.enqueue(key("a"), WorkQueue.NORMAL_PRIORITY, Causes.NONE);
        for (int failures = 1; failures <= 5; failures++) {
            int expected = failures;
            await().until(() -> reconciled.size() == expected);
            time.advance(Duration.ofMinutes(10));
            await().until(() -> controller.snapshot().delayed() == 1);
            assertThat(controller.queueSnapshot().retries()).isEqualTo(Map.of(key("a"), failures));
            time.advance(Duration.ofSeconds(1));
        }
    }

    @Test
    void withoutPrioritiesAllKeysStandInOneLine() {
        Controller controller =
                controller(ControllerOptions.DEFAULTS.withQueue(QueueOptions.DEFAULTS.withPriorities(false)));
        controller.enqueue(key("initial"), WorkQueue.LOW_PRIORITY, Causes.NONE);
        controller.enqueue(key("edited"), WorkQueue.NORMAL_PRIORITY, Causes.NONE);
        Work.begin(controller);

        awaitReconciled("initial", "edited");
    }

    @Test
    void withFairnessNamespacesTakeTurns() {
        Controller controller =
                controller(ControllerOptions.DEFAULTS.withQueue(QueueOptions.DEFAULTS.withFairness(true)));
        for (String name : List.of("a1", "a2", "a3")) {
            controller.enqueue(new Request("a", name), WorkQueue.NORMAL_PRIORITY, Causes.NONE);
        }
        controller.enqueue(new Request("b", "b1"), WorkQueue.NORMAL_PRIORITY, Causes.NONE);
        Work.begin(controller);

        awaitReconciled("a1", "b1", "a2", "a3");
    }

    @Test
    void eventsFromOutsideBringKeysWhetherSentBeforeOrAfterTheStart() {
        assertThat(channel.send("early")).isTrue();
        Controller controller = controller(ControllerOptions.DEFAULTS);
        Work.begin(controller);
        var feed = controller.subscribe(new ChannelSource<>(channel, device -> {
            if (device.equals("broken")) {
                throw new IllegalStateException("cannot be mapped");
            }
            return Set.of(key(device));
        }));
        awaitReconciled("early");
        assertThat(channel.send("broken")).isTrue();
        assertThat(channel.send("late")).isTrue();
        awaitReconciled("early", "late");

        feed.close();
        assertThat(channel.send("held")).isTrue();
        assertThat(reconciled).containsExactly("early", "late");
    }

    @Test
    void eachRateLimiterWaitsAsItsKindDoes() {
        RateLimiterOptions seconds =
                RateLimiterOptions.DEFAULTS.withBackoff(Duration.ofSeconds(1), Duration.ofSeconds(60));
        assertThat(delays(seconds)).containsExactly(1.0, 2.0, 4.0, 8.0);
        assertThat(delays(seconds.withType(RateLimiterOptions.Type.FAST_SLOW).withFastAttempts(2)))
                .containsExactly(1.0, 1.0, 60.0, 60.0);
        assertThat(delays(seconds.withType(RateLimiterOptions.Type.BUCKET).withBucket(0.1, 1)))
                .containsExactly(1.0, 10.0, 20.0, 30.0);
        assertThat(delays(seconds.withJitter(0.5))).satisfies(jittered -> {
            assertThat(jittered.get(0)).isBetween(1.0, 1.5);
            assertThat(jittered.get(3)).isBetween(8.0, 12.0);
        });
    }

    @Test
    void nonsenseIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RateLimiterOptions.DEFAULTS.withBackoff(Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .withMessageContaining("maxBackoff");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RateLimiterOptions.DEFAULTS.withJitter(-0.1))
                .withMessageContaining("jitter");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RateLimiterOptions.DEFAULTS.withBucket(0, 1))
                .withMessageContaining("qps");
        for (double qps : new double[] {Double.POSITIVE_INFINITY, Double.NaN}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> RateLimiterOptions.DEFAULTS.withBucket(qps, 1))
                    .withMessageContaining("qps");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ControllerOptions.DEFAULTS.withMinInterval(Duration.ZERO))
                .withMessageContaining("minInterval");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new EventChannel<>(-1))
                .withMessageContaining("capacity");
    }

    private List<Double> delays(RateLimiterOptions options) {
        FailureTracker<String> limiter = new FailureTracker<>(time, Controller.backoff(options, time));
        List<Double> delays = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            delays.add(limiter.when("a").toMillis() / 1000.0);
        }
        return delays;
    }

    private Result reconcileAtOnce(Request request) {
        reconciled.add(request.getName());
        return new Result(false);
    }

    private Result failAtTheTimeLimit(Request request) {
        reconciled.add(request.getName());
        try {
            new CountDownLatch(1).await();
            return new Result(false);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private Controller controller(ControllerOptions options) {
        return controller(options, time, this::reconcileAtOnce);
    }

    private Controller controller(ControllerOptions options, Clock clock, Reconciler reconciler) {
        ControllerDescriptor descriptor = ControllerDescriptor.named("foo")
                .forType(ResourceType.namespaced(V1ConfigMap.class, "", "v1", "ConfigMap", "configmaps"))
                .options(options)
                .reconciler(request -> new Result(false))
                .build();
        Controller controller =
                new ControllerBuilder(descriptor, reconciler, time).clock(clock).build();
        controllers.add(controller);
        controller.pause(true);
        controller.shards().get(0).open();
        return controller;
    }

    private static Request key(String name) {
        return new Request("default", name);
    }

    private void awaitReconciled(String... names) {
        await().untilAsserted(() -> assertThat(reconciled).containsExactly(names));
    }
}
