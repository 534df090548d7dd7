package io.controllermanager.informer.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.client.internal.request.Obstacle;
import io.controllermanager.informer.Informer;
import io.controllermanager.informer.internal.delivery.EventSubscriber;
import io.controllermanager.informer.internal.delivery.Subscription;
import io.kubernetes.client.common.KubernetesObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * An informer as the host sees it: it can be waited for, says how it is, and answers for the shards of a controller. It holds
 * its objects whole, or those of some shards only.
 *
 * <p>Of shards, the lister, indexes and snapshot show the union of what is held. Objects that belong to no certain shard
 * ({@code ShardedSelection.shardOf}) are held as long as any shard is. What is added fills in the background, and its objects
 * are told to subscribers as created; what is dropped vanishes from the store without an event. Safe for use by several
 * threads.
 *
 * @param <T> the objects' class
 */
public interface HostInformer<T extends KubernetesObject> extends Informer<T> {

    /**
     * Adds a subscriber, which first receives the present state as initial {@code Created} events.
     *
     * @param name for the delivery thread's name and metrics, such as the controller's name
     * @param resync how often every object is delivered again as an update with an unchanged resourceVersion;
     *     zero for never
     */
    Subscription subscribe(String name, EventSubscriber<T> subscriber, Duration resync);

    /**
     * The newest versions of what this process has written of this informer's objects, as it knows from the answers: for
     * another process that is to go on where this one ends. Empty if it has written nothing, or its own writes are not read
     * ({@link InformerOptions#readOwnWrites}).
     */
    Map<String, String> writtenVersions();

    /**
     * Whether this informer has come as far as another process's informer of the same type and namespaces had written.
     *
     * @param versions that one's {@link #writtenVersions}; what is of other informers is left out of account
     */
    boolean hasPassed(Map<String, String> versions);

    /**
     * Tells once when something that depends on this informer is the case: at once if it is, else on an informer's thread.
     *
     * @param told must be brief and must not block
     * @return ends the waiting
     */
    Registration when(BooleanSupplier reached, Runnable told);

    /** Tells once when {@link #hasSynced} is true, as {@link #when} does. */
    default Registration whenSynced(Runnable told) {
        return when(this::hasSynced, told);
    }

    /**
     * Tells once when {@link #hasPassed} is true, as {@link #when} does.
     *
     * @param versions as for {@link #hasPassed}
     */
    default Registration whenPassed(Map<String, String> versions, Runnable told) {
        return when(() -> hasPassed(versions), told);
    }

    /** Whether it holds its objects whatever shards are held. It does not tell shards apart then. */
    boolean isHeldWhole();

    /**
     * Holds a shard from now on, on behalf of one more; also before this is run. Sends nothing and waits for no answer, at
     * most for a list that is being stored. Does nothing where the informer is held whole.
     *
     * @throws IndexOutOfBoundsException if there is no such shard
     */
    void hold(int shard);

    /**
     * Holds a shard on behalf of one less, and drops its objects if nobody is left. Waits as {@link #hold} does. Does nothing
     * where the informer is held whole.
     *
     * @throws IllegalStateException if nobody holds it
     */
    void drop(int shard);

    /**
     * Tells once when a shard is filled, as {@link #when} does; never if it is dropped before. As {@link #whenSynced} where the
     * informer is held whole.
     */
    default Registration whenFilled(int shard, Runnable told) {
        return isHeldWhole() ? whenSynced(told) : whenPassed(shard, Map.of(), told);
    }

    /**
     * Tells once when a shard is filled and has come as far as another process had written in it; otherwise as {@link
     * #whenFilled}. What was written of objects of no certain shard counts as well, what was in other shards does not. As
     * {@link #whenPassed(Map, Runnable)} where the informer is held whole.
     *
     * @param versions that one's {@link #writtenVersions()}
     */
    Registration whenPassed(int shard, Map<String, String> versions, Runnable told);

    /**
     * The objects of a shard as they are now, those of no certain shard not counted; empty unless it is held. All objects
     * where the informer is held whole.
     */
    List<T> list(int shard);

    /** The keys of all objects that are held now, without a copy of them. */
    Set<String> keys();

    /** How many objects are held for a shard alone; 0 where the informer is held whole. */
    int size(int shard);

    /** Of the namespaces that are listed one by one, those of which that is still to be done. */
    Set<String> lacking();

    /** What is in the way of its lists and watches at this moment. */
    List<Obstacle> obstacles();

    /** How the informer is, for operators. */
    InformerStatus status();
}
