package io.controllermanager.manager.internal;

import io.controllermanager.client.internal.WriteFence;
import io.controllermanager.leaderelection.internal.ElectorGroup;
import io.controllermanager.leaderelection.internal.LeaderElector;
import io.controllermanager.leaderelection.internal.LeadershipStatus;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.openapi.ApiClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** By which Lease each controller works and with which client: all by one Lease, or each by one of its own. */
public final class Leadership {

    /** How much longer than the lease duration an election may be silent before liveness fails: as upstream. */
    private static final Duration TOLERANCE = Duration.ofSeconds(20);

    private final @Nullable LeaderElector shared;
    private final @Nullable ElectorGroup group;
    private final Function<WriteFence, ApiClient> clients;
    private final ApiClient unfencedClient;
    private final Map<LeaderElector, ApiClient> made = new ConcurrentHashMap<>();

    private Leadership(
            @Nullable LeaderElector shared,
            @Nullable ElectorGroup group,
            Function<WriteFence, ApiClient> clients,
            ApiClient unfencedClient) {
        this.shared = shared;
        this.group = group;
        this.clients = clients;
        this.unfencedClient = unfencedClient;
    }

    /** This process always leads, and its controllers write with one client. */
    public static Leadership always(ApiClient client) {
        return new Leadership(null, null, fence -> client, client);
    }

    /**
     * All controllers work by one Lease.
     *
     * @param elector competes for it; the host starts and stops it
     * @param client what controllers are given: limited, fenced and counted
     * @param unfencedClient writes on a standby too, for controllers that need no leader
     */
    public static Leadership shared(LeaderElector elector, ApiClient client, ApiClient unfencedClient) {
        return new Leadership(elector, null, fence -> client, unfencedClient);
    }

    /**
     * Each controller works by a Lease of its own. The client that controllers share should be fenced by {@link
     * ElectorGroup#fence}.
     *
     * @param electors the host starts and stops them; has one for each controller that is switched on and needs a leader
     * @param clients makes the client that a controller is given, with a fence of its own
     * @param unfencedClient writes on a standby too, for controllers that need no leader
     */
    public static Leadership perController(
            ElectorGroup electors, Function<WriteFence, ApiClient> clients, ApiClient unfencedClient) {
        return new Leadership(null, electors, clients, unfencedClient);
    }

    /** Decides when a controller may work; null if it always may, or never does. */
    @Nullable
    LeaderElector elector(ControllerRegistration controller) {
        if (!controller.enabled() || !controller.options().needsLeaderElection()) {
            return null;
        }
        return group == null ? shared : group.elector(controller.name());
    }

    /** What a controller writes with. Writes are refused at a time when it may not work. */
    ApiClient client(ControllerRegistration controller) {
        LeaderElector elector = elector(controller);
        return elector == null ? unfencedClient : made.computeIfAbsent(elector, clients);
    }

    /** The reconciler, such that what it writes with others' clients is refused at a time when it may not work. */
    Reconciler guard(ControllerRegistration controller, Reconciler reconciler) {
        LeaderElector elector = elector(controller);
        return group == null || elector == null
                ? reconciler
                : request -> group.fence().within(elector, () -> reconciler.reconcile(request));
    }

    /** Who competes for the Lease of all; null if there is none. */
    @Nullable
    LeaderElector shared() {
        return shared;
    }

    /** All who compete. */
    List<LeaderElector> electors() {
        if (group != null) {
            return List.copyOf(group.electors().values());
        }
        return shared == null ? List.of() : List.of(shared);
    }

    /** The process is to have its share, or no longer. */
    void active(boolean active) {
        if (group != null && active) {
            group.start();
        } else if (group != null) {
            group.stop();
        }
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
                .map(LeaderElector::status)
                .filter(lease -> lease.enabled()
                        && (lease.isForbidden() || (lease.holder() == null && lease.lastError() != null)))
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
                    ? new LeadershipStatus(false, "", "", running, null, null, null, 0, null, null)
                    : shared.status();
        }
        List<LeadershipStatus> all = List.copyOf(statuses().values());
        return new LeadershipStatus(
                group.config().enabled(),
                group.config().lease() + "-*",
                group.config().identity(),
                all.stream().anyMatch(LeadershipStatus::leading),
                null,
                null,
                null,
                all.stream().mapToInt(LeadershipStatus::transitions).sum(),
                first(all, LeadershipStatus::lastError),
                first(all, LeadershipStatus::watchError));
    }

    private static @Nullable String first(
            List<LeadershipStatus> all, Function<LeadershipStatus, @Nullable String> error) {
        return all.stream().map(error).filter(Objects::nonNull).findFirst().orElse(null);
    }

    /** How leadership is for each controller that has a Lease of its own, by its name. */
    Map<String, LeadershipStatus> statuses() {
        Map<String, LeadershipStatus> statuses = new TreeMap<>();
        if (group != null) {
            group.electors().forEach((controller, elector) -> statuses.put(controller, elector.status()));
        }
        return statuses;
    }
}
