package io.controllermanager.informer.internal.partition;

import io.controllermanager.client.internal.request.ResourceVersions;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How far a watch has come, and lists of single shards beside it. Versions are as {@link ResourceVersions} has them. Guarded
 * by the informer's lock.
 */
final class ShardProgress {

    /** By shard, the versions of lists that are newer than the watch. */
    private final Map<Integer, Long> listed = new HashMap<>();

    private String version = "";

    /** The newest version of the watch, empty before there is one. */
    String version() {
        return version;
    }

    /** How far a shard has come, negative if that is not known. */
    long passed(int shard) {
        return Math.max(ResourceVersions.number(version), listed.getOrDefault(shard, -1L));
    }

    /** The whole collection has been read. */
    void read(String newVersion) {
        version = newVersion;
        listed.clear();
    }

    /** The watch has come to a version. */
    void watched(@Nullable String newVersion) {
        long at = ResourceVersions.number(newVersion);
        if (newVersion != null && at >= ResourceVersions.number(version)) {
            version = newVersion;
            listed.values().removeIf(list -> list <= at);
        }
    }

    /** Shards have been listed beside the watch. */
    void listed(Collection<Integer> shards, long at) {
        if (at > ResourceVersions.number(version)) {
            shards.forEach(shard -> listed.put(shard, at));
        }
    }

    void drop(int shard) {
        listed.remove(shard);
    }

    /**
     * Whether a list of a shard knows more of an object than what the watch says now.
     *
     * @param told the version that is known, null for none
     * @param shard of the state that the watch brings
     * @param at its version
     */
    boolean listIsAhead(@Nullable Long told, int shard, long at) {
        if (listed.isEmpty()) {
            return false;
        }
        return told == null ? listed.getOrDefault(shard, -1L) >= at : told >= at;
    }
}
