package io.controllermanager.network;

import io.controllermanager.network.NetworkStatus.UsableRange;
import io.controllermanager.reconciler.StatusCondition;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What was found out about one Network, and the status that tells it.
 *
 * @param verdict what can be said of the Network by itself
 * @param overlaps the Networks that claim some of its addresses, empty unless it is valid; one more than {@link
 *     #NAMED_OVERLAPS} says that there are more than are named
 */
record Findings(Verdict verdict, List<CidrIndex.Entry> overlaps) {

    /** The condition that says whether the spec makes sense by itself. */
    static final String VALID = "Valid";

    /** The condition that says whether the Network can be used: it is valid and no other claims its addresses. */
    static final String READY = "Ready";

    /** The reason of Ready for a Network whose addresses others claim too. */
    static final String OVERLAP = "Overlap";

    /** The reason of Ready for a Network that is not valid. */
    static final String INVALID = "Invalid";

    /**
     * How many overlapping Networks the message names. One range may hold thousands of others; counting them would
     * change its status with each that comes or goes.
     */
    static final int NAMED_OVERLAPS = 5;

    /** The status that tells this, conditions apart. */
    NetworkStatus status() {
        if (!(verdict instanceof Verdict.Valid valid)) {
            return new NetworkStatus(null, null, null, null, null, null, null);
        }
        Cidr cidr = valid.cidr();
        return new NetworkStatus(
                null,
                cidr.address().toString(),
                cidr.prefixLength(),
                valid.gateway().toString(),
                new UsableRange(cidr.firstUsable().toString(), cidr.lastUsable().toString()),
                cidr.capacity().toString(),
                null);
    }

    StatusCondition valid() {
        return verdict instanceof Verdict.Invalid invalid
                ? new StatusCondition(VALID, "False", invalid.reason(), invalid.message())
                : new StatusCondition(VALID, "True", VALID, "cidr and gateway fit together");
    }

    StatusCondition ready() {
        if (verdict instanceof Verdict.Invalid invalid) {
            return new StatusCondition(READY, "False", INVALID, invalid.message());
        }
        return overlaps.isEmpty()
                ? new StatusCondition(READY, "True", READY, "no other Network of the namespace overlaps")
                : new StatusCondition(READY, "False", OVERLAP, overlapMessage());
    }

    private String overlapMessage() {
        String named = overlaps.stream()
                .limit(NAMED_OVERLAPS)
                .map(entry -> entry.name() + " (" + entry.cidr() + ")")
                .collect(Collectors.joining(", "));
        return "overlaps with " + named + (overlaps.size() > NAMED_OVERLAPS ? " and others" : "");
    }
}
