package io.controllermanager.manager;

import io.controllermanager.client.WriteFence;
import io.controllermanager.leaderelection.ElectorGroup;
import io.controllermanager.leaderelection.LeaderElector;
import io.controllermanager.leaderelection.LeadershipStatus;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.openapi.ApiClient;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Each controller that needs a leader works by a Lease of its own. */
final class SharedLeadership implements Leadership {

    private final ElectorGroup group;
    private final Function<WriteFence, ApiClient> clients;
    private final ApiClient unfencedClient;
    private final Map<String, ApiClient> made = new ConcurrentHashMap<>();

    /**
     * Starts nothing.
     *
     * @param group has an elector for each controller that needs a leader
     * @param clients makes a client with a fence of its own
     * @param unfencedClient writes at any time, for controllers that need no leader
     */
    SharedLeadership(ElectorGroup group, Function<WriteFence, ApiClient> clients, ApiClient unfencedClient) {
        this.group = group;
        this.clients = clients;
        this.unfencedClient = unfencedClient;
    }

    @Override
    public @Nullable LeaderElector elector(ControllerRegistration controller) {
        return controller.enabled() && controller.options().needsLeaderElection()
                ? group.elector(controller.name())
                : null;
    }

    @Override
    public ApiClient client(ControllerRegistration controller) {
        LeaderElector elector = elector(controller);
        return elector == null
                ? unfencedClient
                : made.computeIfAbsent(controller.name(), name -> clients.apply(elector));
    }

    @Override
    public Reconciler guard(ControllerRegistration controller, Reconciler reconciler) {
        LeaderElector elector = elector(controller);
        return elector == null
                ? reconciler
                : request -> group.fence().within(elector, () -> reconciler.reconcile(request));
    }

    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public List<LeaderElector> electors() {
        return List.copyOf(group.electors().values());
    }

    @Override
    public void active(boolean active) {
        if (active) {
            group.start();
        } else {
            group.stop();
        }
    }

    /** Of all Leases together: this process leads if it does by any of them, and the last error is that of any. */
    @Override
    public LeadershipStatus status(boolean running) {
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
                all.stream()
                        .map(LeadershipStatus::lastError)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse(null),
                all.stream()
                        .map(LeadershipStatus::watchError)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse(null));
    }

    @Override
    public Map<String, LeadershipStatus> statuses() {
        Map<String, LeadershipStatus> statuses = new TreeMap<>();
        group.electors().forEach((controller, elector) -> statuses.put(controller, elector.status()));
        return statuses;
    }
}
