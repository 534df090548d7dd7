package io.controllermanager.manager.internal;

import io.controllermanager.client.internal.connection.ScopedFence;
import io.controllermanager.client.internal.connection.WriteFence;
import io.controllermanager.client.internal.connection.WriteFence.WriteRefusedException;
import io.controllermanager.controller.internal.ReconcileTerm;
import io.controllermanager.leaderelection.internal.ControllerElectors;
import io.controllermanager.leaderelection.internal.LeaderElectionConfig;
import io.controllermanager.leaderelection.internal.LeaderElector;
import io.controllermanager.leaderelection.internal.LeadershipStatus;
import io.controllermanager.leaderelection.internal.LeaseBalance;
import io.kubernetes.client.openapi.ApiClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * By which Leases each controller works and with which client: all by one Lease, each by one of its own, or a divided one by
 * a Lease for each of its shards.
 */
public final class Leadership {

    /** How much longer than the lease duration an election may be silent before liveness fails: as upstream. */
    private static final Duration TOLERANCE = Duration.ofSeconds(20);

    private final Map<String, ControllerElectors> controllers;
    private final Function<String, ControllerElectors> others;
    private final List<LeaderElector> shared;
    private final List<LeaderElector> electors;
    private final boolean each;
    private final Function<WriteFence, ApiClient> clients;
    private final ApiClient unfencedClient;
    private final String namespace;
    private final ScopedFence fence;
    private final Map<List<LeaderElector>, ScopedFence> fences = new ConcurrentHashMap<>();
    private final Map<WriteFence, ApiClient> made = new ConcurrentHashMap<>();

    /**
     * Starts nothing.
     *
     * @param shared competes for a Lease of all controllers, if there is one
     * @param each whether that is their anchor only, and each has a Lease of its own
     * @param controllers who competes for each controller's Leases
     * @param others the same for those that are not among these
     */
    private Leadership(
            List<LeaderElector> shared,
            boolean each,
            Map<String, ControllerElectors> controllers,
            Function<String, ControllerElectors> others,
            Function<WriteFence, ApiClient> clients,
            ApiClient unfencedClient,
            String namespace) {
        this.controllers = new ConcurrentHashMap<>(controllers);
        this.others = others;
        this.shared = shared;
        this.each = each;
        this.electors = Stream.concat(
                        shared.stream(), controllers.values().stream().flatMap(ControllerElectors::all))
                .distinct()
                .toList();
        this.clients = clients;
        this.unfencedClient = unfencedClient;
        this.namespace = namespace;
        this.fence = new ScopedFence(anyOf(guarding()));
    }

    /** This process always leads, and its controllers write with one client. */
    public static Leadership always(ApiClient client) {
        return new Leadership(
                List.of(),
                false,
                Map.of(),
                controller -> ControllerElectors.none(),
                fence -> client,
                client,
                "default");
    }

    /**
     * All controllers work by one Lease, which is the anchor of those that are divided.
     *
     * @param elector competes for it; the host starts and stops it
     * @param divided who competes for the Leases of shards, by the names of controllers
     * @param clients makes the client that a controller is given: limited, counted, and with the given fence or {@link #fence}
     * @param unfencedClient writes on a standby too, for controllers that need no leader
     */
    public static Leadership shared(
            LeaderElector elector,
            Map<String, ControllerElectors> divided,
            Function<WriteFence, ApiClient> clients,
            ApiClient unfencedClient) {
        return new Leadership(
                List.of(elector),
                false,
                divided,
                controller -> ControllerElectors.shared(elector, controller),
                clients,
                unfencedClient,
                elector.config().leaseNamespace());
    }

    /**
     * Each controller works by Leases of its own.
     *
     * @param anchor competes for the anchor of all these
     * @param own who competes for them, by the names of all controllers that are switched on and need a leader
     * @param clients as for {@link #shared}, as is the other one
     */
    public static Leadership perController(
            LeaderElector anchor,
            Map<String, ControllerElectors> own,
            Function<WriteFence, ApiClient> clients,
            ApiClient unfencedClient) {
        return new Leadership(
                List.of(anchor),
                true,
                own,
                controller -> {
                    throw new IllegalArgumentException("there is no Lease for controller " + controller);
                },
                clients,
                unfencedClient,
                anchor.config().leaseNamespace());
    }

    /** Who competes for the Leases by which work is done: not for one that is an anchor only. */
    private List<LeaderElector> guarding() {
        return electors.stream().filter(one -> !each || !shared.contains(one)).toList();
    }

