package io.controllermanager.informer.internal;

import io.controllermanager.client.internal.request.ResourceVersions;
import io.kubernetes.client.common.KubernetesObject;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A store as one of several partitions sees it whose objects may have the same keys one after the other. Guarded by the
 * informer's lock.
 *
 * @param <T> the objects' class
 * @param ours which objects are the partition's
 */
record StoreShare<T extends KubernetesObject>(IndexedStore<T> store, Predicate<T> ours) implements OwnWrites.Shown<T> {

    @Override
    public @Nullable T current(String key) {
        T there = store.current(key);
        return there == null || !ours.test(there) ? null : there;
    }

    /** Another partition's object that is newer stays. */
    @Override
    public void put(String key, T object) {
        T there = store.current(key);
        if (there == null || ours.test(there) || ResourceVersions.number(there) <= ResourceVersions.number(object)) {
            store.put(key, object);
        }
    }

    /** Another partition's object stays. */
    @Override
    public void remove(String key) {
        if (current(key) != null) {
            store.remove(key);
        }
    }
}
