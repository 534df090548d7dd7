package io.controllermanager.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.controllermanager.client.ResourceType;
import io.controllermanager.time.Timer;
import io.controllermanager.time.VirtualTime;
import io.controllermanager.workqueue.PriorityWorkQueue;
import io.controllermanager.workqueue.RateLimiter;
import io.controllermanager.workqueue.RateLimiters;
import io.controllermanager.workqueue.WorkQueue;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

@Timeout(60)
class ControllerTest {

    private static final ResourceType<V1ConfigMap> CONFIG_MAP =
            ResourceType.namespaced(V1ConfigMap.class, "", "v1", "ConfigMap", "configmaps");
    private static final Result DONE = new Result(false);
    private static final ControllerOptions UNLIMITED = ControllerOptions.DEFAULTS.withReconcileTimeout(null);
    private static final Duration GRACE = Duration.ofSeconds(5);

    private final VirtualTime time = new VirtualTime();
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final List<String> reconciled = new CopyOnWriteArrayList<>();
    private final Map<String, Function<Request, Result>> behaviours = new ConcurrentHashMap<>();
    private final List<Controller> controllers = new ArrayList<>();
    private final CountDownLatch release = new CountDownLatch(1);
    private final ListAppender<ILoggingEvent> logs = new ListAppender<>();

    private final WorkQueue<Request> queue = PriorityWorkQueue.<Request>named("foo")
            .clock(time)
            .timer(time)
            .meterRegistry(registry)
            .rateLimiter(RateLimiters.exponential(time, Duration.ofSeconds(1), Duration.ofSeconds(1000)))
            .build();

    @BeforeEach
    void listen() {
        logs.start();
        logger().addAppender(logs);
    }