    /** Who competes for the Leases by which a controller works. */
    ControllerElectors electors(ControllerRegistration controller) {
        return controller.enabled() && controller.options().needsLeaderElection()
                ? controllers.computeIfAbsent(controller.name(), others)
                : ControllerElectors.none();
    }

    /** By what right a controller's reconciles run, none of which has begun; what is told of lapses is said at {@link Terms}. */
    ReconcileTerm term(ControllerRegistration controller, IntConsumer lapses) {
        List<LeaderElector> its = electors(controller).electors();
        return its.isEmpty() ? ReconcileTerm.always() : new Terms(its, fence, fence(its), lapses);
    }

    /** For the client that controllers share: within a reconcile its own term decides, else any Lease is enough. */
    public WriteFence fence() {
        return fence;
    }

    private ScopedFence fence(List<LeaderElector> its) {
        return fences.computeIfAbsent(its, any -> new ScopedFence(anyOf(any)));
    }

    private static WriteFence anyOf(List<LeaderElector> any) {
        if (any.size() < 2) {
            return any.isEmpty() ? WriteFence.open() : any.get(0);
        }
        LeaderElectionConfig config = any.get(0).config();
        return () -> {
            if (config.enabled() && any.stream().noneMatch(LeaderElector::isLeading)) {
                throw new WriteRefusedException("this process (" + config.identity()
                        + ") holds none of the Leases by which its controllers work");
            }
        };
    }

    /** What a controller writes with: within its reconciles their term decides, else any Lease of its own is enough. */
    ApiClient client(ControllerRegistration controller) {
        List<LeaderElector> its = electors(controller).electors();
        return its.isEmpty() ? unfencedClient : made.computeIfAbsent(fence(its), clients);
    }

    /** All Leases that this process competes for, as {@code namespace/name}; none if it always leads. */
    Set<String> leases() {
        return electors.stream()
                .flatMap(elector -> elector.leases().stream())
                .map(LeaderElector::config)
                .filter(LeaderElectionConfig::enabled)
                .map(LeaderElectionConfig::lease)
                .collect(Collectors.toSet());
    }

    /** Where Leases are. */
    String namespace() {
        return namespace;
    }

    /** Who competes for the Lease of all, by which they work or which is their anchor, if there is one. */
    List<LeaderElector> shared() {
        return shared;
    }

    /** All who compete. */
    List<LeaderElector> electors() {
        return electors;
    }

    /** Does what the first requests would otherwise wait for; what one shard's finds out is so for the others. Blocks. */
    void prepare() {
        Stream<LeaderElector> own =
                controllers.values().stream().flatMap(one -> one.all().limit(2));
        Stream.concat(shared.stream(), own).distinct().forEach(LeaderElector::prepare);
    }

    /** The process is to have its share, or no longer. */
    void active(boolean active) {
        electors.stream()
                .map(LeaderElector::balance)
                .distinct()
                .forEach(active ? LeaseBalance::start : LeaseBalance::stop);
    }

    /** Which elections do nothing any more though they should, one sentence each. */
    List<String> stuck() {
        return electors.stream()
                .filter(elector -> !elector.healthy(TOLERANCE))
                .map(elector -> "leader election for " + elector.config().lease() + " is stuck")
                .toList();
    }

    /** Which Leases this process could not take or not even read, one sentence each. */
    List<String> outOfReach() {
        return electors.stream()
                .filter(elector -> elector.status().isForbidden()
                        || elector.status().holder() == null
                        || elector.liveHolder() == null)
                .map(LeaderElector::status)
                .filter(lease -> lease.enabled() && lease.lastError() != null)
                .map(lease -> "leader election: " + lease.lastError())
                .toList();
    }

    /**
     * How leadership is, as a whole.
     *
     * @param running whether the host runs, for one that always leads then
     */
    LeadershipStatus status(boolean running) {
        if (shared.isEmpty()) {
            return LeadershipStatus.of(false, running);
        }
        boolean leading = guarding().stream().anyMatch(LeaderElector::isLeading);
        List<LeadershipStatus> all =
                electors.stream().map(LeaderElector::status).toList();
        return each ? LeadershipStatus.of(shared.get(0).config(), leading, all) : all.get(0);
    }

    /** How leadership is for each controller that has a Lease of its own, by its name; of a divided one it is the anchor. */
    Map<String, LeadershipStatus> statuses() {
        Map<String, LeadershipStatus> statuses = new TreeMap<>();
        if (each) {
            controllers.forEach((controller, its) -> its.all()
                    .filter(one -> its.divided() == shared.contains(one))
                    .limit(1)
                    .forEach(whole -> statuses.put(controller, whole.status())));
        }
        return statuses;
    }
}
