package io.controllermanager.informer;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.util.labels.LabelSelector;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an informer held at one moment: all that is read from it, indexes included, fits together, however long one reads
 * and whatever happens meanwhile. To take one costs nothing; it keeps the objects of its moment in memory. Objects are
 * shared: not to be changed. Safe for use by several threads.
 *
 * @param <T> the objects' class
 */
public interface StoreSnapshot<T extends KubernetesObject> {

    /**
     * The object, null if there is none.
     *
     * @param namespace null for a type whose objects live in none
     */
    @Nullable
    T get(@Nullable String namespace, String name);

    /** How many objects there are. */
    int size();

    /** All objects, in no particular order. */
    List<T> list();

    /** The objects of a namespace, in no particular order. */
    List<T> list(String namespace);

    /**
     * The objects whose labels the selector matches, in no particular order.
     *
     * @param namespace null for all
     */
    List<T> list(@Nullable String namespace, LabelSelector selector);

    /**
     * The objects to which an index gives a value, in no particular order.
     *
     * @throws IllegalArgumentException if there is no such index
     */
    List<T> byIndex(String index, String value);
}
