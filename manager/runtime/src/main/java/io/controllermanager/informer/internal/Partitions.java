package io.controllermanager.informer.internal;

import io.kubernetes.client.common.KubernetesObject;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The partitions of an informer, each with its reflector, and what they answer for shards. Guarded by the informer's lock, but
 * for what is said to be for any thread.
 *
 * @param <T> the objects' class
 */
interface Partitions<T extends KubernetesObject> {

    /** The namespaces to read one by one, or null alone for all at once. */
    static Collection<@Nullable String> orAll(Set<String> namespaces) {
        return namespaces.isEmpty() ? Collections.singleton(null) : Collections.unmodifiableSet(namespaces);
    }

    /** Makes partitions and starts their reflectors. */
    void start();

    /**
     * Ends all partitions.
     *
     * @return their reflectors, to be stopped without the lock
     */
    List<Reflector<T>> end();

    /** Those that there are now. By any thread. */
    List<? extends Partition<T>> now();

    /** Reflectors beside theirs that list what has come to be held, and end with that. By any thread. */
    default List<Reflector<T>> lists() {
        return List.of();
    }

    /** Whether all that the informer is to hold has been stored. By any thread. */
    boolean areFilled();

    /** See {@link HostInformer#lacking}. By any thread. */
    default Set<String> lacking() {
        return Set.of();
    }

    /** See {@link HostInformer#hasPassed}. */
    boolean hasPassed(Map<String, String> versions);

    /** What is held of the whole, for the informer's label in its status; empty for all. */
    default String extent() {
        return "";
    }

    /** See {@link HostInformer#isHeldWhole}. By any thread. */
    default boolean isHeldWhole() {
        return true;
    }

    /** See {@link HostInformer#hold}. */
    default void hold(int shard) {}

    /** See {@link HostInformer#drop}. */
    default void drop(int shard) {}

    /** See {@link HostInformer#list(int)}. By any thread. */
    List<T> list(int shard);

    /** See {@link HostInformer#size(int)}. By any thread. */
    default int size(int shard) {
        return 0;
    }

    /** Tells whether what {@link HostInformer#whenPassed(int, Map, Runnable)} waits for is the case. */
    default BooleanSupplier passes(int shard, Map<String, String> versions) {
        return () -> hasPassed(versions);
    }
}
