package io.controllermanager.informer;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.informer.cache.Caches;
import io.kubernetes.client.informer.cache.Indexer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Objects by key, and by the values of any number of indexes; by namespace always. Keys are those of client-java's {@link
 * Caches}: {@code namespace/name}, or just the name. Reads take no lock and see each object either before or after a
 * change. Only the informer writes, one thread at a time; the methods with which client-java's interface would let others
 * write refuse.
 *
 * @param <T> the objects' class
 */
final class IndexedStore<T extends KubernetesObject> implements Indexer<T> {

    private static final Logger log = LoggerFactory.getLogger(IndexedStore.class);

    private final ConcurrentHashMap<String, T> objects = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, Index<T>> indexes = new ConcurrentHashMap<>();
    private final Object writeLock;

    /** One way to find objects: the keys and objects that a function gives a value. */
    private record Index<T>(
            String name, Function<T, List<String>> function, ConcurrentHashMap<String, Map<String, T>> entries) {

        List<String> values(T object) {
            try {
                List<String> values = function.apply(object);
                return values == null ? List.of() : values;
            } catch (RuntimeException e) {
                // A caller's function must not end the informer.
                log.error("Index function {} failed; the object is not in the index", name, e);
                return List.of();
            }
        }

        void put(String key, T object) {
            for (String value : values(object)) {
                if (value != null) {
                    entries.computeIfAbsent(value, v -> new ConcurrentHashMap<>())
                            .put(key, object);
                }
            }
        }

        /** Takes the key out where the old object's values had put it, save for the values of the new one. */
        void remove(String key, T old, List<String> kept) {
            for (String value : values(old)) {
                if (value != null && !kept.contains(value)) {
                    entries.computeIfPresent(value, (v, keys) -> {
                        keys.remove(key);
                        return keys.isEmpty() ? null : keys;
                    });
                }
            }
        }
    }

    /**
     * An empty store.
     *
     * @param writeLock held by whoever writes
     */
    IndexedStore(Object writeLock) {
        this.writeLock = writeLock;
        indexes.put(Caches.NAMESPACE_INDEX, index(Caches.NAMESPACE_INDEX, IndexedStore::namespaces));
    }

    private static <T> Index<T> index(String name, Function<T, List<String>> function) {
        return new Index<>(name, function, new ConcurrentHashMap<>());
    }

    private static List<String> namespaces(KubernetesObject object) {
        String namespace = object.getMetadata().getNamespace();
        return namespace == null ? List.of() : List.of(namespace);
    }

    static String key(KubernetesObject object) {
        return Caches.metaNamespaceKeyFunc(object);
    }

    // Written by the informer, holding the lock.

    /** Sets an object and gives what was there before. */
    @Nullable
    T put(String key, T object) {
        T old = objects.put(key, object);
        for (Index<T> index : indexes.values()) {
            // First in, then out: a reader may find an object twice for a moment, but never not at all.
            index.put(key, object);
            if (old != null) {
                index.remove(key, old, index.values(object));
            }
        }
        return old;
    }

    /** Removes an object and gives it. */
    @Nullable
    T remove(String key) {
        T old = objects.remove(key);
        if (old != null) {
            indexes.values().forEach(index -> index.remove(key, old, List.of()));
        }
        return old;
    }

    void clear() {
        objects.clear();
        indexes.values().forEach(index -> index.entries().clear());
    }

    int size() {
        return objects.size();
    }

    /** The objects of a namespace, or all. */
    Map<String, T> view(@Nullable String namespace) {
        if (namespace == null) {
            return objects;
        }
        return Objects.requireNonNull(indexes.get(Caches.NAMESPACE_INDEX))
                .entries()
                .getOrDefault(namespace, Map.of());
    }

    // Read by anybody.

    @Override
    public List<String> listKeys() {
        return new ArrayList<>(objects.keySet());
    }

    @Override
    public @Nullable Object get(T object) {
        return objects.get(key(object));
    }

    @Override
    @SuppressWarnings("NullAway") // client-java's interface, which knows no @Nullable, gives null for "not there" too
    public T getByKey(String key) {
        return objects.get(key);
    }

    @Override
    public List<T> list() {
        return new ArrayList<>(objects.values());
    }

    @Override
    public List<T> index(String indexName, T object) {
        Index<T> index = named(indexName);
        Map<String, T> found = new LinkedHashMap<>();
        for (String value : new LinkedHashSet<>(index.values(object))) {
            if (value != null) {
                found.putAll(index.entries().getOrDefault(value, Map.of()));
            }
        }
        return new ArrayList<>(found.values());
    }

    @Override
    public List<String> indexKeys(String indexName, String value) {
        Set<String> keys =
                named(indexName).entries().getOrDefault(value, Map.of()).keySet();
        return new ArrayList<>(keys);
    }

    @Override
    public List<T> byIndex(String indexName, String value) {
        Collection<T> found =
                named(indexName).entries().getOrDefault(value, Map.of()).values();
        return new ArrayList<>(found);
    }

    private Index<T> named(String name) {
        Index<T> index = indexes.get(name);
        if (index == null) {
            throw new IllegalArgumentException("there is no index \"" + name + "\", only " + indexes.keySet());
        }
        return index;
    }

    @Override
    public Map<String, Function<T, List<String>>> getIndexers() {
        Map<String, Function<T, List<String>>> functions = new LinkedHashMap<>();
        indexes.forEach((name, index) -> functions.put(name, index.function()));
        return functions;
    }

    /** Adds indexes, at any time; what is stored already is in them when this returns. Existing names stay as they are. */
    @Override
    public void addIndexers(Map<String, Function<T, List<String>>> indexers) {
        synchronized (writeLock) {
            indexers.forEach((name, function) -> {
                if (!indexes.containsKey(name)) {
                    Index<T> added = index(name, function);
                    objects.forEach(added::put);
                    indexes.put(name, added);
                }
            });
        }
    }

    // Not for callers.

    @Override
    public void add(T object) {
        throw readOnly();
    }

    @Override
    public void update(T object) {
        throw readOnly();
    }

    @Override
    public void delete(T object) {
        throw readOnly();
    }

    @Override
    public void replace(List<T> list, String resourceVersion) {
        throw readOnly();
    }

    @Override
    public void resync() {
        throw readOnly();
    }

    private static UnsupportedOperationException readOnly() {
        return new UnsupportedOperationException("only its informer writes to this store");
    }
}
