package io.controllermanager.reconciler;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
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

    /** What an object is told that is to be changed. */
    enum Answer {
        /** It may be changed as it is. */
        PASS,
        /** It may be changed once it has taken a slot. */
        TAKE,
        /** There is no slot for it. */
        WAIT
    }

    /**
     * Whether an object may be changed. One that is not ready counts already, and must be mendable: it passes.
     *
     * @param notReady the uids of those that are not ready, whether or not they have slots
     */
    Answer ask(String uid, Set<String> notReady, int most) {
        if (holders.containsKey(uid) || notReady.contains(uid)) {
            return Answer.PASS;
        }
        return free(notReady, most) > 0 ? Answer.TAKE : Answer.WAIT;
    }

    /** How many slots are left: each object counts that has one or is not ready. */
    int free(Set<String> notReady, int most) {
        Set<String> counted = new HashSet<>(holders.keySet());
        counted.addAll(notReady);
        return Math.max(0, most - counted.size());
    }

    Slots with(String uid, String key) {
        Map<String, String> more = new HashMap<>(holders);
        more.put(uid, key);
        return new Slots(value, more, version);
    }

    Slots without(Collection<String> uids) {
        Map<String, String> fewer = new HashMap<>(holders);
        fewer.keySet().removeAll(uids);
        return new Slots(value, fewer, version);
    }

    /** The uids under which a key has slots: its object's, and those of objects that had its name before. */
    Set<String> uidsOf(String key) {
        return holders.keySet().stream()
                .filter(uid -> key.equals(holders.get(uid)))
                .collect(Collectors.toSet());
    }
}
