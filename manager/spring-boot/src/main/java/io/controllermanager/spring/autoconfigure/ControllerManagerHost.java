package io.controllermanager.spring.autoconfigure;

import io.controllermanager.client.internal.access.ApiAccess;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.informer.internal.InformerStatus;
import io.controllermanager.informer.internal.reflector.ReflectorStatus;
import io.controllermanager.leaderelection.internal.LeadershipStatus;
import io.controllermanager.manager.internal.ControllerManager;
import io.controllermanager.manager.internal.ControllerOperations;
import io.controllermanager.manager.internal.ControllerRegistration;
import io.controllermanager.manager.internal.ControllerState;
import io.controllermanager.manager.internal.ControllerStatus;
import io.controllermanager.manager.internal.HealthReport;
import io.controllermanager.manager.internal.ShardStatus;
import io.controllermanager.spring.actuate.endpoint.DividedDescriptor;
import io.controllermanager.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Runs the controllers in the application's life cycle. Starts after and stops before the web server, so that probes and
 * metrics answer while running reconciles end. How long stopping may take is the host's own time limit; Spring's per
 * phase does not cut it short, since {@link #stop()} returns only when all is done.
 */
public final class ControllerManagerHost implements SmartLifecycle {

    /** After the web server, whose graceful shutdown is in {@code DEFAULT_PHASE - 1024}. */
    public static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 512;

    private static final Logger log = LoggerFactory.getLogger(ControllerManagerHost.class);

    private final List<ControllerRegistration> registrations;
    private final ApiConnection connection;
    private final Supplier<ApiAccess> access;
    private final LeaseClaims claims;
    private final Function<ApiAccess, ControllerManager> factory;
    private final Duration informerDisconnectTimeout;
    private final boolean readyWithoutRights;

    private volatile Set<String> claimed = Set.of();

    private final HeapAlarm heapAlarm = new HeapAlarm(this::informers, HeapAlarm.NEARLY_FULL, Clock.system());

    private volatile @Nullable ControllerManager manager;

    /** Where the API server is, if the connection leads there already when this starts. */
    private volatile @Nullable ApiAccess connected;

    /**
     * Starts nothing.
     *
     * @param registrations all controllers
     * @param connection is pointed at the API server at each start
     * @param access finds the API server
     * @param claims where the Leases are noted that this competes for
     * @param factory makes the host of controllers at the first start
     * @param informerDisconnectTimeout after how long without an open watch an informer makes this unready, zero for never
     * @param readyWithoutRights whether what may not be read does not make this unready
     */
    ControllerManagerHost(
            List<ControllerRegistration> registrations,
            ApiConnection connection,
            Supplier<ApiAccess> access,
            LeaseClaims claims,
            Function<ApiAccess, ControllerManager> factory,
            Duration informerDisconnectTimeout,
            boolean readyWithoutRights) {
        this.registrations = List.copyOf(registrations);
        this.connection = connection;
        this.access = access;
        this.claims = claims;
        this.factory = factory;
        this.informerDisconnectTimeout = informerDisconnectTimeout;
        this.readyWithoutRights = readyWithoutRights;
    }

    @Override
    public void start() {
        ApiAccess found = connect();
        connected = null;
        log.atInfo()
                .addKeyValue("server", found.server())
                .addKeyValue("source", found.source())
                .log("API server: {}, by {}", found.server(), found.source());
        ControllerManager started = manager;
        if (started == null) {
            started = factory.apply(found);
            manager = started;
        }
        warnIfNoneRuns();
        claimed = started.leases().stream()
                .map(lease -> lease + " of " + found.server())
                .collect(Collectors.toSet());
        claims.take(claimed);
        started.start();
        HeapLimit heap = HeapLimit.ofThisProcess();
        log.atInfo().addKeyValue("heapLimit", heap.bytes()).log(heap.inWords());
        heapAlarm.start();
    }

    @Override
    public void stop() {
        heapAlarm.close();
        ControllerManager running = manager;
        if (running != null && running.isRunning()) {
            running.stop();
            claims.release(claimed);
        }
    }

    private void warnIfNoneRuns() {
        if (registrations.isEmpty()) {
            log.warn(
                    "No controller runs, and no Lease is taken: the application context \"{}\" has no bean of type"
                            + " ControllerDescriptor, ObjectReconciler or Controller, and no Reconciler with"
                            + " @KubernetesReconciler",
                    claims.context().getId());
        } else if (registrations.stream().noneMatch(ControllerRegistration::enabled)) {
            log.warn(
                    "No controller runs, and no Lease is taken: controller-manager.controllers or"
                            + " controller-manager.controller.<name>.enabled has switched off {}",
                    registrations.stream().map(ControllerRegistration::name).collect(Collectors.joining(", ")));
        }
    }

    @Override
    public boolean isRunning() {
        ControllerManager started = manager;
        return started != null && started.isRunning();
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    /** Whether it is known where the API server is: from the first start on. */
    public boolean isConnected() {
        return manager != null;
    }

    /** Looks for the API server, and has the connection lead there; for what starts before this, which does not do it again then. */
    public ApiAccess connect() {
        ApiAccess found = connected;
        if (found == null) {
            found = access.get();
            connection.connect(found);
            connected = found;
        }
        return found;
    }

    /** How each controller is. */
    public List<ControllerStatus> controllers() {
        ControllerManager started = manager;
        return started == null
                ? registrations.stream().map(ControllerManagerHost::notStarted).toList()
                : started.controllers();
    }

    /**
     * What an operator can do with a controller.
     *
     * @throws IllegalStateException before the first start
     */
    public ControllerOperations operations() {
        return manager();
    }

    /**
     * The host of controllers itself, such as for a test that waits until they have converged.
     *
     * @throws IllegalStateException before the first start
     */
    public ControllerManager manager() {
        ControllerManager started = manager;
        if (started == null) {
            throw new IllegalStateException("the controller manager is not running");
        }
        return started;
    }

    /** How each informer is. */
    public List<InformerStatus> informers() {
        ControllerManager started = manager;
        return started == null ? List.of() : started.informers();
    }

    /** How leadership is for each controller that has a Lease of its own, by its name; empty where the host has one. */
    public Map<String, LeadershipStatus> leaderships() {
        ControllerManager started = manager;
        return started == null ? Map.of() : started.leaderships();
    }

    /** The shards of each controller that is divided, by its name. */
    public Map<String, DividedDescriptor> divided() {
        ControllerManager started = manager;
        if (started == null) {
            return Map.of();
        }
        Map<String, List<ShardStatus>> shards = started.shards();
        Map<String, DividedDescriptor> divided = new TreeMap<>();
        for (ControllerRegistration controller : registrations) {
            List<ShardStatus> own = shards.get(controller.name());
            if (own != null) {
                divided.put(
                        controller.name(),
                        DividedDescriptor.of(controller.options().shards().by(), own));
            }
        }
        return divided;
    }

    /** How leadership is; where each controller has a Lease of its own, of all together. */
    public LeadershipStatus leadership() {
        ControllerManager started = manager;
        return started == null ? LeadershipStatus.of(true, false) : started.leadership();
    }

    /** Unhealthy only if a restart of the process would help. */
    public HealthReport liveness() {
        ControllerManager started = manager;
        return started == null ? new HealthReport(List.of(), List.of()) : started.liveness();
    }

    /**
     * Healthy once all controllers could work, while the API server can be reached and accepts our credentials; on a standby
     * as on the leader.
     */
    public HealthReport readiness() {
        return readiness(true);
    }

    /**
     * The same.
     *
     * @param waitsForCaches whether controllers that cannot work count, or are only warned of
     */
    public HealthReport readiness(boolean waitsForCaches) {
        ControllerManager started = manager;
        if (started == null) {
            return new HealthReport(List.of("the controller manager is not running"), List.of());
        }
        List<String> reasons = new ArrayList<>();
        String trouble = connection.monitor().trouble();
        if (trouble != null) {
            reasons.add(trouble);
        }
        HealthReport ofControllers = started.readiness(readyWithoutRights);
        List<String> warnings = new ArrayList<>(ofControllers.warnings());
        List<String> ofCaches = waitsForCaches ? reasons : warnings;
        ofCaches.addAll(ofControllers.reasons());
        started.informers().forEach(informer -> addIfDisconnected(informer, ofCaches));
        return new HealthReport(reasons, warnings);
    }

    private void addIfDisconnected(InformerStatus informer, List<String> reasons) {
        Duration disconnected = informer.reflectors().stream()
                .filter(reflector -> !readyWithoutRights || reflector.missingPermission() == null)
                .map(ReflectorStatus::disconnectedFor)
                .filter(Objects::nonNull)
                .max(Comparator.naturalOrder())
                .orElse(null);
        if (disconnected != null
                && !informerDisconnectTimeout.isZero()
                && disconnected.compareTo(informerDisconnectTimeout) > 0) {
            reasons.add("the informer of %s has had no watch for %d s%s"
                    .formatted(
                            informer.resource(),
                            disconnected.toSeconds(),
                            informer.lastError() == null ? "" : ": " + informer.lastError()));
        }
    }

    private static ControllerStatus notStarted(ControllerRegistration registration) {
        return ControllerStatus.of(
                registration, registration.enabled() ? ControllerState.STOPPED : ControllerState.DISABLED, null, null);
    }
}
