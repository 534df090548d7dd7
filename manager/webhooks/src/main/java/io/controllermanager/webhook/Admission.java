package io.controllermanager.webhook;

import io.controllermanager.client.ResourceType;
import io.controllermanager.informer.Selection;
import io.controllermanager.reconciler.Index;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1UserInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a write that waits to be admitted, and what its webhook may read. For one call, on its thread.
 *
 * @param <T> the objects' class
 */
public interface Admission<T extends KubernetesObject> {

    /** What is to be done. */
    enum Operation {
        CREATE,
        UPDATE,
        DELETE
    }

    /** What is to be done. */
    Operation operation();

    /** The object's namespace; null if it has none. */
    @Nullable
    String namespace();

    /** Who asks: name, uid, groups and what the authenticator says besides. */
    V1UserInfo user();

    /** Whether nothing is stored, whatever is answered. */
    boolean isDryRun();

    /** The object as it is stored; null for one that is made. */
    @Nullable
    T before();

    /**
     * An object in the cache, in the same namespace unless the name is {@code namespace/name}; null if there is none. It is
     * shared: not to be changed.
     *
     * @throws IllegalArgumentException if the description does not name the type
     */
    default <R extends KubernetesObject> @Nullable R find(ResourceType<R> type, String name) {
        return find(Selection.of(type), name);
    }

    /**
     * As {@link #find(ResourceType, String)}, for some objects of a type.
     *
     * @throws IllegalArgumentException if the description does not name the selection
     */
    <R extends KubernetesObject> @Nullable R find(Selection<R> selection, String name);

    /**
     * The objects under a value of an index, of all namespaces. They are shared: not to be changed.
     *
     * @throws IllegalArgumentException if the description does not name the index
     */
    <R extends KubernetesObject> List<R> find(Index<R> index, String value);
}
