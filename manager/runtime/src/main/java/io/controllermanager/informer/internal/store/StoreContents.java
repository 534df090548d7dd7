package io.controllermanager.informer.internal.store;

import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.informer.StoreSnapshot;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.informer.cache.Caches;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.util.labels.LabelSelector;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import kotlinx.collections.immutable.ExtensionsKt;
import kotlinx.collections.immutable.PersistentMap;
import org.jspecify.annotations.Nullable;

/**
 * A store's objects and indexes at one moment.
 *
 * @param <T> the objects' class
 * @param objects the objects by key
 * @param indexes the indexes by name
 */
record StoreContents<T extends KubernetesObject>(PersistentMap<String, T> objects, Map<String, StoreIndex<T>> indexes)
        implements StoreSnapshot<T> {

    /** The same with another object at a key; null for none. */
    StoreContents<T> with(String key, @Nullable T object) {
        T old = objects.get(key);
        if (old == null && object == null) {
            return this;
        }
        Map<String, StoreIndex<T>> changed = new LinkedHashMap<>();
        indexes.forEach((name, index) -> changed.put(name, index.with(key, old, object)));
        return new StoreContents<>(object == null ? objects.remove(key) : objects.put(key, object), changed);
    }

    /** The same indexes over other objects. */
    StoreContents<T> of(Map<String, T> others) {
        Map<String, StoreIndex<T>> changed = new LinkedHashMap<>();
        indexes.forEach((name, index) -> changed.put(name, index.of(others)));
        return new StoreContents<>(ExtensionsKt.toPersistentHashMap(others), changed);
    }

    StoreContents<T> withIndex(StoreIndex<T> empty) {
        Map<String, StoreIndex<T>> more = new LinkedHashMap<>(indexes);
        more.put(empty.name(), empty.of(objects));
        return new StoreContents<>(objects, more);
    }

    StoreIndex<T> index(String name) {
        StoreIndex<T> index = indexes.get(name);
        if (index == null) {
            throw new IllegalArgumentException("there is no index \"" + name + "\", only " + indexes.keySet());
        }
        return index;
    }

    /** The objects of a namespace, or all. */
    PersistentMap<String, T> in(@Nullable String namespace) {
        return namespace == null ? objects : index(Caches.NAMESPACE_INDEX).at(namespace);
    }

    @Override
    public @Nullable T get(@Nullable String namespace, String name) {
        return objects.get(Keys.shown(namespace, name));
    }

    @Override
    public int size() {
        return objects.size();
    }

    @Override
    public List<T> list() {
        return new ArrayList<>(objects.values());
    }

    @Override
    public List<T> list(String namespace) {
        return new ArrayList<>(in(namespace).values());
    }

    @Override
    public List<T> list(@Nullable String namespace, LabelSelector selector) {
        List<T> objectsThere = new ArrayList<>(in(namespace).values());
        objectsThere.removeIf(object -> !selector.test(labels(object.getMetadata())));
        return objectsThere;
    }

    private static Map<String, String> labels(V1ObjectMeta metadata) {
        return metadata.getLabels() == null ? Map.of() : metadata.getLabels();
    }

    @Override
    public List<T> byIndex(String index, String value) {
        return new ArrayList<>(index(index).at(value).values());
    }
}
