package io.controllermanager.informer.internal.store;

import io.controllermanager.client.internal.request.FailureCount;
import io.controllermanager.client.internal.request.FailureMessage;
import io.kubernetes.client.common.KubernetesObject;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import kotlinx.collections.immutable.ExtensionsKt;
import kotlinx.collections.immutable.PersistentMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One way to find objects: by the values that a function gives them.
 *
 * @param <T> the objects' class
 * @param name the index's name
 * @param function gives an object's values
 * @param entries the objects by value, and by key
 * @param failures how often the function has failed, in whatever state of the index
 */
record StoreIndex<T extends KubernetesObject>(
        String name,
        Function<T, List<String>> function,
        PersistentMap<String, PersistentMap<String, T>> entries,
        FailureCount failures) {

    private static final Logger log = LoggerFactory.getLogger(StoreIndex.class);

    static <T extends KubernetesObject> StoreIndex<T> empty(String name, Function<T, List<String>> function) {
        return new StoreIndex<>(name, function, ExtensionsKt.persistentHashMapOf(), new FailureCount());
    }

    Set<String> values(T object) {
        try {
            List<String> values = function.apply(object);
            if (values == null || values.isEmpty()) {
                return Set.of();
            }
            if (values.size() == 1) {
                String value = values.get(0);
                return value == null ? Set.of() : Set.of(value);
            }
            Set<String> different = new LinkedHashSet<>(values);
            different.removeIf(Objects::isNull);
            return different;
        } catch (OutOfMemoryError e) {
            // Nothing is known of the function then. A message of the watch is taken again.
            throw e;
        } catch (Throwable e) {
            // A caller's function must not end the informer.
            long count = failures.next();
            if (count > 0) {
                log.error(
                        "Index {} leaves out {}, since its function failed (failures so far: {}): {}",
                        name,
                        IndexedStore.describe(object),
                        count,
                        FailureMessage.of(e),
                        e);
            }
            return Set.of();
        }
    }

    PersistentMap<String, T> at(String value) {
        PersistentMap<String, T> found = entries.get(value);
        return found == null ? ExtensionsKt.persistentHashMapOf() : found;
    }

    /** The index after a change of one object: from nothing, if the old one is null, or to nothing. */
    StoreIndex<T> with(String key, @Nullable T old, @Nullable T object) {
        Set<String> values = object == null ? Set.of() : values(object);
        PersistentMap<String, PersistentMap<String, T>> changed = entries;
        if (old != null) {
            for (String value : values(old)) {
                if (!values.contains(value)) {
                    PersistentMap<String, T> left = at(value).remove(key);
                    changed = left.isEmpty() ? changed.remove(value) : changed.put(value, left);
                }
            }
        }
        for (String value : values) {
            changed = changed.put(value, at(value).put(key, Objects.requireNonNull(object)));
        }
        return changed == entries ? this : new StoreIndex<>(name, function, changed, failures);
    }

    /** The same index over other objects. */
    StoreIndex<T> of(Map<String, T> objects) {
        Map<String, Map<String, T>> byValue = new HashMap<>();
        objects.forEach((key, object) -> {
            for (String value : values(object)) {
                byValue.computeIfAbsent(value, v -> new LinkedHashMap<>()).put(key, object);
            }
        });
        PersistentMap<String, PersistentMap<String, T>> empty = ExtensionsKt.persistentHashMapOf();
        PersistentMap.Builder<String, PersistentMap<String, T>> made = empty.builder();
        byValue.forEach((value, found) -> made.put(value, ExtensionsKt.toPersistentHashMap(found)));
        return new StoreIndex<>(name, function, made.build(), failures);
    }
}
