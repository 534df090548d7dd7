package io.controllermanager.manager.internal;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Which of the versions that a process has written go with which Lease. One that is released carries only what its next
 * holder waits for: the Leases of many shards would else carry what was written in all of them. Decisions without state.
 */
final class ShardNotes {

    /** How the labels end of what is held by shards. */
    private static final Pattern OF_A_SHARD = Pattern.compile("#(any|\\d+)-of-\\d+$");

    private ShardNotes() {}

    /** What is held whole, and what of the shard, of so many, or of no certain one. Of one shard, only what is held whole. */
    static Map<String, String> ofShard(Map<String, String> written, int shard, int count) {
        String own = "#" + shard + "-of-" + count;
        String any = "#any-of-" + count;
        return those(written, label -> isWhole(label) || label.endsWith(own) || label.endsWith(any));
    }

    private static boolean isWhole(String label) {
        return !OF_A_SHARD.matcher(label).find();
    }

    private static Map<String, String> those(Map<String, String> written, Predicate<String> wanted) {
        Map<String, String> notes = new TreeMap<>(written);
        notes.keySet().removeIf(wanted.negate());
        return notes;
    }
}
