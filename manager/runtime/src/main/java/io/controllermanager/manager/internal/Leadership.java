package io.controllermanager.manager.internal;

import io.controllermanager.client.internal.ScopedFence;
import io.controllermanager.client.internal.WriteFence;
import io.controllermanager.client.internal.WriteFence.WriteRefusedException;
import io.controllermanager.leaderelection.internal.ElectorGroup;
import io.controllermanager.leaderelection.internal.LeaderElectionConfig;
import io.controllermanager.leaderelection.internal.LeaderElector;
import io.controllermanager.leaderelection.internal.LeadershipStatus;
import io.controllermanager.leaderelection.internal.ShardAgreement;
import io.controllermanager.leaderelection.internal.ShardElectors;
import io.kubernetes.client.openapi.ApiClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * By which Leases each controller works and with which client: all by one Lease, each by one of its own, or a divided one by
 * a Lease for each of its shards.
 */
public final class Leadership {

    /** How much longer than the lease duration an election may be silent before liveness fails: as upstream. */
    private static final Duration TOLERANCE = Duration.ofSeconds(20);

    private final @Nullable LeaderElector shared;
    private final @Nullable ElectorGroup group;
    private final Map<String, ShardElectors> divided;
    private final List<LeaderElector> electors;
    private final Map<String, ShardAgreement> agreements = new ConcurrentHashMap<>();
    private final Function<WriteFence, ApiClient> clients;
    private final ApiClient unfencedClient;
    private final Map<WriteFence, ApiClient> made = new ConcurrentHashMap<>();

    private final Map<LeaderElector, ScopedFence> fences = new ConcurrentHashMap<>();

    /** The fence of clients that controllers share. */
    private final ScopedFence common;

    private Leadership(
            @Nullable LeaderElector shared,
            @Nullable ElectorGroup group,
            Map<String, ShardElectors> divided,
            Function<WriteFence, ApiClient> clients,
            ApiClient unfencedClient) {
        this.shared = shared;
        this.group = group;
        this.divided = new TreeMap<>(divided);
        this.electors = electors(shared, group, this.divided);
        this.agreements.putAll(divided);
        this.common = new ScopedFence(
                electors.isEmpty() ? WriteFence.OPEN : electors.size() == 1 ? electors.get(0) : this::checkAny);
        this.clients = clients;
        this.unfencedClient = unfencedClient;
    }

    /** This process always leads, and its controllers write with one client. */
    public static Leadership always(ApiClient client) {
        return new Leadership(null, null, Map.of(), fence -> client, client);
    }

    /**
     * All controllers work by one Lease, which is the anchor of those that are divided. Clients that controllers share should
     * be fenced by {@link #fence}.
     *
     * @param elector competes for it; the host starts and stops it
     * @param divided who competes for the Leases of shards, by the names of controllers
     * @param clients makes the client that a controller is given: limited, counted, and with the given fence or a shared one
     * @param unfencedClient writes on a standby too, for controllers that need no leader
     */
    public static Leadership shared(
            LeaderElector elector,
            Map<String, ShardElectors> divided,
            Function<WriteFence, ApiClient> clients,
            ApiClient unfencedClient) {
        return new Leadership(elector, null, divided, clients, unfencedClient);
    }

    /**
     * Each controller works by a Lease of its own. The client that controllers share should be fenced by {@link #fence}.
     *
     * @param electors the host starts and stops them; has one for each controller that is switched on, needs a leader, and is
     *     not divided
     * @param divided who competes for the Leases of shards, by the names of controllers
     * @param clients makes the client that a controller is given, with a fence of its own
     * @param unfencedClient writes on a standby too, for controllers that need no leader
     */
    public static Leadership perController(
            ElectorGroup electors,
            Map<String, ShardElectors> divided,
            Function<WriteFence, ApiClient> clients,
            ApiClient unfencedClient) {
        return new Leadership(null, electors, divided, clients, unfencedClient);
    }

    /** Who competes for the Leases of a controller's shards; null if it is not divided here. */
    @Nullable
    ShardElectors shards(ControllerRegistration controller) {
        return divided.get(controller.name());
    }

    /** Whether other processes divide a controller as this one does. */
    ShardAgreement agreement(String controller) {
        return Objects.requireNonNull(agreements.get(controller));
    }

    /** With another agreement, for tests. */
    Leadership withAgreement(String controller, ShardAgreement agreement) {
        agreements.put(controller, agreement);
        return this;
    }

    /**
     * What may forbid a controller that is not divided to work although its Lease is held: nothing, if the Lease has never
     * said that it was divided.
     */
    @Nullable
    Supplier<@Nullable String> obstacle(ControllerRegistration controller) {
        LeaderElector elector = elector(controller);
        return elector == null || !elector.mayBeDivided(controller.name())
                ? null
                : () -> elector.obstacle(controller.name());
    }

    /**
     * Decides when a controller may work; null if it always may, or never does. For one that is divided it decides nothing: it
     * is the anchor of its shards.
     */
    @Nullable
    LeaderElector elector(ControllerRegistration controller) {
        if (!controller.enabled() || !controller.options().needsLeaderElection()) {
            return null;
        }
        ShardElectors shards = shards(controller);
        return shards != null ? shards.anchor() : group == null ? shared : group.elector(controller.name());
    }

