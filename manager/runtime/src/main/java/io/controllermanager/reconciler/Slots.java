package io.controllermanager.reconciler;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which objects may be changed at a time, of those that have a value of an index in common.
 *
 * @param value the value
 * @param holders the keys of those that have a slot, by their uids
 * @param version of what is stored, null for nothing yet
 */
record Slots(
        String value, Map<String, String> holders, @Nullable String version) {

    /**
     * With a slot for an object that is to be changed, if it has none and there is one. To change one that is not ready makes no
     * more of them: for that only those count that have slots.
     *
     * @param notReady the uids of those that are not ready, whether or not they have slots
     */
    Slots enter(String uid, String key, Set<String> notReady, int most) {
        if (has(uid) || free(notReady.contains(uid) ? Set.of() : notReady, most) == 0) {
            return this;
        }
        Map<String, String> more = new HashMap<>(holders);
        more.put(uid, key);
        return new Slots(value, more, version);
    }

    boolean has(String uid) {
        return holders.containsKey(uid);
    }

    /** How many slots are left: each object counts that has one or is among those that are not ready. */
    int free(Set<String> notReady, int most) {
        Set<String> counted = new HashSet<>(holders.keySet());
        counted.addAll(notReady);
        return Math.max(0, most - counted.size());
    }

    Slots without(Collection<String> uids) {
        Map<String, String> fewer = new HashMap<>(holders);
        fewer.keySet().removeAll(uids);
        return new Slots(value, fewer, version);
    }
}
