package io.controllermanager.informer.internal;

import io.kubernetes.client.common.KubernetesObject;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The partitions of an informer. Safe for use by several threads; {@link #start} and {@link #end} are called with the
 * informer's lock held.
 *
 * @param <T> the objects' class
 */
interface Partitions<T extends KubernetesObject> {

    /** Makes partitions and starts their reflectors. */
    void start();

    /**
     * Ends all partitions.
     *
     * @return their reflectors, to be stopped without the lock
     */
    List<Reflector<T>> end();

    /** Those that there are now. */
    List<Partition<T>> now();

    /** Reflectors beside theirs that list what has come to be held, and end with that. */
    default List<Reflector<T>> lists() {
        return List.of();
    }

    /** Whether all that the informer is to hold has been stored. */
    boolean areFilled();

    /** See {@link HostInformer#lacking}. */
    default Set<String> lacking() {
        return Set.of();
    }

    /**
     * This process has written something, and its author has not seen the answer yet.
     *
     * @param stored the object as it is stored; null if there is none, or the informer does not select it
     */
    void written(WriteAnswers.Answer<T> answer, @Nullable T stored);

    /** See {@link HostInformer#hasPassed}. */
    boolean hasPassed(Map<String, String> versions);

    /** What is held of the whole, for the informer's label in its status; empty for all. */
    String extent();
}
