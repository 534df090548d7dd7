package io.controllermanager.informer.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.client.internal.request.ResourceVersions;
import io.controllermanager.event.ResourceEvent;
import io.kubernetes.client.common.KubernetesObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The part of an informer that one reflector fills: all objects, those of a namespace, or those of some shards. Turns what
 * the reflector brings into changes of the store and events for subscribers, both under the informer's lock.
 *
 * @param <T> the object's class
 */
final class Partition<T extends KubernetesObject> implements Reflector.Sink<T> {

    private final Object lock;
    private final IndexedStore<T> store;
    private final OwnWrites.Shown<T> shown;
    private final Supplier<List<String>> keys;
    private final Rivals<T> rivals;
    private final SharedProcessor<T> processor;
    private final Runnable onFilled;
    private final Runnable onProgress;
    private final OwnWrites<T> ownWrites;
    private final WrittenVersions versions;
    private final Reflector<T> reflector;

    @GuardedBy("lock")
    private boolean filled;

    /** Whether what is known is of another history than what comes next, the whole collection. */
    @GuardedBy("lock")
    private boolean restored;

    @GuardedBy("lock")
    private boolean ended;

    /** Other partitions that may have an object of the same key. */
    @FunctionalInterface
    interface Rivals<T extends KubernetesObject> {

        /** No other partition has. */
        static <T extends KubernetesObject> Rivals<T> none() {
            return (asking, key, object, events) -> true;
        }

        /**
         * Has the others give up the key, if what they know of it is older than an object.
         *
         * @param events takes those of what they give up
         * @return false if another one knows of something newer
         */
        boolean settle(Partition<T> asking, String key, T object, List<ResourceEvent<T>> events);
    }

    /**
     * An empty part.
     *
     * @param shown the store's objects, as far as they may be this part's
     * @param keys gives the keys in the store that are this part's, under the lock
     * @param onFilled called once the first list is stored, under the lock
     * @param onProgress called after each change, without the lock
     * @param reflector made for this, not started
     */
    Partition(
            InformerParts<T> parts,
            OwnWrites.Shown<T> shown,
            Supplier<List<String>> keys,
            Rivals<T> rivals,
            Runnable onFilled,
            Runnable onProgress,
            Function<Partition<T>, Reflector<T>> reflector) {
        this.lock = parts.lock();
        this.store = parts.store();
        this.shown = shown;
        this.keys = keys;
        this.rivals = rivals;
        this.processor = parts.processor();
        this.onFilled = onFilled;
        this.onProgress = onProgress;
        this.ownWrites = new OwnWrites<>(shown, parts.clock());
        this.versions = parts.versions();
        this.reflector = reflector.apply(this);
    }

    Reflector<T> reflector() {
        return reflector;
    }

    boolean isFilled() {
        synchronized (lock) {
            return filled;
        }
    }

    /** How many writes readers see that the watch has not brought yet. */
    int ownWrites() {
        return ownWrites.size();
    }

    /** What is known of a key: what subscribers have been told of, else what readers see; null for nothing. */
    @Nullable
    T known(String key) {
        synchronized (lock) {
            T told = ownWrites.told(key);
            return told == null ? shown.current(key) : told;
        }
    }

    /** What subscribers have been told of, null for nothing. */
    @Nullable
    T told(String key) {
        synchronized (lock) {
            return ownWrites.told(key);
        }
    }

    @Override
    public void restored() {
        synchronized (lock) {
            restored = true;
            ownWrites.restored();
            versions.clear();
        }
    }

    boolean isRestored() {
        synchronized (lock) {
            return restored;
        }
    }

    @Override
    public long written() {
        synchronized (lock) {
            return ownWrites.newest();
        }
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
        return ownWrites.toldKeys(keys.get());
    }

    /**
     * This process has written something, and its author has not seen the answer yet.
     *
     * @param stored the object as it is stored; null if there is none, or this partition does not hold it
     */
    void written(WriteAnswers.Answer<T> answer, @Nullable T stored) {
        synchronized (lock) {
            if (answer instanceof WriteAnswers.Answer.Stored<T> s) {
                List<ResourceEvent<T>> events = new ArrayList<>(0);
                if (stored == null || rivals.settle(this, s.key(), stored, events)) {
                    processor.distribute(events);
                    ownWrites.written(s.key(), stored, s.version());
                }
            } else if (answer instanceof WriteAnswers.Answer.Deleted<T> d) {
                ownWrites.deleted(d.key(), d.uid(), d.version());
            }
        }
    }

