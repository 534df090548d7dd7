package io.controllermanager.controller.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.controllermanager.client.ResourceType;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.time.internal.VirtualTime;
import io.controllermanager.workqueue.internal.Backoff;
import io.controllermanager.workqueue.internal.FailureTracker;
import io.controllermanager.workqueue.internal.WorkQueue;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.slf4j.LoggerFactory;

/**
 * A controller called {@code foo} in virtual time, whose reconciler does with each key what the test says, and what is to
 * be seen of it: keys, meters, log lines, threads.
 */
abstract class ControllerFixture {

    private static final ResourceType<V1ConfigMap> CONFIG_MAP =
            ResourceType.namespaced(V1ConfigMap.class, "", "v1", "ConfigMap", "configmaps");
    static final Result DONE = new Result(false);
    static final ControllerOptions UNLIMITED = ControllerOptions.DEFAULTS.withReconcileTimeout(null);

    /** After how long an interrupted reconcile counts as stuck, in virtual time. */
    static final Duration GRACE = Duration.ofSeconds(5);

    final VirtualTime time = new VirtualTime();
    final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    final List<String> reconciled = new CopyOnWriteArrayList<>();
    final Map<String, Function<Request, Result>> behaviours = new ConcurrentHashMap<>();
    private final List<Controller> controllers = new ArrayList<>();
    final CountDownLatch release = new CountDownLatch(1);
    final ListAppender<ILoggingEvent> logs = new ListAppender<>();

    final WorkQueue<Request> queue = WorkQueue.<Request>named("foo")
            .clock(time)
            .timer(time)
            .meterRegistry(registry)
            .failures(new FailureTracker<>(time, Backoff.exponential(Duration.ofSeconds(1), Duration.ofSeconds(1000))))
            .build();

    @BeforeEach
    void listen() {
        logs.start();
        logger().setLevel(Level.INFO);
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

    static Logger logger() {
        return (Logger) LoggerFactory.getLogger(Controller.class);
    }

    /** Makes a controller and has its workers start. */
    Controller start(ControllerOptions options) {
        return start(builder(options));
    }

    /** Makes a controller of the test's own build and has its workers start. */
    Controller start(ControllerBuilder builder) {
        Controller controller = controller(builder);
        Work.begin(controller);
        return controller;
    }

    /** Makes a controller without workers. */
    Controller controller(ControllerOptions options) {
        return controller(builder(options));
    }

    /** Makes a controller of the test's own build, which is closed after the test. */
    Controller controller(ControllerBuilder builder) {
        Controller controller = builder.build();
        controllers.add(controller);
        return controller;
    }

    /** Begins a controller that does what {@link #behaviours} says. */
    ControllerBuilder builder(ControllerOptions options) {
        return builder(options, this::reconcile);
    }

    /** Begins a controller with this fixture's time, queue and meters. */
    ControllerBuilder builder(ControllerOptions options, Reconciler reconciler) {
        ControllerDescriptor descriptor = ControllerDescriptor.named("foo")
                .forType(CONFIG_MAP)
                .reconciler(reconciler)
                .options(options)
                .build();
        return new ControllerBuilder(descriptor, reconciler, time)
                .queue(queue)
                .term(shard -> true)
                .clock(time)
                .meterRegistry(registry)
                .interruptGrace(GRACE);
    }

    private Result reconcile(Request request) {
        reconciled.add(request.getName());
        return behaviours.getOrDefault(request.getName(), ignored -> DONE).apply(request);
    }

    void add(String... names) {
        for (String name : names) {
            queue.add(key(name));
        }
    }

    static Request key(String name) {
        return new Request("default", name);
    }

    long count(String name) {
        return reconciled.stream().filter(name::equals).count();
    }

    /** Waits until the test ends or {@link #release} is open, whatever interrupts. */
    Result waitUninterruptibly() {
        while (true) {
            try {
                release.await();
                return DONE;
            } catch (InterruptedException ignored) {
                // that is the point
            }
        }
    }

    /** Waits until the test ends or {@link #release} is open, or an interrupt comes. */
    Result waitUntilInterrupted() {
        try {
            release.await();
            return DONE;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** Stops the workers on a thread of its own. */
    static CompletableFuture<Boolean> stop(Controller controller, Duration drain) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return Work.end(controller, drain);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
    }

    void waitForReconciles(int count) {
        eventually(() -> assertThat(reconciled).hasSizeGreaterThanOrEqualTo(count));
    }

    /** Waits until no worker has a key: by then what came of each reconcile has been dealt with. */
    void waitUntilSettled() {
        eventually(() -> assertThat(queue.snapshot().processing()).isEmpty());
    }

    /** Waits for something that takes microseconds as a rule, hence the many looks. */
    static void eventually(ThrowingRunnable assertion) {
        await().pollInterval(Duration.ofMillis(1)).untilAsserted(assertion);
    }

    void assertMetric(String line) {
        assertThat(registry.scrape().lines()).contains(line);
    }

    List<String> messages(Level level) {
        return List.copyOf(logs.list).stream()
                .filter(event -> event.getLevel() == level)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    static List<Thread> liveThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("foo-worker-"))
                .toList();
    }
}
