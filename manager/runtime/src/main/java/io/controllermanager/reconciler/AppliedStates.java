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
     * @param wanted the hash of what was applied
     * @param resourceVersion of the answer
     * @param restores how often storage had been put back before it was sent: versions of before say nothing
     * @param residue in what the answer differs from it all the same: values that the API server, or a webhook, stores
     *     otherwise
     */
    record Applied(
            String wanted,
            @Nullable String uid,
            @Nullable String resourceVersion,
            long restores,
            Map<String, String> residue) {}

    /** The last apply to a child, null unless it was of this and to the object of this uid. */
    @Nullable
    Applied last(Request owner, String child, String wanted, @Nullable String uid) {
        Map<String, Applied> states = byOwner.get(owner);
        Applied last = states == null ? null : states.get(child);
        return last != null && last.wanted().equals(wanted) && Objects.equals(last.uid(), uid) ? last : null;
    }

    void put(Request owner, String child, Applied applied) {
        byOwner.computeIfAbsent(owner, key -> new ConcurrentHashMap<>()).put(child, applied);
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
}
