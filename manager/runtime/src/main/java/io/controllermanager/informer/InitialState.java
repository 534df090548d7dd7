package io.controllermanager.informer;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.informer.cache.Caches;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The objects of a WatchList as they come, until all are there. Used by one thread.
 *
 * @param <T> the objects' class
 */
final class InitialState<T extends KubernetesObject> {

    private List<T> added = new ArrayList<>();

    /** Only needed once an object is changed or deleted while the others are still coming, which is rare. */
    private @Nullable Map<String, T> byKey;

    void put(T object, boolean isNew) {
        if (isNew && byKey == null) {
            added.add(object);
        } else {
            byKey().put(Caches.metaNamespaceKeyFunc(object), object);
        }
    }

    void remove(T object) {
        byKey().remove(Caches.metaNamespaceKeyFunc(object));
    }

    int size() {
        return byKey == null ? added.size() : byKey.size();
    }

    /** All objects. */
    List<T> objects() {
        return byKey == null ? added : new ArrayList<>(byKey.values());
    }

    private Map<String, T> byKey() {
        Map<String, T> map = byKey;
        if (map == null) {
            map = new LinkedHashMap<>(added.size() * 2);
            for (T object : added) {
                map.put(Caches.metaNamespaceKeyFunc(object), object);
            }
            added = List.of();
            byKey = map;
        }
        return map;
    }
}
