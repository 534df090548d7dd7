package io.controllermanager.informer.internal;

import io.controllermanager.client.internal.ResourceVersions;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How far a watch has come, and lists of single shards beside it; and which of the two knows more of an object. Versions are
 * as {@link ResourceVersions} has them. Guarded by the informer's lock.
 */
final class ShardProgress {

    /** Objects that have gone since a shard has come, with the version of that: a list may still have them. */
    private final Map<String, Long> gone = new HashMap<>();

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

    /** A shard is dropped. */
    void drop(int shard) {
        listed.remove(shard);
    }

    /** The watch has told of the end of an object, or of a state in which it is not held, while a shard is to be listed. */
    void gone(String key, long at) {
        gone.merge(key, at, Math::max);
    }

    /** No shard is to be listed. */
    void nothingToList() {
        gone.clear();
    }

    /**
     * Whether the watch knows more of an object than a list of a shard.
     *
     * @param told the version that the watch has brought, null if it has brought none
     * @param at the version in the list
     */
    boolean watchIsAhead(String key, @Nullable Long told, long at) {
        // What had gone in this very state is of a shard that was not held then.
        return told == null ? gone.getOrDefault(key, -1L) > at : told >= at;
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
