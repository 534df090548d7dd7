package io.controllermanager.reconciler;

import io.kubernetes.client.extended.controller.reconciler.Request;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What was applied last of each child, and what came of it. It spares comparisons and applies that would change nothing;
 * whoever has lost it compares. Safe for use by several threads.
 */
final class AppliedStates {

    private final Map<Request, Map<String, Applied>> byOwner = new ConcurrentHashMap<>();

    /**
     * One apply.
     *
     * @param restores how often storage had been put back before it was sent: versions of before say nothing
     * @param resourceVersion of the answer
     * @param wanted the hash of what was applied
     * @param residue in what the answer differs from it all the same: values that the API server, or a webhook, stores
     *     otherwise
     */
    private record Applied(
            long restores,
            @Nullable String uid,
            @Nullable String resourceVersion,
            String wanted,
            Map<String, String> residue) {}

    /** Whether the child is at the very version that the last apply of this left or was answered with. */
    boolean isAsLeft(
            Request owner, String child, String wanted, @Nullable String uid, @Nullable String version, long restores) {
        Applied last = last(owner, child, wanted, uid);
        return last != null && last.restores() == restores && version != null && version.equals(last.resourceVersion());
    }

    /** Whether an apply has left these differences already, and another one would. */
    boolean isResidue(
            Request owner, String child, String wanted, @Nullable String uid, Map<String, String> differences) {
        Applied last = last(owner, child, wanted, uid);
        return last != null && last.residue().entrySet().containsAll(differences.entrySet());
    }

    void put(
            Request owner,
            String child,
            String wanted,
            @Nullable String uid,
            @Nullable String version,
            long restores,
            Map<String, String> residue) {
        byOwner.computeIfAbsent(owner, key -> new ConcurrentHashMap<>())
                .put(child, new Applied(restores, uid, version, wanted, Map.copyOf(residue)));
    }

    /** Keeps what is known of these children alone. */
    void retain(Request owner, Set<String> children) {
        byOwner.computeIfPresent(owner, (key, states) -> {
            states.keySet().retainAll(children);
            return states.isEmpty() ? null : states;
        });
    }

    void forget(Request owner) {
        byOwner.remove(owner);
    }

    private @Nullable Applied last(Request owner, String child, String wanted, @Nullable String uid) {
        Map<String, Applied> states = byOwner.get(owner);
        Applied last = states == null ? null : states.get(child);
        return last != null && last.wanted().equals(wanted) && Objects.equals(last.uid(), uid) ? last : null;
    }
}
