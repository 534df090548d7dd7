package io.controllermanager.manager;

import io.controllermanager.client.ApiServerMonitor;
import io.controllermanager.client.Registration;
import io.controllermanager.client.WriteFence;
import io.controllermanager.client.WriteObserver;
import io.controllermanager.controller.Controller;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.controller.ControllerSnapshot;
import io.controllermanager.informer.InformerFactory;
import io.controllermanager.informer.InformerStatus;
import io.controllermanager.leaderelection.ElectorGroup;
import io.controllermanager.leaderelection.LeaderElector;
import io.controllermanager.leaderelection.LeadershipStatus;
import io.controllermanager.recorder.EventRecorder;
import io.controllermanager.time.Clock;
import io.controllermanager.time.Timer;
import io.controllermanager.workqueue.QueueSnapshot;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.ApiClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The host of controllers. In its order: the API server serves a controller's types; its reconciler and informers are
 * made; their caches are synced; this process leads; the controller's workers run. Each controller goes this way by
 * itself, so that one that waits or fails keeps no other from running. Stopping goes the reverse way: running reconciles
 * end, the Lease is released, informers stop.
 *
 * <p>A standby does everything but reconcile, so that the first reconcile follows the acquisition at once. On loss of
 * leadership workers are interrupted and the process stands by with warm caches; when it leads again every key is looked
 * at again, behind live changes. As kube-controller-manager and controller-runtime's {@code pkg/manager}, which leave the
 * process instead.
 *
 * <p>Leadership is the host's, by one Lease, or each controller's by a Lease of its own, so that several processes share the
 * controllers among them ({@link Builder#leaderElectors}).
 *
 * <p>All methods may be called by any thread. Threads are named {@code controller-manager-…} and end with {@link #stop}.
 */
public final class ControllerManager implements ControllerOperations {

    private final HostParts parts;
    private volatile HostLoop host;
    private volatile boolean running;

    /** Null while stopped; guarded by this object's monitor, which orders starts and stops. */
    private @Nullable ControllerStateMeters states;

    private ControllerManager(HostParts parts) {
        this.parts = parts;
        this.host = new HostLoop(parts);
    }

    /** Begins a host. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Starts and returns at once; what takes time is done on the host's own threads. May be called again after {@link
     * #stop}.
     *
     * @throws IllegalStateException if started already
     */
    public synchronized void start() {
        if (running) {
            throw new IllegalStateException("The controller manager is started already");
        }
        HostLoop started = new HostLoop(parts);
        host = started;
        running = true;
        states = new ControllerStateMeters(parts.meters(), started);
        started.start();
    }

    /**
     * Stops in the reverse order and returns when that is done: no reconcile begins any more, running ones end or are
     * interrupted once the shutdown timeout has passed, keys that are queued are left, then the Lease is released and the
     * informers stop. Takes no longer than the shutdown timeout and a few seconds, whatever reconcilers do; an API server
     * that does not answer may add the renew deadline. Does nothing if not started.
     */
    public synchronized void stop() {
        if (running) {
            running = false;
            host.stop();
            if (states != null) {
                states.close();
                states = null;
            }
        }
    }

    /** Whether it is started and not stopped. */
    public boolean isRunning() {
        return running;
    }

    @Override
    public List<ControllerStatus> controllers() {
        return host.controllers().stream().map(HostedController::status).toList();
    }

    @Override
    public void pause(String name) {
        current().wish(name, ControllerLife.Wish.PAUSE);
    }

    @Override
    public void resume(String name) {
        current().wish(name, ControllerLife.Wish.RUN);
    }

    @Override
    public void resize(String name, int workers) {
        ControllerOptions.checkWorkers(workers);
        current().running(name).resize(workers);
    }

    @Override
    public void reconcileNow(String name, Request key) {
        current().running(name).reconcileNow(key);
    }

    /**
     * Has each controller that works look at every object of its sources once more, behind live changes, as a resync of
     * client-go's informers does. Returns when all are queued. Leaves out controllers that bring their own workers.
     *
     * @throws IllegalStateException if this is not running
     */
    public void resync() {
        current().controllers().forEach(HostedController::resync);
    }

    @Override
    public QueueSnapshot<Request> queue(String name) {
        return current().running(name).controller().queueSnapshot();
    }

    @Override
    public List<ReconcileFailure> failures(String name) {
        return current().running(name).controller().recentFailures().stream()
                .map(ReconcileFailure::of)
                .toList();
    }

    @Override
    public void stopController(String name) {
        current().stop(name);
    }

    @Override
    public void startController(String name) {
        current().start(name);
    }

    private HostLoop current() {
        if (!running) {
            throw new IllegalStateException("the controller manager is not running");
        }
        return host;
    }

    /** How each informer is. */
    public List<InformerStatus> informers() {
        return parts.cluster().informers();
    }

    /**
     * How leadership is; a host without leader election always leads while it runs. Where each controller has a Lease of its
     * own, of all together: {@code leading} says whether this process holds any.
     */
    public LeadershipStatus leadership() {
        return parts.leadership().status(running);
    }

    /** How leadership is for each controller that has a Lease of its own, by its name; empty where the host has one. */
    public Map<String, LeadershipStatus> leaderships() {
        return parts.leadership().statuses();
    }

    /**
     * Unhealthy only if a restart of the process would help: the election is stuck, or a controller's workers are dead or
     * many of its reconciles stuck (see {@link io.controllermanager.controller.ControllerSnapshot#restartReason}).
     */
    public HealthReport liveness() {
        List<String> reasons = new ArrayList<>(parts.leadership().stuck());
        List<String> warnings = new ArrayList<>();
        if (running) {
            addOf(controller -> controller.ofWork(ControllerSnapshot::restartReason), reasons);
            addOf(controller -> controller.ofWork(ControllerSnapshot::warning), warnings);
        }
        return HealthReport.of(reasons, warnings);
    }

    /**
     * Healthy once every enabled controller could work, its types served and its caches filled, on a standby as on the
     * leader: a rollout that brings a controller before its CRD has not succeeded. One that waits for a type does not count
     * where its options say so. One that failed counts, and so does an API server or Lease that cannot be reached from the
     * start, and a permission without which this process cannot lead when it should.
     */
    public HealthReport readiness() {
        if (!running) {
            return HealthReport.of(List.of("the controller manager is not running"));
        }
        List<String> reasons = new ArrayList<>();
        addOf(HostedController::notReadyBecause, reasons);
        reasons.addAll(parts.leadership().outOfReach());
        return HealthReport.of(reasons);
    }

    private void addOf(Function<HostedController, @Nullable String> problem, List<String> sentences) {
        for (HostedController controller : host.controllers()) {
            String found = problem.apply(controller);
            if (found != null) {
                sentences.add("controller " + controller.name() + ": " + found);
            }
        }
    }

    /** Collects the parts of a host. Not safe for use by several threads. */
    public static final class Builder {

        private @Nullable ApiClient apiClient;
        private @Nullable ApiClient unfencedApiClient;
        private @Nullable InformerFactory informerFactory;
        private @Nullable Cluster cluster;
        private Function<Runnable, Registration> recovery = listener -> () -> {};
        private Function<WriteObserver, Registration> writes = observer -> () -> {};
        private @Nullable LeaderElector elector;
        private @Nullable ElectorGroup electorGroup;
        private @Nullable Function<WriteFence, ApiClient> fencedClients;
        private final List<ControllerRegistration> controllers = new ArrayList<>();
        private @Nullable MeterRegistry meters;
        private ObservationRegistry observations = ObservationRegistry.NOOP;
        private Clock clock = Clock.system();
        private @Nullable Timer timer;
        private Duration shutdownTimeout = Duration.ofSeconds(30);
        private boolean virtualThreads;
        private @Nullable Function<String, EventRecorder> recorders;
        private @Nullable Runnable onLeadershipLost;
        private @Nullable Runnable onUnrestartable;
        private Consumer<String> onEssentialFailed = reason -> {};

        private Builder() {}

        /** The client that controllers are given: limited, fenced and counted. Must be given. */
        public Builder apiClient(ApiClient newApiClient) {
            this.apiClient = newApiClient;
            return this;
        }

        /**
         * The client of controllers that need no leader, which must be able to write on a standby too. The other client
         * unless given.
         */
        public Builder unfencedApiClient(ApiClient newUnfencedApiClient) {
            this.unfencedApiClient = newUnfencedApiClient;
            return this;
        }

        /** Makes the informers. The host starts and stops all that are in it. Must be given. */
        public Builder informerFactory(InformerFactory newInformerFactory) {
            this.informerFactory = newInformerFactory;
            return this;
        }

        Builder cluster(Cluster newCluster) {
            this.cluster = newCluster;
            return this;
        }

        /** Tells when the API server is back, so that what failed is tried again at once. */
        public Builder monitor(ApiServerMonitor monitor) {
            return recovery(monitor::onRecovery);
        }

        Builder recovery(Function<Runnable, Registration> newRecovery) {
            this.recovery = newRecovery;
            return this;
        }

        /** Shows observers the writes of the clients that controllers are given; nobody is shown any unless given. */
        public Builder observedWrites(Function<WriteObserver, Registration> newWrites) {
            this.writes = newWrites;
            return this;
        }

        /** Decides when this process leads; the host starts and stops it. Without one it always leads. */
        public Builder leaderElector(@Nullable LeaderElector newElector) {
            this.elector = newElector;
            return this;
        }

        /**
         * Decides for each controller by itself whether this process works on it, instead of {@link #leaderElector}; the host
         * starts and stops it. It must have an elector for each controller that is switched on and needs a leader. The client
         * that controllers share should be fenced by {@link ElectorGroup#fence}.
         *
         * @param newFencedClients makes the client that a controller is given, with a fence of its own
         */
        public Builder leaderElectors(ElectorGroup electors, Function<WriteFence, ApiClient> newFencedClients) {
            this.electorGroup = electors;
            this.fencedClients = newFencedClients;
            return this;
        }

        /** Adds a controller. */
        public Builder controller(ControllerRegistration registration) {
            controllers.add(registration);
            return this;
        }

        /** Adds controllers. */
        public Builder controllers(List<ControllerRegistration> registrations) {
            controllers.addAll(registrations);
            return this;
        }

        /** Where meters go; nowhere unless given. */
        public Builder meterRegistry(MeterRegistry newMeters) {
            this.meters = newMeters;
            return this;
        }

        /** Who observes each reconcile; nobody unless given. */
        public Builder observationRegistry(ObservationRegistry newObservations) {
            this.observations = newObservations;
            return this;
        }

        /** The time; the machine's unless given. */
        public Builder clock(Clock newClock) {
            this.clock = newClock;
            return this;
        }

        /** Calls back for delays and time limits. Must be given, and outlive the host. */
        public Builder timer(Timer newTimer) {
            this.timer = newTimer;
            return this;
        }

        /** How long running reconciles may go on when the host stops; 30 seconds unless given, zero for not at all. */
        public Builder shutdownTimeout(Duration newShutdownTimeout) {
            if (newShutdownTimeout.isNegative()) {
                throw new IllegalArgumentException(
                        "shutdownTimeout must not be negative, but is " + newShutdownTimeout);
            }
            this.shutdownTimeout = newShutdownTimeout;
            return this;
        }

        /** Whether workers are virtual threads, which needs Java 21 or later; not unless said. */
        public Builder virtualThreads(boolean newVirtualThreads) {
            this.virtualThreads = newVirtualThreads;
            return this;
        }

        /** Makes the recorder of Events for a controller's name. Its owner flushes it after {@link #stop}. */
        public Builder eventRecorders(Function<String, EventRecorder> newRecorders) {
            this.recorders = newRecorders;
            return this;
        }

        /**
         * What else to do when leadership is lost while running, such as ending the process with exit code 2. Called once
         * per loss, on a thread of its own, after the workers were told to stop. Nothing unless given: the process
         * stands by.
         */
        public Builder onLeadershipLost(@Nullable Runnable newOnLeadershipLost) {
            this.onLeadershipLost = newOnLeadershipLost;
            return this;
        }

        /**
         * What to do when leadership is lost while a controller was running that cannot be run again (client-java's,
         * other than its {@code DefaultController}): such a process is of use only after a restart. Without it that
         * controller is shown as failed.
         */
        public Builder onUnrestartable(@Nullable Runnable newOnUnrestartable) {
            this.onUnrestartable = newOnUnrestartable;
            return this;
        }

        /**
         * Told, with the reason in one line, when a controller has failed that is {@link
         * io.controllermanager.controller.ControllerOptions#essential}: the process is to end. Nothing happens unless
         * given. Called on a thread of its own.
         */
        public Builder onEssentialFailed(Consumer<String> newOnEssentialFailed) {
            this.onEssentialFailed = newOnEssentialFailed;
            return this;
        }

        /**
         * Makes the host; nothing is started.
         *
         * @throws IllegalStateException if a part is missing, two controllers have the same name, or the JVM has no virtual
         *     threads though workers are to be some
         */
        public ControllerManager build() {
            Set<String> names = new TreeSet<>();
            for (ControllerRegistration controller : controllers) {
                if (!names.add(controller.name())) {
                    throw new IllegalStateException("two controllers have the name \"" + controller.name() + "\"");
                }
            }
            if (virtualThreads && !Controller.virtualThreadsAvailable()) {
                throw new IllegalStateException("virtual threads need Java 21 or later, this is " + Runtime.version());
            }
            ApiClient client = required("apiClient", apiClient);
            ApiClient unfenced = unfencedApiClient == null ? client : unfencedApiClient;
            return new ControllerManager(new HostParts(
                    new Leadership(
                            electorGroup == null ? elector : null, electorGroup, fencedClients, client, unfenced),
                    cluster == null ? Cluster.of(required("informerFactory", informerFactory)) : cluster,
                    recovery,
                    writes,
                    List.copyOf(controllers),
                    Objects.requireNonNullElseGet(meters, CompositeMeterRegistry::new),
                    observations,
                    clock,
                    required("timer", timer),
                    shutdownTimeout,
                    virtualThreads,
                    required("eventRecorders", recorders),
                    onLeadershipLost,
                    onUnrestartable,
                    onEssentialFailed));
        }

        private static <T> T required(String part, @Nullable T value) {
            if (value == null) {
                throw new IllegalStateException("a controller manager needs " + part);
            }
            return value;
        }
    }
}
