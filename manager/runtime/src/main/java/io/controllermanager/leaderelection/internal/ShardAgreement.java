package io.controllermanager.leaderelection.internal;

import io.controllermanager.client.Registration;
import org.jspecify.annotations.Nullable;

/**
 * Whether all processes work for a controller by the same Leases. One that works by the Lease of all agrees always. All methods
 * may be called by any thread.
 */
@FunctionalInterface
public interface ShardAgreement {

    /** In what the anchor, as last seen, disagrees with this process; a sentence, null if it agrees. */
    @Nullable
    String disagreement();

    /**
     * Whether the anchor, as last seen, says what this process is configured for: as many shards, or a Lease for each controller.
     * Where it does not, this process takes no such Lease, and the host hands over those that it holds.
     */
    default boolean agrees() {
        return disagreement() == null;
    }

    /**
     * Whether a process that holds the anchor divides the controller in another way. Where nobody holds it yet, whoever takes
     * it settles that in a moment.
     */
    default boolean isContradicted() {
        return !agrees();
    }

    /** Has a listener told, on the anchor's thread, each time that {@link #agrees} may have changed, until closed. */
    default Registration onAgreement(Runnable listener) {
        return () -> {};
    }

    /** Whether {@link #obstacle} would ask the API server. */
    default boolean mayHaveObstacle() {
        return false;
    }

    /**
     * Why a Lease gives no right to work although this process holds it: others may work by other Leases. Asks the
     * API server, and blocks until it answers. To be asked after each acquisition, and again after a moment while there is an
     * obstacle. A failure is an obstacle, and so is a missing right to list Leases. Such Leases that were not renewed
     * for their duration are released.
     *
     * @return a sentence, null if there is no obstacle
     */
    default @Nullable String obstacle() {
        return null;
    }
}
