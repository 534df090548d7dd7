package io.controllermanager.network;

import io.controllermanager.network.NetworkStatus.UsableRange;
import io.kubernetes.client.openapi.models.V1Condition;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

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

    private static final String TRUE = "True";
    private static final String FALSE = "False";

    /**
     * The status that tells this.
     *
     * @param previous the status so far, whose conditions keep their transition time where they do not change, and whose
     *     conditions of other types are kept
     * @param generation the generation that was looked at
     * @param now the time for conditions that change
     */
    NetworkStatus toStatus(@Nullable NetworkStatus previous, @Nullable Long generation, Instant now) {
        List<V1Condition> conditions = List.of(validCondition(), readyCondition());
        OffsetDateTime changedNow = OffsetDateTime.ofInstant(now.truncatedTo(ChronoUnit.SECONDS), ZoneOffset.UTC);
        for (V1Condition condition : conditions) {
            V1Condition before = previous == null ? null : previous.condition(condition.getType());
            condition.setObservedGeneration(generation);
            condition.setLastTransitionTime(
                    before != null && condition.getStatus().equals(before.getStatus())
                            ? Objects.requireNonNullElse(before.getLastTransitionTime(), changedNow)
                            : changedNow);
        }
        List<V1Condition> all = merge(previous, conditions);
        if (!(verdict instanceof Verdict.Valid valid)) {
            return new NetworkStatus(generation, null, null, null, null, null, all);
        }
        AddressRange usable = valid.cidr().usable();
        return new NetworkStatus(
                generation,
                valid.cidr().network().toString(),
                valid.cidr().prefixLength(),
                valid.gateway().toString(),
                new UsableRange(usable.first().toString(), usable.last().toString()),
                usable.size().toString(),
                all);
    }

    /** Replaces conditions where they stand, so that their order does not change, and appends new ones. */
    private static List<V1Condition> merge(@Nullable NetworkStatus previous, List<V1Condition> conditions) {
        List<V1Condition> missing = new ArrayList<>(conditions);
        List<V1Condition> merged = new ArrayList<>();
        if (previous != null && previous.conditions() != null) {
            for (V1Condition before : previous.conditions()) {
                V1Condition replacement = find(conditions, before.getType());
                merged.add(replacement == null ? before : replacement);
                missing.removeIf(condition -> condition.getType().equals(before.getType()));
            }
        }
        merged.addAll(missing);
        return merged;
    }

    private static @Nullable V1Condition find(List<V1Condition> conditions, @Nullable String type) {
        return conditions.stream()
                .filter(condition -> condition.getType().equals(type))
                .findFirst()
                .orElse(null);
    }

    private V1Condition validCondition() {
        return verdict instanceof Verdict.Invalid invalid
                ? condition(VALID, FALSE, invalid.reason(), invalid.message())
                : condition(VALID, TRUE, VALID, "cidr and gateway fit together");
    }

    private V1Condition readyCondition() {
        if (verdict instanceof Verdict.Invalid invalid) {
            return condition(READY, FALSE, INVALID, invalid.message());
        }
        return overlaps.isEmpty()
                ? condition(READY, TRUE, READY, "no other Network of the namespace overlaps")
                : condition(READY, FALSE, OVERLAP, overlapMessage());
    }

    private String overlapMessage() {
        String named = overlaps.stream()
                .limit(NAMED_OVERLAPS)
                .map(entry -> entry.name() + " (" + entry.cidr() + ")")
                .collect(Collectors.joining(", "));
        return "overlaps with " + named + (overlaps.size() > NAMED_OVERLAPS ? " and others" : "");
    }

    private static V1Condition condition(String type, String status, String reason, String message) {
        return new V1Condition().type(type).status(status).reason(reason).message(message);
    }
}
