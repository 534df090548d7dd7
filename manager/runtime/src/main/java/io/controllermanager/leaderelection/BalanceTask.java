package io.controllermanager.leaderelection;

import io.controllermanager.leaderelection.ElectionState.Phase;
import io.kubernetes.client.openapi.models.V1Lease;
import org.slf4j.event.Level;

/**
 * Asks the process that holds the Lease for it, or takes that wish back. Nothing comes of an error: a process that still
 * wishes asks again, and the holder removes a wish in time.
 *
 * @param ask whether to ask; otherwise the wish is taken back
 */
record BalanceTask(boolean ask) implements ElectionTask {

    boolean isWanted(ElectionStep step) {
        return ask
                ? step.phase() != Phase.STOPPING
                        && !step.leads()
                        && !step.now.standing().aside()
                : step.wishes();
    }

    @Override
    public void turn(ElectionStep step) {
        if (isWanted(step)) {
            step.send(this, null, 0);
        }
    }

    @Override
    public void found(ElectionStep step, ElectionRequest request, V1Lease lease) {
        String identity = step.config.identity();
        String holder = Leases.holder(lease);
        String asker = Leases.preferredHolder(lease);
        if (holder.equals(identity) || !isWanted(step)) {
            return;
        }
        if (ask && asker == null && !holder.isEmpty()) {
            step.send(this, Leases.preferring(lease, identity), 1);
        } else if (!ask && identity.equals(asker)) {
            step.send(this, Leases.preferring(lease, null), 1);
        }
    }

    @Override
    public void stored(ElectionStep step, ElectionRequest request, V1Lease lease, long sentAt) {
        step.observe(lease, request);
        if (ask) {
            step.log(Level.INFO, "asked " + Leases.holder(lease) + " for it, which has more to do");
        }
    }
}