    /** For the client that controllers share: within a reconcile its own Lease decides, else any Lease is enough. */
    public WriteFence fence() {
        return common;
    }

    private ScopedFence fence(LeaderElector elector) {
        return fences.computeIfAbsent(elector, ScopedFence::new);
    }

    private void checkAny() throws WriteRefusedException {
        LeaderElectionConfig config = electors.get(0).config();
        if (config.enabled() && electors.stream().noneMatch(LeaderElector::isLeading)) {
            throw new WriteRefusedException(
                    "this process (" + config.identity() + ") holds none of the Leases by which its controllers work");
        }
    }

    /** What a controller writes with. Writes are refused at a time when it may not work. */
    ApiClient client(ControllerRegistration controller) {
        ShardElectors shards = shards(controller);
        LeaderElector elector = elector(controller);
        return elector == null
                ? unfencedClient
                : made.computeIfAbsent(shards == null ? fence(elector) : shards.fence(), clients);
    }

    /** In which terms a controller's reconciles run, none of which has begun. */
    Terms terms(ControllerRegistration controller) {
        ShardElectors shards = shards(controller);
        LeaderElector elector = elector(controller);
        if (shards != null) {
            int count = controller.options().shards().count();
            return new Terms(
                    IntStream.range(0, count).mapToObj(shards::elector).toList(), List.of(common, shards.fence()));
        }
        return elector == null
                ? new Terms(List.of(), List.of())
                : new Terms(List.of(elector), List.of(common, fence(elector)));
    }

    /** Who competes for the Lease of all; null if there is none. */
    @Nullable
    LeaderElector shared() {
        return shared;
    }

    /** All who compete. */
    List<LeaderElector> electors() {
        return electors;
    }

    private static List<LeaderElector> electors(
            @Nullable LeaderElector shared, @Nullable ElectorGroup group, Map<String, ShardElectors> divided) {
        Stream<LeaderElector> own = group == null ? Stream.ofNullable(shared) : group.electors().values().stream();
        Stream<LeaderElector> ofShards = divided.values().stream()
                .flatMap(shards ->
                        Stream.concat(Stream.of(shards.anchor()), shards.group().electors().values().stream()));
        return Stream.concat(own, ofShards).distinct().toList();
    }

    /** Does what the first requests would otherwise wait for. Blocks. */
    void prepare() {
        electors().stream().filter(elector -> !isLaterShard(elector)).forEach(LeaderElector::prepare);
    }

    /** What the first shard's elector finds out is so for the others: rights are given to all of them. */
    private boolean isLaterShard(LeaderElector elector) {
        return divided.values().stream()
                .anyMatch(shards -> shards.group().electors().containsValue(elector)
                        && !shards.elector(0).equals(elector));
    }

    /** The process is to have its share, or no longer. */
    void active(boolean active) {
        Stream.concat(Stream.ofNullable(group), divided.values().stream().map(ShardElectors::group))
                .forEach(active ? ElectorGroup::start : ElectorGroup::stop);
    }

    /** Which elections do nothing any more though they should, one sentence each. */
    List<String> stuck() {
        return electors().stream()
                .filter(elector -> !elector.healthy(TOLERANCE))
                .map(elector -> "leader election for " + elector.config().lease() + " is stuck")
                .toList();
    }

    /** Which Leases this process could not take or not even read, one sentence each. */
    List<String> outOfReach() {
        return electors().stream()
                .filter(elector -> elector.status().isForbidden()
                        || elector.status().holder() == null
                        || elector.liveHolder() == null)
                .map(LeaderElector::status)
                .filter(lease -> lease.enabled() && lease.lastError() != null)
                .map(lease -> "leader election: " + lease.lastError())
                .toList();
    }

    /**
     * How leadership is, as a whole. Of several Leases together: this process leads if it does by any of them, and the last
     * error is that of any.
     *
     * @param running whether the host runs, for one that always leads then
     */
    LeadershipStatus status(boolean running) {
        if (group == null) {
            return shared == null
                    ? new LeadershipStatus(false, "", "", running, null, null, null, 0, null, null, null)
                    : shared.status();
        }
        List<LeadershipStatus> all =
                electors().stream().map(LeaderElector::status).toList();
        return new LeadershipStatus(
                group.config().enabled(),
                group.config().lease() + "-*",
                group.config().identity(),
                all.stream().anyMatch(LeadershipStatus::leading),
                null,
                null,
                null,
                (int) Math.min(
                        Integer.MAX_VALUE,
                        all.stream().mapToLong(LeadershipStatus::transitions).sum()),
                first(all, LeadershipStatus::waitsFor),
                first(all, LeadershipStatus::lastError),
                first(all, LeadershipStatus::watchError));
    }

    private static @Nullable String first(
            List<LeadershipStatus> all, Function<LeadershipStatus, @Nullable String> error) {
        return all.stream().map(error).filter(Objects::nonNull).findFirst().orElse(null);
    }

    /** How leadership is for each controller that has a Lease of its own, by its name; of a divided one it is the anchor. */
    Map<String, LeadershipStatus> statuses() {
        Map<String, LeadershipStatus> statuses = new TreeMap<>();
        if (group != null) {
            divided.forEach((controller, shards) ->
                    statuses.put(controller, shards.anchor().status()));
            group.electors().forEach((controller, elector) -> statuses.put(controller, elector.status()));
        }
        return statuses;
    }
}
