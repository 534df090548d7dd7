package io.controllermanager.manager;

import io.controllermanager.leaderelection.LeaderElector;
import io.controllermanager.leaderelection.LeadershipStatus;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.openapi.ApiClient;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** By which Lease each controller works, and with which client. */
sealed interface Leadership permits HostLeadership, SharedLeadership {

    /** Decides when a controller may work; null if it always may. */
    @Nullable
    LeaderElector elector(ControllerRegistration controller);

    /** What a controller writes with; refuses writes at a time when it may not work. */
    ApiClient client(ControllerRegistration controller);

    /** The reconciler, such that what it writes with others' clients is refused at a time when it may not work. */
    Reconciler guard(ControllerRegistration controller, Reconciler reconciler);

    /** Whether each controller has a Lease of its own. */
    boolean isShared();

    /** All who compete. */
    List<LeaderElector> electors();

    /** The process is to have its share, or no longer. */
    void active(boolean active);

    /**
     * How leadership is, as a whole.
     *
     * @param running whether the host runs, for one that always leads then
     */
    LeadershipStatus status(boolean running);

    /** How leadership is for each controller that has a Lease of its own. */
    Map<String, LeadershipStatus> statuses();
}
