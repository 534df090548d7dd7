package io.controllermanager.informer.internal.store;

import io.controllermanager.informer.StoreSnapshot;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.informer.cache.Caches;
import io.kubernetes.client.informer.cache.Indexer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import kotlinx.collections.immutable.ExtensionsKt;
import org.jspecify.annotations.Nullable;

/**
 * Objects by key, and by the values of any number of indexes; by namespace always. Keys are those of client-java's {@link
 * Caches}: {@code namespace/name}, or just the name.
 *
 * <p>All that it holds is one immutable value, replaced at each change (after a list: once for all of it). So a read takes
 * no lock, waits for nobody, and sees all objects and indexes as of one moment. Only the informer writes, holding its lock;
 * the methods with which client-java's interface would let others write refuse.
 *
 * @param <T> the objects' class
 */
public final class IndexedStore<T extends KubernetesObject> implements Indexer<T>, OwnWrites.Shown<T> {

    private final Door door;
    private final @Nullable MutationDetector mutations;
    private volatile StoreContents<T> contents;

    /** What is being written and not seen by readers yet; null outside of {@link #atOnce}. Guarded by the lock. */
    private @Nullable StoreContents<T> draft;

    /** The objects of a draft that began with none, which is made whole in the end. Guarded by the lock. */
    private @Nullable Map<String, T> first;

    /**
     * An empty store.
     *
     * @param door behind which it is written
     * @param mutations told of each object, null if nobody is to look
     */
    public IndexedStore(Door door, @Nullable MutationDetector mutations) {
        this.door = door;
        this.mutations = mutations;
        this.contents = new StoreContents<>(
                ExtensionsKt.persistentHashMapOf(),
                Map.of(Caches.NAMESPACE_INDEX, StoreIndex.empty(Caches.NAMESPACE_INDEX, IndexedStore::namespaces)));
    }

    private static List<String> namespaces(KubernetesObject object) {
        String namespace = object.getMetadata().getNamespace();
        return namespace == null ? List.of() : List.of(namespace);
    }

    public static String key(KubernetesObject object) {
        return Caches.metaNamespaceKeyFunc(object);
    }

    /** An object's class and key, for messages. */
    public static String describe(Object object) {
        String type = object.getClass().getSimpleName();
        return object instanceof KubernetesObject known && known.getMetadata() != null ? type + " " + key(known) : type;
    }

    // Written by the informer, holding the lock.

    /** Has readers see all changes that the task makes at one moment, when it has ended; none if it throws. */
    public void atOnce(Runnable task) {
        StoreContents<T> before = contents;
        draft = before;
        first = before.size() == 0 ? new LinkedHashMap<>() : null;
        try {
            task.run();
            contents = first == null ? draft : before.of(first);
        } finally {
            draft = null;
            first = null;
        }
    }

    @Override
    public void put(String key, T object) {
        if (mutations != null) {
            mutations.watch(key, object);
        }
        if (first != null) {
            first.put(key, object);
        } else {
            change(written().with(key, object));
        }
    }

    @Override
    public void remove(String key) {
        if (first != null) {
            first.remove(key);
        } else {
            change(written().with(key, null));
        }
    }

    private void change(StoreContents<T> changed) {
        if (draft == null) {
            contents = changed;
        } else {
            draft = changed;
        }
    }

    private StoreContents<T> written() {
        StoreContents<T> writing = draft;
        return writing == null ? contents : writing;
    }

    public void clear() {
        contents = contents.of(Map.of());
    }

    /** The object as it has been written, even if readers do not see it yet. */
    @Override
    public @Nullable T current(String key) {
        return first == null ? written().objects().get(key) : first.get(key);
    }

    /** The keys of a namespace's objects, or of all, as {@link #current}. */
    public List<String> currentKeys(@Nullable String namespace) {
        if (namespace != null) {
            return currentKeys(Caches.NAMESPACE_INDEX, namespace);
        }
        return new ArrayList<>((first == null ? written().objects() : first).keySet());
    }

    /** The keys of an index's value, as {@link #current}. */
    public List<String> currentKeys(String index, String value) {
        StoreIndex<T> found = written().index(index);
        if (first == null) {
            return new ArrayList<>(found.at(value).keySet());
        }
        return first.entrySet().stream()
                .filter(entry -> found.values(entry.getValue()).contains(value))
                .map(Map.Entry::getKey)
                .toList();
    }

    // Read by anybody.

    /** How many objects an index has at a value. */
    public int count(String index, String value) {
        return contents.index(index).at(value).size();
    }

    public int size() {
        return contents.size();
    }

    /** The keys of this moment, without a copy. */
    public Set<String> keys() {
        return contents.objects().keySet();
    }

    public StoreSnapshot<T> snapshot() {
        return contents;
    }

    @Override
    public List<String> listKeys() {
        return new ArrayList<>(contents.objects().keySet());
    }

    @Override
    public @Nullable Object get(T object) {
        return contents.objects().get(key(object));
    }

    @Override
    @SuppressWarnings("NullAway") // client-java's interface, which knows no @Nullable, gives null for "not there" too
    public T getByKey(String key) {
        return contents.objects().get(key);
    }

    @Override
    public List<T> list() {
        return contents.list();
    }

    @Override
    public List<T> index(String indexName, T object) {
        StoreIndex<T> index = contents.index(indexName);
        Map<String, T> found = new LinkedHashMap<>();
        index.values(object).forEach(value -> index.at(value).forEach(found::put));
        return new ArrayList<>(found.values());
    }

    @Override
    public List<String> indexKeys(String indexName, String value) {
        return new ArrayList<>(contents.index(indexName).at(value).keySet());
    }

    @Override
    public List<T> byIndex(String indexName, String value) {
        return contents.byIndex(indexName, value);
    }

    @Override
    public Map<String, Function<T, List<String>>> getIndexers() {
        Map<String, Function<T, List<String>>> functions = new LinkedHashMap<>();
        contents.indexes().forEach((name, index) -> functions.put(name, index.function()));
        return functions;
    }

    /** Adds indexes, at any time; what is stored already is in them when this returns. Existing names stay as they are. */
    @Override
    public void addIndexers(Map<String, Function<T, List<String>>> indexers) {
        door.enter(() -> indexers.forEach((name, function) -> {
            StoreContents<T> before = contents;
            if (!before.indexes().containsKey(name)) {
                contents = before.withIndex(StoreIndex.empty(name, function));
            }
        }));
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