    @AfterEach
    void end() {
        release.countDown();
        controllers.forEach(Controller::close);
        // What a worker still logs must not be taken for the next test's.
        eventually(() -> assertThat(liveThreads()).isEmpty());
        logger().detachAppender(logs);
    }

    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger(Controller.class);
    }

    @Test
    void reconcilesKeysAndForgetsThem() {
        Controller controller = start(ControllerOptions.DEFAULTS);
        add("a", "b");
        waitForReconciles(2);
        assertThat(reconciled).containsExactly("a", "b");
        eventually(() -> assertThat(controller.snapshot().reconciles()).isEqualTo(2));
        assertThat(controller.snapshot().errors()).isZero();
        assertThat(queue.delayed()).isZero();
        assertMetric("controller_runtime_reconcile_total{controller=\"foo\",result=\"success\"} 2.0");
        assertMetric("controller_runtime_reconcile_time_seconds_count{controller=\"foo\"} 2");
    }

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
        eventually(() -> assertThat(queue.delayed()).isEqualTo(1));
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
        eventually(() -> assertThat(controller.snapshot().failing()).isZero());
        assertThat(queue.numRequeues(key("bad"))).isZero();
        assertMetric("controller_runtime_reconcile_total{controller=\"foo\",result=\"error\"} 2.0");
        assertMetric("controller_runtime_reconcile_errors_total{controller=\"foo\"} 2.0");
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
        assertThat(queue.numRequeues(key("bad"))).isZero();
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
    void requeuesAsTheResultSays() {
        behaviours.put("again", request -> count("again") == 1 ? new Result(true) : DONE);
        behaviours.put("later", request -> count("later") == 1 ? new Result(true, Duration.ofMinutes(5)) : DONE);
        behaviours.put("not at all", request -> new Result(false, Duration.ofMinutes(5)));
        start(ControllerOptions.DEFAULTS);
        add("again", "later", "not at all");
        waitForReconciles(3);
        eventually(() -> assertThat(queue.snapshot().delayed())
                .isEqualTo(Map.of(key("again"), Duration.ofSeconds(1), key("later"), Duration.ofMinutes(5))));
        assertThat(queue.numRequeues(key("again"))).isEqualTo(1);
        assertThat(queue.numRequeues(key("later"))).isZero();
        time.advance(Duration.ofMinutes(5));
        waitForReconciles(5);
        eventually(() -> {
            assertMetric("controller_runtime_reconcile_total{controller=\"foo\",result=\"requeue\"} 1.0");
            assertMetric("controller_runtime_reconcile_total{controller=\"foo\",result=\"requeue_after\"} 1.0");
            assertMetric("controller_runtime_reconcile_total{controller=\"foo\",result=\"success\"} 3.0");
        });
    }

    @Test
    void interruptsAReconcileAtItsTimeLimit() {
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
        assertThat(end.join()).isEqualTo("interrupted");
        waitForReconciles(2);
        eventually(() -> assertThat(queue.delayed()).isEqualTo(1));
        assertMetric("controller_runtime_reconcile_timeouts_total{controller=\"foo\"} 1.0");
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
                .isEqualTo("a reconcile ignores its interruption, the oldest with default/stuck since "
                        + VirtualTime.START + " on thread foo-worker-1");

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
    void leavesNoInterruptToTheNextReconcile() {
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
        assertThat(interrupted.join()).isFalse();
    }

    @Test
    void letsRunningReconcilesEndWhenStopped() throws Exception {
        behaviours.put("slow", request -> waitUninterruptibly());
        Controller controller = start(UNLIMITED);
        add("slow", "waiting");
        waitForReconciles(1);
        CompletableFuture<Boolean> stop = stop(controller, Duration.ofMinutes(1));
        eventually(() -> assertThat(controller.snapshot().running()).isFalse());
        eventually(() -> assertThat(time.scheduledTasks()).isEqualTo(1));
        assertThat(stop.isDone()).isFalse();
        release.countDown();
        assertThat(stop.join()).isTrue();
        assertThat(reconciled).containsExactly("slow");
        assertThat(queue.size()).isEqualTo(1);
        eventually(() -> assertThat(liveThreads()).isEmpty());

        controller.startWorkers();
        waitForReconciles(2);
        assertThat(reconciled).containsExactly("slow", "waiting");
    }

    @Test
    void interruptsWhatHasNotEndedWhenTheDrainIsOver() {
        behaviours.put("slow", request -> waitUntilInterrupted());
        Controller controller = start(UNLIMITED);
        add("slow");
        waitForReconciles(1);
        CompletableFuture<Boolean> stop = stop(controller, Duration.ofMinutes(1));
        eventually(() -> assertThat(time.scheduledTasks()).isEqualTo(1));
        time.advance(Duration.ofMinutes(1));
        assertThat(stop.join()).isTrue();
        assertThat(queue.size()).as("put back").isEqualTo(1);
        assertThat(controller.snapshot().errors()).isZero();
        assertThat(queue.numRequeues(key("slow"))).isZero();
    }

    @Test
    void cutsADrainShortWhenThereIsNoMoreTime() throws Exception {
        behaviours.put("slow", request -> waitUntilInterrupted());
        Controller controller = start(UNLIMITED);
        add("slow");
        waitForReconciles(1);
        CompletableFuture<Boolean> drain = stop(controller, Duration.ofMinutes(1));
        eventually(() -> assertThat(time.scheduledTasks()).isEqualTo(1));

        controller.stopWorkers(Duration.ZERO);

        assertThat(drain.get(10, TimeUnit.SECONDS)).isTrue();
        assertThat(queue.size()).as("put back").isEqualTo(1);
    }

    @Test
    void drainsWhatWasRetiredBefore() {
        behaviours.put("slow", request -> waitUntilInterrupted());
        Controller controller = start(UNLIMITED);
        add("slow");
        waitForReconciles(1);
        controller.retireWorkers();

        CompletableFuture<Boolean> stop = stop(controller, Duration.ofMinutes(1));
        eventually(() -> assertThat(time.scheduledTasks()).isEqualTo(1));
        assertThat(stop.isDone()).isFalse();
        time.advance(Duration.ofMinutes(1));
        assertThat(stop.join()).isTrue();
        assertThat(queue.size()).as("put back").isEqualTo(1);
    }

    @Test
    void drainsWhatASmallerSizeHasRetired() {
        behaviours.put("1", request -> waitUntilInterrupted());
        behaviours.put("2", request -> waitUntilInterrupted());
        Controller controller = start(UNLIMITED.withWorkers(2));
        add("1", "2");
        waitForReconciles(2);
        controller.resize(1);

        CompletableFuture<Boolean> stop = stop(controller, Duration.ofMinutes(1));
        eventually(() -> assertThat(time.scheduledTasks()).isEqualTo(1));
        time.advance(Duration.ofMinutes(1));
        assertThat(stop.join()).isTrue();
        assertThat(queue.size()).as("both put back").isEqualTo(2);
    }

    @Test
    void aDrainDoesNotWaitForWhatIsStuck() {
        behaviours.put("stuck", request -> waitUninterruptibly());
        Controller controller = start(ControllerOptions.DEFAULTS.withReconcileTimeout(Duration.ofSeconds(30)));
        add("stuck");
        waitForReconciles(1);
        time.advance(Duration.ofSeconds(30));
        time.advance(GRACE);
        assertThat(controller.snapshot().stuck()).hasSize(1);

        assertThat(stop(controller, Duration.ofMinutes(1)))
                .succeedsWithin(Duration.ofSeconds(10))
                .isEqualTo(false);
    }

    @Test
    void closingInterruptsWhatWasRetiredBefore() {
        behaviours.put("slow", request -> waitUntilInterrupted());
        Controller controller = start(UNLIMITED);
        add("slow");
        waitForReconciles(1);
        controller.retireWorkers();
        controller.close();
        eventually(() -> assertThat(liveThreads()).isEmpty());
    }

    @Test
    void neverReconcilesMoreAtOnceThanThereAreWorkersAfterAPause() {
        behaviours.put("slow", request -> waitUninterruptibly());
        Controller controller = start(UNLIMITED);
        add("slow", "next");
        waitForReconciles(1);
        controller.retireWorkers();
        controller.startWorkers();
        assertThat(liveThreads()).as("the one whose reconcile goes on").hasSize(1);
        assertThat(controller.snapshot().liveWorkers()).isEqualTo(1);
        assertThat(controller.snapshot().restartReason()).isNull();
        assertThat(queue.size()).isEqualTo(1);

        release.countDown();
        waitForReconciles(2);
        eventually(() -> assertThat(liveThreads()).hasSize(1));
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
    void aRetiredWorkerThatIsStuckGivesItsPlaceToAnother() {
        behaviours.put("stuck", request -> waitUninterruptibly());
        Controller controller = start(ControllerOptions.DEFAULTS.withReconcileTimeout(Duration.ofSeconds(30)));
        add("stuck", "good");
        waitForReconciles(1);
        controller.retireWorkers();
        controller.startWorkers();
        time.advance(Duration.ofSeconds(30));
        time.advance(GRACE);
        waitForReconciles(2);
        assertThat(reconciled).containsExactly("stuck", "good");
    }

    @Test
    void workersStartedDuringADrainHaveTheirPlacesWhenItEnds() {
        behaviours.put("slow", request -> count("slow") == 1 ? waitUntilInterrupted() : DONE);
        Controller controller = start(UNLIMITED);
        add("slow", "next");
        waitForReconciles(1);
        CompletableFuture<Boolean> stop = stop(controller, Duration.ofMinutes(1));
        eventually(() -> assertThat(time.scheduledTasks()).isEqualTo(1));
        controller.startWorkers();
        assertThat(liveThreads()).hasSize(1);
        time.advance(Duration.ofMinutes(1));
        stop.join();
        waitForReconciles(3);
        assertThat(reconciled).containsExactly("slow", "next", "slow");
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
        WorkQueue<Request> limited = PriorityWorkQueue.<Request>named("limited")
                .clock(time)
                .timer(queueTimer)
                .rateLimiter(new BrokenLimiter())
                .build();
        Controller controller = Controller.of(descriptor(ControllerOptions.DEFAULTS), this::reconcile)
                .queue(limited)
                .clock(time)
                .timer(time)
                .threadFactory(task -> {
                    Thread thread = new Thread(task, "foo-worker-limited");
                    thread.setUncaughtExceptionHandler((dead, expected) -> {});
                    return thread;
                })
                .build();
        controllers.add(controller);
        controller.startWorkers();
        limited.add(key("bad"));
        waitForReconciles(1);
        eventually(() -> assertThat(limited.snapshot().processing()).isEmpty());
        eventually(() -> assertThat(liveThreads()).isEmpty());
        time.advance(Duration.ofSeconds(1));
        waitForReconciles(2);
        eventually(() -> assertThat(limited.snapshot().processing()).isEmpty());
        assertThat(limited.size()).isZero();
    }

    private static final class BrokenLimiter implements RateLimiter<Request> {

        @Override
        public Duration when(Request key) {
            throw new IllegalStateException("broken");
        }

        @Override
        public void forget(Request key) {}

        @Override
        public int numRequeues(Request key) {
            return 0;
        }
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
    void logsAMistakeInTheObjectInOneLine() {
        behaviours.put("bad", request -> {
            throw new TerminalException("spec.cidr is nonsense");
        });
        start(ControllerOptions.DEFAULTS);
        add("bad");
        eventually(() -> assertThat(messages(Level.WARN)).hasSize(1));
        assertThat(logs.list)
                .allSatisfy(event -> assertThat(event.getThrowableProxy()).isNull());
    }

    @Test
    void tellsThatAReconcileHasNotEnded() {
        behaviours.put("stuck", request -> waitUninterruptibly());
        Controller controller = start(UNLIMITED);
        add("stuck");
        waitForReconciles(1);
        CompletableFuture<Boolean> stop = stop(controller, Duration.ofSeconds(10));
        eventually(() -> assertThat(time.scheduledTasks()).isEqualTo(1));
        time.advance(Duration.ofSeconds(10));
        eventually(() -> assertThat(time.scheduledTasks()).isEqualTo(2));
        time.advance(Duration.ofSeconds(1));
        assertThat(stop.join()).isFalse();
        time.advance(GRACE);
        assertThat(controller.snapshot().stuck()).hasSize(1);

        // Others go on when the workers start again, and the key when its first reconcile has ended.
        add("stuck", "good");
        controller.startWorkers();
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
        controller.stopWorkers(Duration.ZERO);
        eventually(() -> assertThat(queue.size()).isEqualTo(1));
        assertThat(queue.snapshot().depthByPriority()).isEqualTo(Map.of(WorkQueue.LOW_PRIORITY, 1));
        assertThat(messages(Level.ERROR)).isEmpty();
        eventually(() -> assertThat(liveThreads()).isEmpty());
        assertThat(controller.stopWorkers(Duration.ZERO)).isTrue();

        add("edited");
        controller.startWorkers();
        waitForReconciles(3);
        assertThat(reconciled).containsExactly("slow", "edited", "slow");
    }

    @Test
    void beginsNoReconcileBehindAClosedGateAndKeepsPriorityAndFailures() {
        behaviours.put("bad", request -> {
            throw new IllegalStateException("not yet");
        });
        boolean[] open = {true};
        int[] asked = {0};
        Controller controller = Controller.of(descriptor(ControllerOptions.DEFAULTS), this::reconcile)
                .queue(queue)
                .gate(() -> {
                    asked[0]++;
                    return open[0];
                })
                .clock(time)
                .timer(time)
                .meterRegistry(registry)
                .build();
        controllers.add(controller);
        controller.startWorkers();
        add("bad");
        eventually(() -> assertThat(queue.delayed()).isEqualTo(1));
        open[0] = false;
        queue.add(key("bad"), WorkQueue.LOW_PRIORITY);

        eventually(() -> assertThat(asked[0]).isEqualTo(2));
        eventually(() -> assertThat(time.scheduledTasks()).isEqualTo(2));
        assertThat(queue.snapshot().depthByPriority()).isEqualTo(Map.of(WorkQueue.LOW_PRIORITY, 1));
        assertThat(queue.numRequeues(key("bad"))).isEqualTo(1);
        assertThat(controller.snapshot().failing()).isEqualTo(1);
        assertThat(controller.snapshot().reconciles()).isEqualTo(1);
        assertThat(controller.snapshot().errors()).isEqualTo(1);
        assertThat(reconciled).containsExactly("bad");
        assertMetric("controller_runtime_reconcile_time_seconds_count{controller=\"foo\"} 1");

        open[0] = true;
        time.advance(Duration.ofMillis(100));
        eventually(() -> assertThat(queue.numRequeues(key("bad"))).isEqualTo(2));
    }

    @Test
    void stopsAtOnceBehindAClosedGate() throws Exception {
        Controller controller = Controller.of(descriptor(ControllerOptions.DEFAULTS), this::reconcile)
                .queue(queue)
                .gate(() -> false)
                .clock(time)
                .timer(time)
                .build();
        controllers.add(controller);
        controller.startWorkers();
        add("a");
        eventually(() -> assertThat(time.scheduledTasks()).isEqualTo(1));

        controller.stopWorkers(Duration.ZERO);
        eventually(() -> assertThat(liveThreads()).isEmpty());
        assertThat(queue.size()).isEqualTo(1);
        assertThat(time.scheduledTasks()).isZero();
        assertThat(reconciled).isEmpty();
    }

    @Test
    void doesNotWaitForAWorkerThatHasNotBegunAndReconcilesNothingLater() {
        CountDownLatch atGate = new CountDownLatch(1);
        Controller controller = Controller.of(descriptor(ControllerOptions.DEFAULTS), this::reconcile)
                .queue(queue)
                .gate(() -> {
                    atGate.countDown();
                    waitUninterruptibly();
                    return true;
                })
                .clock(time)
                .timer(time)
                .build();
        controllers.add(controller);
        controller.startWorkers();
        add("a");
        eventually(() -> assertThat(atGate.getCount()).isZero());

        assertThat(stop(controller, Duration.ofMinutes(1)).join()).isTrue();
        release.countDown();

        eventually(() -> assertThat(liveThreads()).isEmpty());
        assertThat(reconciled).isEmpty();
        assertThat(queue.size()).isEqualTo(1);
    }

    @Test
    void waitsUntilWhatCameOfAReconcileHasBeenDealtWith() throws Exception {
        CountDownLatch settling = new CountDownLatch(1);
        WorkQueue<Request> slow = PriorityWorkQueue.<Request>named("slow")
                .clock(time)
                .timer(time)
                .rateLimiter(new RateLimiter<>() {
                    @Override
                    public Duration when(Request item) {
                        settling.countDown();
                        waitUninterruptibly();
                        return Duration.ofSeconds(1);
                    }

                    @Override
                    public void forget(Request item) {}

                    @Override
                    public int numRequeues(Request item) {
                        return 0;
                    }
                })
                .build();
        behaviours.put("bad", request -> {
            throw new IllegalStateException("not yet");
        });
        Controller controller = Controller.of(descriptor(ControllerOptions.DEFAULTS), this::reconcile)
                .queue(slow)
                .clock(time)
                .timer(time)
                .build();
        controllers.add(controller);
        controller.startWorkers();
        slow.add(key("bad"));
        eventually(() -> assertThat(settling.getCount()).isZero());

        assertThat(controller.stopWorkers(Duration.ZERO)).isFalse();
        CompletableFuture<Boolean> drained = stop(controller, Duration.ofMinutes(1));
        eventually(() -> assertThat(time.scheduledTasks()).isEqualTo(1));
        assertThat(drained).isNotDone();
        release.countDown();

        assertThat(drained.join()).isTrue();
        assertThat(slow.delayed()).isEqualTo(1);
    }

    @Test
    void startsAndStopsAnyNumberOfTimes() throws Exception {
        Controller controller = start(ControllerOptions.DEFAULTS.withWorkers(4));
        for (int round = 0; round < 200; round++) {
            add("a" + round, "b" + round, "c" + round);
            controller.stopWorkers(Duration.ZERO);
            controller.startWorkers();
            controller.startWorkers();
        }
        eventually(() -> assertThat(Set.copyOf(reconciled)).hasSize(600));
        eventually(() -> assertThat(queue.snapshot().processing()).isEmpty());
        assertThat(queue.size()).isZero();
        eventually(() -> assertThat(liveThreads()).hasSize(4));
        assertThat(controller.snapshot().errors()).isZero();
    }

    @Test
    void beginsNoReconcileWhileStopped() throws Exception {
        Controller controller = start(ControllerOptions.DEFAULTS);
        assertThat(stop(controller, Duration.ofSeconds(1)).join()).isTrue();
        add("a");
        assertThat(controller.snapshot().queueDepth()).isEqualTo(1);
        assertThat(controller.snapshot().running()).isFalse();
        eventually(() -> assertThat(liveThreads()).isEmpty());
        controller.startWorkers();
        waitForReconciles(1);
    }

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
    void reconcilesWhatAnOperatorAsksForFirst() {
        Controller controller = controller(ControllerOptions.DEFAULTS);
        add("a", "b");
        queue.addAfter(key("c"), Duration.ofHours(1));
        controller.reconcileNow(key("c"));
        controller.startWorkers();
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
        Controller controller = controller(ControllerOptions.DEFAULTS, nothing());
        controller.startWorkers();
        add("a");
        eventually(() -> assertThat(controller.snapshot().reconciles()).isEqualTo(1));
        assertThat(controller.snapshot().errors()).isZero();
    }

    @SuppressWarnings("NullAway") // what reconcilers written elsewhere may do
    private static Reconciler nothing() {
        return request -> null;
    }

    @Test
    void tellsTheReconcilersLogLinesWhatTheyAreAbout() {
        List<Map<String, String>> contexts = new CopyOnWriteArrayList<>();
        Function<Request, Result> remember = request -> {
            contexts.add(Map.copyOf(MDC.getCopyOfContextMap()));
            MDC.put("left behind", "by a reconciler");
            return DONE;
        };
        behaviours.put("a", remember);
        behaviours.put("b", remember);
        start(ControllerOptions.DEFAULTS);
        add("a", "b");
        eventually(() -> assertThat(contexts).hasSize(2));
        assertThat(contexts.get(0))
                .containsEntry("controller", "foo")
                .containsEntry("namespace", "default")
                .containsEntry("name", "a")
                .containsOnlyKeys("controller", "namespace", "name", "reconcileID");
        assertThat(contexts.get(1)).containsEntry("name", "b").hasSize(4);
        assertThat(contexts.get(0).get("reconcileID"))
                .isNotEqualTo(contexts.get(1).get("reconcileID"));
    }

    @Test
    void logsEachFailureOnceWithItsKeyAndStack() {
        behaviours.put("bad", request -> {
            throw new IllegalStateException("no");
        });
        start(ControllerOptions.DEFAULTS);
        add("bad");
        eventually(() -> assertThat(queue.delayed()).isEqualTo(1));
        time.advance(Duration.ofSeconds(1));
        eventually(() -> assertThat(messages(Level.ERROR)).hasSize(2));
        ILoggingEvent event = logs.list.get(0);
        assertThat(event.getThrowableProxy().getMessage()).isEqualTo("no");
        assertThat(event.getKeyValuePairs().stream().map(pair -> pair.key))
                .containsExactly("controller", "namespace", "name", "reconcileID", "cause");
        assertThat(event.getMDCPropertyMap())
                .as("structured formats refuse a name twice")
                .isEmpty();
    }

    @Test
    void logsAnUnreachableServerOnceForEachKey() {
        String[] message = {"Failed to connect"};
        behaviours.put("bad", request -> {
            if (count("bad") == 5) {
                return DONE;
            }
            throw new IllegalStateException(new IOException(message[0]));
        });
        Controller controller = start(ControllerOptions.DEFAULTS);
        add("bad");
        for (int i = 1; i <= 5; i++) {
            waitForReconciles(i);
            eventually(() -> assertThat(queue.snapshot().processing()).isEmpty());
            if (i == 2) {
                message[0] = "Connection reset";
            }
            // No further than to the next retry, or one after that might slip in.
            assertThat(time.advanceToNextTask()).isEqualTo(i < 5);
        }
        assertThat(messages(Level.WARN)).hasSize(2);
        assertThat(logs.list)
                .allSatisfy(event -> assertThat(event.getThrowableProxy()).isNull());
        assertThat(controller.snapshot().errors()).isEqualTo(4);
        add("bad");
        waitForReconciles(6);
        eventually(() -> assertThat(messages(Level.WARN)).hasSize(3));
    }

    @Test
    void observesEachReconcile() {
        List<Observation.Context> stopped = new CopyOnWriteArrayList<>();
        ObservationRegistry observations = ObservationRegistry.create();
        observations.observationConfig().observationHandler(new ObservationHandler<Observation.Context>() {
            @Override
            public void onStop(Observation.Context context) {
                stopped.add(context);
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        behaviours.put("bad", request -> {
            throw new IllegalStateException("no");
        });
        Controller controller = Controller.of(descriptor(ControllerOptions.DEFAULTS), this::reconcile)
                .queue(queue)
                .clock(time)
                .timer(time)
                .observationRegistry(observations)
                .build();
        controllers.add(controller);
        controller.startWorkers();
        add("good", "bad");
        eventually(() -> assertThat(stopped).hasSize(2));
        assertThat(stopped.get(0).getName()).isEqualTo("controller.reconcile");
        assertThat(stopped.get(0).getLowCardinalityKeyValues())
                .containsExactlyInAnyOrder(KeyValue.of("controller", "foo"), KeyValue.of("result", "success"));
        assertThat(stopped.get(1).getLowCardinalityKeyValues()).contains(KeyValue.of("result", "error"));
        assertThat(stopped.get(1).getError()).hasMessage("no");
        assertThat(registry.getMeters().stream().map(meter -> meter.getId().getName()))
                .allMatch(name -> name.startsWith("workqueue."));
    }

    @Test
    void hasItsMetersFromTheStartAndDescribesThem() {
        controller(ControllerOptions.DEFAULTS.withWorkers(3));
        for (String result : List.of("success", "error", "requeue", "requeue_after")) {
            assertMetric("controller_runtime_reconcile_total{controller=\"foo\",result=\"" + result + "\"} 0.0");
        }
        for (String name : List.of(
                "reconcile_errors_total",
                "reconcile_panics_total",
                "terminal_reconcile_errors_total",
                "reconcile_timeouts_total",
                "active_workers")) {
            assertMetric("controller_runtime_" + name + "{controller=\"foo\"} 0.0");
        }
        assertMetric("controller_runtime_max_concurrent_reconciles{controller=\"foo\"} 3.0");
        assertMetric("controller_runtime_reconcile_time_seconds_bucket{controller=\"foo\",le=\"60.0\"} 0");
        assertThat(registry.getMeters())
                .allSatisfy(meter -> assertThat(meter.getId().getDescription()).isNotBlank());
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
        assertThatThrownBy(controller::startWorkers).hasMessageContaining("foo").hasMessageContaining("closed");
        controller.close();
    }

    @Test
    void worksOnVirtualThreadsOrSaysThatThereAreNone() {
        CompletableFuture<String> thread = new CompletableFuture<>();
        ControllerBuilder builder = Controller.of(descriptor(ControllerOptions.DEFAULTS), request -> {
                    thread.complete(Thread.currentThread().toString());
                    return DONE;
                })
                .queue(queue)
                .clock(time)
                .timer(time)
                .virtualThreads(true);
        assertThat(Controller.virtualThreadsAvailable())
                .isEqualTo(Runtime.version().feature() >= 21);
        if (!Controller.virtualThreadsAvailable()) {
            assertThatThrownBy(builder::build)
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageStartingWith("virtual threads need Java 21 or later, this is 1");
            return;
        }
        Controller controller = builder.build();
        controllers.add(controller);
        controller.startWorkers();
        add("a");
        assertThat(thread.join()).startsWith("VirtualThread").contains("foo-worker-1");
    }

    @Test
    void triesAgainToStartAWorkerThatCouldNotBeStarted() {
        int[] attempts = {0};
        Controller controller = Controller.of(descriptor(ControllerOptions.DEFAULTS), this::reconcile)
                .queue(queue)
                .clock(time)
                .timer(time)
                .threadFactory(task -> {
                    if (++attempts[0] == 1) {
                        throw new OutOfMemoryError("unable to create native thread (made up)");
                    }
                    return new Thread(task, "foo-worker-late");
                })
                .build();
        controllers.add(controller);
        assertThat(controller.snapshot().restartReason()).isNull();
        controller.startWorkers();
        add("a");
        assertThat(controller.snapshot().restartReason()).isEqualTo("none of its workers has a living thread");
        time.advance(Duration.ofSeconds(1));
        waitForReconciles(1);
        assertThat(controller.snapshot().restartReason()).isNull();
    }

    @Test
    void noticesAThreadThatEndsWithoutItsWorker() {
        Controller controller = Controller.of(descriptor(ControllerOptions.DEFAULTS), this::reconcile)
                .queue(queue)
                .clock(time)
                .timer(time)
                .threadFactory(task -> new Thread(() -> {}, "foo-worker-dead"))
                .build();
        controllers.add(controller);
        controller.startWorkers();
        eventually(() -> assertThat(controller.snapshot().liveWorkers()).isZero());
        assertThat(controller.snapshot().restartReason()).isEqualTo("none of its workers has a living thread");
        assertThat(stop(controller, Duration.ofMinutes(1)).join()).isTrue();
    }

    private Controller start(ControllerOptions options) {
        Controller controller = controller(options);
        controller.startWorkers();
        return controller;
    }

    private Controller controller(ControllerOptions options) {
        return controller(options, this::reconcile);
    }

    private Controller controller(ControllerOptions options, Reconciler reconciler) {
        Controller controller = Controller.of(descriptor(options), reconciler)
                .queue(queue)
                .clock(time)
                .timer(time)
                .meterRegistry(registry)
                .interruptGrace(GRACE)
                .build();
        controllers.add(controller);
        return controller;
    }

    private ControllerDescriptor descriptor(ControllerOptions options) {
        return ControllerDescriptor.named("foo")
                .forType(CONFIG_MAP)
                .reconciler(this::reconcile)
                .options(options)
                .build();
    }

    private Result reconcile(Request request) {
        reconciled.add(request.getName());
        return behaviours.getOrDefault(request.getName(), ignored -> DONE).apply(request);
    }

    private void add(String... names) {
        for (String name : names) {
            queue.add(key(name));
        }
    }

    private static Request key(String name) {
        return new Request("default", name);
    }

    private long count(String name) {
        return reconciled.stream().filter(name::equals).count();
    }

    private Result waitUninterruptibly() {
        while (true) {
            try {
                release.await();
                return DONE;
            } catch (InterruptedException ignored) {
                // that is the point
            }
        }
    }

    private Result waitUntilInterrupted() {
        try {
            release.await();
            return DONE;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static CompletableFuture<Boolean> stop(Controller controller, Duration drain) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return controller.stopWorkers(drain);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
    }

    private void waitForReconciles(int count) {
        eventually(() -> assertThat(reconciled).hasSizeGreaterThanOrEqualTo(count));
    }

    private static void eventually(org.awaitility.core.ThrowingRunnable assertion) {
        ConditionFactory soon = await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1));
        soon.untilAsserted(assertion);
    }

    private void assertMetric(String line) {
        assertThat(registry.scrape().lines()).contains(line);
    }

    private List<String> messages(Level level) {
        return List.copyOf(logs.list).stream()
                .filter(event -> event.getLevel() == level)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    private static List<Thread> liveThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("foo-worker-"))
                .toList();
    }
}
