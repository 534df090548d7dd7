package io.controllermanager.manager;

import io.controllermanager.leaderelection.LeaderElector;
import io.controllermanager.leaderelection.LeadershipStatus;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.openapi.ApiClient;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All controllers work by one Lease.
 *
 * @param leaderElector who competes for it; null if this process always leads
 * @param client writes while it leads
 * @param unfencedClient writes at any time, for controllers that need no leader
 */
record HostLeadership(@Nullable LeaderElector leaderElector, ApiClient client, ApiClient unfencedClient)
        implements Leadership {

    @Override
    public @Nullable LeaderElector elector(ControllerRegistration controller) {
        return controller.options().needsLeaderElection() ? leaderElector : null;
    }

    @Override
    public ApiClient client(ControllerRegistration controller) {
        return controller.options().needsLeaderElection() ? client : unfencedClient;
    }

    @Override
    public Reconciler guard(ControllerRegistration controller, Reconciler reconciler) {
        return reconciler;
    }

    @Override
    public boolean isShared() {
        return false;
    }

    @Override
    public List<LeaderElector> electors() {
        return leaderElector == null ? List.of() : List.of(leaderElector);
    }

    @Override
    public void active(boolean active) {}

    @Override
    public LeadershipStatus status(boolean running) {
        return leaderElector == null
                ? new LeadershipStatus(false, "", "", running, null, null, null, 0, null, null)
                : leaderElector.status();
    }

    @Override
    public Map<String, LeadershipStatus> statuses() {
        return Map.of();
    }
}
