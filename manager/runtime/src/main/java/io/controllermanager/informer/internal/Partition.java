package io.controllermanager.informer.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.client.internal.ResourceVersions;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.time.Clock;
import io.kubernetes.client.common.KubernetesObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The part of an informer that one reflector fills: all objects, or those of a namespace. Turns what the reflector brings
 * into changes of the store and events for subscribers, both under the informer's lock.
 *
 * @param <T> the object's class
 */
final class Partition<T extends KubernetesObject> implements Reflector.Sink<T> {

    private final @Nullable String namespace;
    private final String label;
    private final Object lock;
    private final IndexedStore<T> store;
    private final SharedProcessor<T> processor;
    private final Runnable onFilled;
    private final Runnable onProgress;
    private final OwnWrites<T> ownWrites;
    private final Reflector<T> reflector;
    private volatile long newestWritten;

    @GuardedBy("lock")
    private boolean filled;

    @GuardedBy("lock")
    private boolean ended;

    /**
     * An empty part.
     *
     * @param namespace null for all
     * @param label the same in every process that is configured alike
     * @param lock the informer's
     * @param onFilled called once the first list is stored, under the lock
     * @param onProgress called after each change, without the lock
     * @param reflector made for this, not started
     */
    Partition(
            @Nullable String namespace,
            String label,
            Object lock,
            IndexedStore<T> store,
            SharedProcessor<T> processor,
            Clock clock,
            Runnable onFilled,
            Runnable onProgress,
            Function<Reflector.Sink<T>, Reflector<T>> reflector) {
        this.namespace = namespace;
        this.label = label;
        this.lock = lock;
        this.store = store;
        this.processor = processor;
        this.onFilled = onFilled;
        this.onProgress = onProgress;
        this.ownWrites = new OwnWrites<>(store, clock);
        this.reflector = reflector.apply(this);
    }

    String label() {
        return label;
    }

    Reflector<T> reflector() {
        return reflector;
    }

    /** How many writes readers see that the watch has not brought yet. */
    int ownWrites() {
        return ownWrites.size();
    }

    /** The newest version that this process has written, 0 if it has written nothing. */
    long newestWritten() {
        return newestWritten;
    }

    /** Whether the reflector has come as far as another process had written. */
    boolean hasPassed(Map<String, String> versions) {
        return ResourceVersions.number(reflector.resourceVersion()) >= ResourceVersions.number(versions.get(label));
    }

    /** From now on nothing is taken: a reflector that has been stopped may have one more thing to say. */
    void end() {
        synchronized (lock) {
            ended = true;
        }
    }

    /** Adds an event for each object that subscribers know of: not what the watch has not brought yet. */
    void tell(Function<T, ResourceEvent<T>> event, List<ResourceEvent<T>> events) {
        synchronized (lock) {
            for (String key : toldKeys()) {
                T told = ownWrites.told(key);
                if (told != null) {
                    events.add(event.apply(told));
                }
            }
        }
    }

    private Set<String> toldKeys() {
        return ownWrites.toldKeys(store.currentKeys(namespace));
    }

    /**
     * This process has written something, and its author has not seen the answer yet.
     *
     * @param stored the object as it is stored; null if there is none, or the informer does not hold it
     */
    void written(WriteAnswers.Answer<T> answer, @Nullable T stored) {
        if (namespace != null && !namespace.equals(answer.namespace())) {
            return;
        }
        synchronized (lock) {
            if (answer instanceof WriteAnswers.Answer.Stored<T> s) {
                if (stored != null) {
                    newestWritten = Math.max(newestWritten, s.version());
                }
                ownWrites.written(s.key(), stored, s.version());
            } else if (answer instanceof WriteAnswers.Answer.Deleted<T> d) {
                newestWritten = Math.max(newestWritten, d.version());
                ownWrites.deleted(d.key(), d.uid(), d.version());
            }
        }
    }

    @Override
    public void replace(Map<String, T> listed, String version) {
        synchronized (lock) {
            if (ended) {
                return;
            }
            List<ResourceEvent<T>> events = new ArrayList<>(listed.size());
            boolean initial = !filled;
            store.atOnce(() -> replace(listed, ResourceVersions.number(version), initial, events));
            processor.distribute(events);
            if (!filled) {
                filled = true;
                onFilled.run();
            }
        }
        onProgress.run();
    }

    private void replace(Map<String, T> listed, long version, boolean initial, List<ResourceEvent<T>> events) {
        ownWrites.listing(version, listed);
        Set<String> gone = toldKeys();
        gone.removeAll(listed.keySet());
        listed.forEach((key, object) -> set(key, object, initial, events));
        for (String key : gone) {
            T last = ownWrites.told(key);
            ownWrites.omit(key);
            if (last != null) {
                events.add(new ResourceEvent.Deleted<>(last, true));
            }
        }
    }

    @Override
    public void put(T object) {
        synchronized (lock) {
            if (!ended) {
                List<ResourceEvent<T>> events = new ArrayList<>(2);
                set(IndexedStore.key(object), object, false, events);
                processor.distribute(events);
                // Before an own write can come between, which may be older.
                ownWrites.passed(ResourceVersions.number(object));
            }
        }
    }

    @Override
    public void remove(T object) {
        synchronized (lock) {
            if (ended) {
                return;
            }
            String key = IndexedStore.key(object);
            T known = ownWrites.told(key);
            ownWrites.remove(key, object);
            if (known != null) {
                List<ResourceEvent<T>> events = List.of(new ResourceEvent.Deleted<>(object, false));
                processor.distribute(events);
            }
            ownWrites.passed(ResourceVersions.number(object));
        }
    }

    @Override
    public void passed(String version) {
        synchronized (lock) {
            if (!ended) {
                ownWrites.passed(ResourceVersions.number(version));
            }
        }
        onProgress.run();
    }

    private void set(String key, T object, boolean initial, List<ResourceEvent<T>> events) {
        T before = ownWrites.told(key);
        if (before != null && sameVersion(before, object)) {
            return;
        }
        ownWrites.put(key, object);
        if (before == null) {
            events.add(new ResourceEvent.Created<>(object, initial));
        } else if (Objects.equals(uid(before), uid(object))) {
            events.add(new ResourceEvent.Updated<>(before, object));
        } else {
            // Deleted and created again while nobody watched: two objects, though they share a name.
            events.add(new ResourceEvent.Deleted<>(before, true));
            events.add(new ResourceEvent.Created<>(object, false));
        }
    }

    private static boolean sameVersion(KubernetesObject a, KubernetesObject b) {
        String version = a.getMetadata().getResourceVersion();
        return version != null && version.equals(b.getMetadata().getResourceVersion());
    }

    private static @Nullable String uid(KubernetesObject object) {
        return object.getMetadata().getUid();
    }
}