    @Override
    public void replace(Map<String, T> listed, String version) {
        boolean initial;
        synchronized (lock) {
            initial = !filled;
        }
        replace(listed, version, object -> true, object -> initial);
    }

    /**
     * The collection is as given, so far as it was listed.
     *
     * @param covered whether an object would have been listed
     * @param initial whether an object was there before anybody looked
     */
    void replace(Map<String, T> listed, String version, Predicate<T> covered, Predicate<T> initial) {
        synchronized (lock) {
            if (ended) {
                return;
            }
            List<ResourceEvent<T>> events = new ArrayList<>(listed.size());
            store.atOnce(() -> replace(listed, ResourceVersions.number(version), covered, initial, events));
            restored = false;
            processor.distribute(events);
            if (!filled) {
                filled = true;
                onFilled.run();
            }
        }
        onProgress.run();
    }

    private void replace(
            Map<String, T> listed,
            long version,
            Predicate<T> covered,
            Predicate<T> initial,
            List<ResourceEvent<T>> events) {
        ownWrites.listing(version, listed);
        Set<String> gone = toldKeys();
        gone.removeAll(listed.keySet());
        listed.forEach((key, object) -> set(key, object, initial.test(object), events));
        for (String key : gone) {
            T last = ownWrites.told(key);
            if (last == null || covered.test(last)) {
                ownWrites.omit(key);
            }
            if (last != null && covered.test(last)) {
                events.add(new ResourceEvent.Deleted<>(last, true));
            }
        }
    }

    /** Objects that were there already are to be held from now on. */
    void add(Map<String, T> listed) {
        synchronized (lock) {
            if (!ended) {
                List<ResourceEvent<T>> events = new ArrayList<>(listed.size());
                store.atOnce(() -> listed.forEach((key, object) -> set(key, object, true, events)));
                processor.distribute(events);
            }
        }
    }

    /** An object has come into a state in which it is not this partition's. */
    void leave(T object) {
        gone(object, true);
    }

    /** Another partition's object shows that this one's of the same key is gone. */
    void giveUp(String key, List<ResourceEvent<T>> events) {
        synchronized (lock) {
            T last = ownWrites.told(key);
            T there = last == null ? shown.current(key) : last;
            if (there != null) {
                ownWrites.deleted(key, String.valueOf(uid(there)), -1);
                ownWrites.omit(key);
            }
            if (last != null) {
                events.add(new ResourceEvent.Deleted<>(last, true));
            }
        }
    }

    /**
     * Some objects are not held any more. Nobody is told.
     *
     * @param candidates the keys in the store to look at
     */
    void drop(List<String> candidates, Predicate<T> dropped) {
        synchronized (lock) {
            store.atOnce(() -> {
                ownWrites.drop(dropped);
                for (String key : candidates) {
                    T there = shown.current(key);
                    if (there != null && dropped.test(there)) {
                        shown.remove(key);
                    }
                }
            });
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
        gone(object, false);
    }

    private void gone(T object, boolean left) {
        synchronized (lock) {
            if (ended) {
                return;
            }
            String key = IndexedStore.key(object);
            T last = ownWrites.told(key);
            ownWrites.remove(key, object);
            if (last != null) {
                processor.distribute(List.of(new ResourceEvent.Deleted<>(left ? last : object, false)));
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
        if (!rivals.settle(this, key, object, events)) {
            return;
        }
        T before = ownWrites.told(key);
        boolean anew = isRestored();
        if (before != null && sameVersion(before, object) && !anew) {
            return;
        }
        ownWrites.put(key, object);
        if (before == null) {
            events.add(new ResourceEvent.Created<>(object, initial));
        } else if (Objects.equals(uid(before), uid(object)) && !anew) {
            events.add(new ResourceEvent.Updated<>(before, object));
        } else {
            // Deleted and created again while nobody watched: two objects, though they share a name. So are those of
            // two
            // histories, also where version and generation are the same.
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
