package io.controllermanager.leaderelection.internal;

import io.controllermanager.leaderelection.internal.ElectionState.Phase;
import io.kubernetes.client.openapi.models.V1Lease;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * Asks the process that holds the Lease for it, or takes that wish back. Nothing comes of an error: a process that still
 * wishes asks again, and the holder removes a wish in time.
 *
 * @param ask whether to ask; otherwise the wish is taken back
 */
record BalanceTask(boolean ask) implements ElectionTask {

    boolean isWanted(ElectionStep step) {
        if (step.leads()) {
            return false;
        }
        return ask
                ? step.phase != Phase.STOPPING && !step.now.aside()
                : step.known.present() != null
                        && !step.isOurs()
                        && step.config.identity().equals(step.known.asker());
    }

    @Override
    public void turn(ElectionStep step) {
        if (isWanted(step)) {
            step.send(this, null, 0);
        }
    }

    @Override
    public void read(ElectionStep step, Request request, @Nullable V1Lease lease) {
        String identity = step.config.identity();
        String holder = lease == null ? "" : Leases.holder(lease);
        if (lease == null || holder.equals(identity) || !isWanted(step)) {
            return;
        }
        String asker = Leases.preferredHolder(lease);
        if (ask ? asker == null && !holder.isEmpty() : identity.equals(asker)) {
            step.send(this, Leases.preferring(lease, ask ? identity : null), 1);
        }
    }

    @Override
    public void stored(ElectionStep step, ElectionEvent.Stored stored) {
        if (ask) {
            step.log(Level.INFO, "asked " + Leases.holder(stored.lease()) + " for it, which has more to do");
        }
    }
}
