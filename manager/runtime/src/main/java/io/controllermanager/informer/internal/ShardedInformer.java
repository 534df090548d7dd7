package io.controllermanager.informer.internal;

import io.controllermanager.client.Registration;
import io.kubernetes.client.common.KubernetesObject;
import java.util.List;
import java.util.Map;

/**
 * An informer that holds the objects of some shards only. Its lister, indexes and snapshot show the union of what is held.
 * Objects that belong to no certain shard ({@link ShardedSelection#shardOf}) are held as long as any shard is.
 *
 * <p>What is added fills in the background, and its objects are told to subscribers as created; what is dropped vanishes from
 * the store without an event. Safe for use by several threads.
 *
 * @param <T> the objects' class
 */
public interface ShardedInformer<T extends KubernetesObject> extends HostInformer<T> {

    /**
     * Holds a shard from now on, on behalf of one more; also before this is run. Sends nothing and waits for no answer, at
     * most for a list that is being stored.
     *
     * @throws IndexOutOfBoundsException if there is no such shard
     */
    void hold(int shard);

    /**
     * Holds a shard on behalf of one less, and drops its objects if nobody is left. Waits as {@link #hold} does.
     *
     * @throws IllegalStateException if nobody holds it
     */
    void drop(int shard);

    /**
     * Tells once when a shard is filled: at once if it is, else on an informer's thread. Never if it is dropped before.
     *
     * @param told must be brief and must not block
     * @return ends the waiting
     */
    default Registration whenFilled(int shard, Runnable told) {
        return whenPassed(shard, Map.of(), told);
    }

    /**
     * Tells once when a shard is filled and has come as far as another process had written in it; otherwise as {@link
     * #whenFilled}. What was written of objects of no certain shard counts as well, what was in other shards does not.
     *
     * @param versions that one's {@link #writtenVersions()}
     */
    Registration whenPassed(int shard, Map<String, String> versions, Runnable told);

    /** The objects of a shard as they are now, those of no certain shard not counted; empty unless it is held. */
    List<T> list(int shard);

    /** How many objects {@link #list} has. */
    int size(int shard);
}
