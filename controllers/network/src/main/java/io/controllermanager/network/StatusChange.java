package io.controllermanager.network;

import io.controllermanager.recorder.EventRecorder;
import io.kubernetes.client.openapi.models.V1Condition;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * From one status of a Network to the next, told in Events: one for each thing that changed, none for a mere new
 * generation.
 *
 * @param before the status so far, null before the first
 * @param after the status now
 */
record StatusChange(@Nullable NetworkStatus before, NetworkStatus after) {

    /** Normal: the Network became valid, or its range or gateway changed. */
    static final String DERIVED = "Derived";

    /** Normal: no other Network claims its addresses any more. */
    static final String OVERLAP_ENDED = "OverlapEnded";

    /** Records what changed. */
    void tell(EventRecorder events, Network network) {
        if (Objects.equals(after, before)) {
            return;
        }
        tellValidity(events, network);
        tellOverlap(events, network);
    }

    private void tellValidity(EventRecorder events, Network network) {
        V1Condition valid = after.condition(Findings.VALID);
        if (valid != null && "False".equals(valid.getStatus())) {
            if (changed(valid)) {
                events.warning(network, valid.getReason(), valid.getMessage());
            }
        } else if (before == null
                || !Objects.equals(before.networkAddress(), after.networkAddress())
                || !Objects.equals(before.prefixLength(), after.prefixLength())
                || !Objects.equals(before.gateway(), after.gateway())) {
            events.normal(network, DERIVED, derived());
        }
    }

    private String derived() {
        NetworkStatus.UsableRange usable = after.usableRange();
        return "network " + after.networkAddress() + "/" + after.prefixLength() + ", gateway " + after.gateway()
                + (usable == null ? "" : ", usable " + usable.first() + " to " + usable.last());
    }

    private void tellOverlap(EventRecorder events, Network network) {
        V1Condition ready = after.condition(Findings.READY);
        if (ready == null) {
            return;
        }
        boolean overlaps = Findings.OVERLAP.equals(ready.getReason());
        if (overlaps && changed(ready)) {
            events.warning(network, Findings.OVERLAP, ready.getMessage());
        } else if (!overlaps && overlappedBefore()) {
            events.normal(network, OVERLAP_ENDED, "no longer overlaps with another valid Network");
        }
    }

    private boolean overlappedBefore() {
        V1Condition ready = before == null ? null : before.condition(Findings.READY);
        return ready != null && Findings.OVERLAP.equals(ready.getReason());
    }

    private boolean changed(V1Condition condition) {
        V1Condition previous = before == null ? null : before.condition(condition.getType());
        return previous == null
                || !Objects.equals(previous.getStatus(), condition.getStatus())
                || !Objects.equals(previous.getReason(), condition.getReason())
                || !Objects.equals(previous.getMessage(), condition.getMessage());
    }
}
