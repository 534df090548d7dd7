package io.controllermanager.test;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.client.internal.connection.HttpSettings;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.informer.internal.InformerFactory;
import io.controllermanager.informer.internal.InformerOptions;
import io.controllermanager.manager.internal.Cluster;
import io.controllermanager.manager.internal.ControllerManager;
import io.controllermanager.manager.internal.ControllerRegistration;
import io.controllermanager.manager.internal.ControllerState;
import io.controllermanager.manager.internal.ControllerStatus;
import io.controllermanager.manager.internal.HostParts;
import io.controllermanager.manager.internal.Leadership;
import io.controllermanager.recorder.internal.EventBroadcaster;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.controllermanager.time.internal.Timer;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.ApiClient;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A controller manager for tests, without leader election and without Spring. It runs from its making until it is closed.
 *
 * <p>In virtual time its controllers' queues, retries, requeues and clock stand still until {@link #advance} moves them, and
 * {@link #settles} moves them past what is due within five seconds. Requests and watches go on in the machine's time. A
 * description with a state of its own serves one of these only. For use by one thread.
 */
public final class RunningManager implements AutoCloseable {

    /** What the API server takes the hosts of tests for: their {@code User-Agent}. */
    public static final String USER_AGENT = "controllers-under-test";

    private final SystemTimer timer = new SystemTimer("test-timer");
    private final @Nullable ApiServer server;
    private final @Nullable VirtualTime time;
    private final Runnable checkpoint;
    private final Runnable closed;
    private final ApiConnection connection;
    private final InformerFactory informers;
    private final EventBroadcaster events;
    private final ControllerManager manager;

    /**
     * What a host is made of.
     *
     * @param server null for another API server than the embedded one
     * @param namespaces those that it watches, empty for all
     * @param time null for the machine's
     * @param checkpoint called while it is waited for; what it throws ends the wait
     * @param closed called when it is closed
     */
    record Setup(
            ApiClient client,
            @Nullable ApiServer server,
            Set<String> namespaces,
            @Nullable VirtualTime time,
            Runnable checkpoint,
            Runnable closed) {}

    /**
     * Runs one controller for one namespace of any API server. Such a one can be looked at by {@link #status} and {@link
     * #awaitIdle}.
     */
    public RunningManager(ApiClient client, String namespace, ControllerDescriptor controller) {
        this(new Setup(client, null, Set.of(namespace), null, () -> {}, () -> {}), List.of(controller));
    }

    RunningManager(Setup setup, List<ControllerDescriptor> controllers) {
        server = setup.server();
        time = setup.time();
        checkpoint = setup.checkpoint();
        closed = setup.closed();
        connection = ApiConnection.builder(Clock.system(), timer)
                .apiClient(setup.client())
                .http(HttpSettings.DEFAULTS.withUserAgent(USER_AGENT))
                .build();
        informers = new InformerFactory(
                connection, Clock.system(), timer, InformerOptions.DEFAULTS.withNamespaces(setup.namespaces()));
        Timer queues = time == null ? timer : time;
        events = new EventBroadcaster(connection.eventClient(), clock(), "test");
        manager = new ControllerManager(HostParts.of(
                Leadership.always(connection.apiClient()),
                new Cluster(informers, connection.monitor()),
                controllers.stream().map(RunningManager::registered).toList(),
                events::recorder,
                clock(),
                queues));
        manager.start();
    }

    /** Without what comes by itself some hours later: a test that lets time pass counts what it has caused. */
    private static ControllerRegistration registered(ControllerDescriptor controller) {
        return new ControllerRegistration(controller, controller.options().withMaxInterval(null), true);
    }

    /** Runs controllers on the embedded API server, in the machine's time. */
    public static RunningManager start(ApiServer server, ControllerDescriptor... controllers) {
        return new RunningManager(
                new Setup(server.client(), server, Set.of(), null, () -> {}, () -> {}), List.of(controllers));
    }

    /**
     * Runs controllers on the embedded API server, in virtual time, which begins at the server's present. The server's
     * timestamps are of the same time.
     */
    public static RunningManager startInVirtualTime(ApiServer server, ControllerDescriptor... controllers) {
        VirtualTime time = new VirtualTime();
        time.shiftWallClock(Duration.between(time.now(), server.clock().instant()));
        server.setClock(time::now);
        Runnable closed = () -> {
            // Time goes on from here, so that nothing on the server is of the future.
            InstantSource machine = InstantSource.system();
            server.setClock(InstantSource.offset(machine, Duration.between(machine.instant(), time.now())));
        };
        return new RunningManager(
                new Setup(server.client(), server, Set.of(), time, () -> {}, closed), List.of(controllers));
    }

    /** The host, to operate or look at it. */
    public ControllerManager manager() {
        return manager;
    }

    /** The time that the controllers live in, and the embedded API server too. */
    public Clock clock() {
        return time == null ? Clock.system() : time;
    }

    /** What the first controller is doing. */
    public ControllerStatus status() {
        return manager.controllers().get(0);
    }

    /**
     * What a key of the first controller waits for, and why it was reconciled the last times and what that wrote; for messages
     * of tests.
     *
     * @param key {@code namespace/name}, or just the name of what lives in no namespace
     */
    public String explain(String key) {
        return Explanations.of(manager.explain(status().name(), Keys.parse(key)));
    }

    /** Waits until the controllers have converged. Virtual time moves past what is due within five seconds. */
    public void converges() {
        convergence().converge();
    }

    /**
     * As {@link Convergence#settles}: waits until the controllers have converged, and demands that a full resync causes no
     * write.
     */
    public void settles() {
        convergence().settle();
    }

    /**
     * Lets virtual time pass, and has the controllers converge each time that something falls due.
     *
     * @throws IllegalStateException if this one runs in the machine's time
     * @throws IllegalArgumentException for a negative duration
     */
    public void advance(Duration duration) {
        VirtualTime virtual = time;
        if (virtual == null) {
            throw new IllegalStateException("this manager runs in the machine's time: use startInVirtualTime");
        }
        if (duration.isNegative()) {
            throw new IllegalArgumentException("Time does not go back, but duration is " + duration);
        }
        converges();
        long end = virtual.nanoTime() + duration.toNanos();
        for (long left = end - virtual.nanoTime(); left > 0; left = end - virtual.nanoTime()) {
            Duration next = Objects.requireNonNullElse(virtual.untilNextTask(), duration);
            Duration world = server == null ? null : server.runWorld();
            next = world == null || world.compareTo(next) > 0 ? next : world;
            virtual.advance(Duration.ofNanos(Math.min(left, Math.max(1, next.toNanos()))));
            converges();
        }
    }

    private Convergence convergence() {
        ApiServer embedded = server;
        if (embedded == null) {
            throw new IllegalStateException("only the embedded API server tells what is written to it");
        }
        return new Convergence(manager, embedded, time, checkpoint);
    }

    /** Waits until at least so many reconciles have ended and there is nothing left to do. On any API server. */
    public void awaitIdle(long reconciles) {
        Patience.until(() -> {
            ControllerStatus status = status();
            return status.state() == ControllerState.RUNNING
                            && status.reconciles() >= reconciles
                            && status.queueDepth() + status.activeWorkers() + status.delayed() == 0
                    ? null
                    : new Patience.Reason(
                            "controller " + status.name() + " is not idle after " + reconciles + " reconciles: "
                                    + status,
                            true);
        });
    }

    @Override
    public void close() {
        manager.stop();
        events.close();
        informers.close();
        connection.close();
        timer.close();
        closed.run();
    }
}
