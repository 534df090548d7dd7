package io.controllermanager.informer.internal.partition;

import io.controllermanager.client.internal.request.ResourceVersions;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.informer.internal.reflector.Reflector;
import io.controllermanager.informer.internal.store.IndexedStore;
import io.controllermanager.informer.internal.store.OwnWrites;
import io.controllermanager.informer.internal.store.WriteAnswers;
import io.kubernetes.client.common.KubernetesObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The part of an informer that one reflector fills: all objects, or those of a namespace; {@link ShardPartition} those of some
 * shards. Turns what the reflector brings into changes of the store and events for subscribers. Guarded by the informer's
 * lock, but for what can be read at any time.
 *
 * @param <T> the object's class
 */
public class Partition<T extends KubernetesObject> implements Reflector.Sink<T> {

    public final Partitions.Parts<T> parts;
    public final @Nullable String namespace;
    private final OwnWrites.Shown<T> shown;
    private final Runnable onListed;
    private final OwnWrites<T> ownWrites;
    private final Reflector<T> reflector;

    /** Read by any thread. */
    private volatile boolean listed;

    /** Whether what is known is of another history than what comes next, the whole collection. */
    private boolean restored;

    private boolean ended;

    /**
     * An empty part, whose reflector has not been started.
     *
     * @param portion what the reflector reads
     * @param shown the store's objects, as far as they may be this part's
     * @param onListed called behind the door once a list is stored
     */
    public Partition(Partitions.Parts<T> parts, Portion portion, OwnWrites.Shown<T> shown, Runnable onListed) {
        this.parts = parts;
        this.namespace = portion.namespace();
        this.shown = shown;
        this.onListed = onListed;
        this.ownWrites = new OwnWrites<>(shown, parts.clock());
        this.reflector = parts.reflectors().apply(portion, this);
    }

    public Reflector<T> reflector() {
        return reflector;
    }

    /** What another process is told versions of: the same for each that is configured alike. */
    public String label() {
        return namespace == null ? parts.label() : parts.label() + "/" + namespace;
    }

    /** Whether the collection has been stored. By any thread. */
    public boolean isListed() {
        return listed;
    }

    /** How many writes readers see that the watch has not brought yet. By any thread. */
    public int ownWrites() {
        return ownWrites.size();
    }

    /** The keys in the store that are this part's. */
    public List<String> keys() {
        return parts.store().currentKeys(namespace);
    }

    /**
     * Has other partitions that may have an object of the same key give it up, if what they know is older.
     *
     * @param events takes those of what they give up
     * @return false if another one knows of something newer
     */
    public boolean claim(String key, T object, List<ResourceEvent<T>> events) {
        return true;
    }

    /** What is known of a key: what subscribers have been told of, else what readers see; null for nothing. */
    @Nullable
    public T known(String key) {
        T told = told(key);
        return told == null ? shown.current(key) : told;
    }

    /** What subscribers have been told of, null for nothing. */
    @Nullable
    public T told(String key) {
        return ownWrites.told(key);
    }

    private void tell(List<ResourceEvent<T>> events) {
        assert parts.door().isEntered() : "not behind the door";
        parts.processor().distribute(events);
    }

    /** Adds an event for each object that subscribers know of: not what the watch has not brought yet. */
    public void tell(Function<T, ResourceEvent<T>> event, List<ResourceEvent<T>> events) {
        for (String key : toldKeys()) {
            T told = told(key);
            if (told != null) {
                events.add(event.apply(told));
            }
        }
    }

    private Set<String> toldKeys() {
        return ownWrites.toldKeys(keys());
    }

    /** Whether it has come as far as another process had written, which is so if nothing is known of that. */
    public boolean hasPassed(Map<String, String> versions) {
        return (restored ? -1 : ownWrites.passed()) >= ResourceVersions.number(versions.get(label()));
    }

    /** From now on nothing is taken. */
    public void end() {
        ended = true;
    }

    @Override
    public boolean isOpen() {
        return !ended;
    }

    // What this process writes.

    /**
     * This process has written something, and its author has not seen the answer yet.
     *
     * @param stored the object as it is stored; null if there is none, or the informer does not select it
     */
    public void written(WriteAnswers.Answer<T> answer, @Nullable T stored) {
        if (stored != null || answer instanceof WriteAnswers.Answer.Deleted<T>) {
            note(label(), answer.version());
        }
        show(answer, stored);
    }

    /** Notes for other processes what was written; a version that is not known is left out. */
    public void note(String label, long version) {
        if (version > 0) {
            parts.versions().merge(label, version, Math::max);
        }
    }

    /** Has readers see what was written, until the watch brings it. */
    public void show(WriteAnswers.Answer<T> answer, @Nullable T stored) {
        if (answer instanceof WriteAnswers.Answer.Stored<T> s) {
            List<ResourceEvent<T>> events = new ArrayList<>(0);
            if (stored == null || claim(s.key(), stored, events)) {
                tell(events);
                ownWrites.written(s.key(), stored, s.version());
            }
        } else if (answer instanceof WriteAnswers.Answer.Deleted<T> d) {
            ownWrites.deleted(d.key(), d.uid(), d.version());
        }
    }

    // What the reflector brings.

    @Override
    public long written() {
        return ownWrites.newest();
    }

    @Override
    public void restored() {
        restored = true;
        ownWrites.restored();
        parts.versions().clear();
    }

    public boolean isRestored() {
        return restored;
    }

    @Override
    public void replace(Map<String, T> objects, String version) {
        boolean initial = !listed;
        replace(objects, version, object -> true, object -> initial);
        onListed.run();
    }

    /**
     * The collection is as given, so far as it was listed.
     *
     * @param covered whether an object would have been listed
     * @param initial whether an object was there before anybody looked
     */
    public void replace(Map<String, T> objects, String version, Predicate<T> covered, Predicate<T> initial) {
        List<ResourceEvent<T>> events = new ArrayList<>(objects.size());
        parts.store().atOnce(() -> {
            ownWrites.listing(ResourceVersions.number(version), objects);
            Set<String> gone = toldKeys();
            gone.removeAll(objects.keySet());
            objects.forEach((key, object) -> set(key, object, initial.test(object), events));
            for (String key : gone) {
                T last = told(key);
                if (last == null || covered.test(last)) {
                    ownWrites.omit(key);
                }
                if (last != null && covered.test(last)) {
                    events.add(new ResourceEvent.Deleted<>(last, true));
                }
            }
        });
        restored = false;
        tell(events);
        listed = true;
    }

    /** Objects that were there already are to be held from now on. */
    public void add(Map<String, T> objects) {
        List<ResourceEvent<T>> events = new ArrayList<>(objects.size());
        parts.store().atOnce(() -> objects.forEach((key, object) -> set(key, object, true, events)));
        tell(events);
    }

    @Override
    public void put(T object) {
        List<ResourceEvent<T>> events = new ArrayList<>(2);
        set(IndexedStore.key(object), object, false, events);
        tell(events);
        ownWrites.passed(ResourceVersions.number(object));
    }

    @Override
    public void remove(T object) {
        gone(object, object);
    }

    /** An object has come into a state in which it is not this partition's. */
    public void leave(T object) {
        gone(object, null);
    }

    /** Subscribers are told its last state, or else the one that they know. */
    private void gone(T object, @Nullable T lastState) {
        String key = IndexedStore.key(object);
        T told = told(key);
        ownWrites.remove(key, object);
        if (told != null) {
            tell(List.of(new ResourceEvent.Deleted<>(lastState == null ? told : lastState, false)));
        }
        ownWrites.passed(ResourceVersions.number(object));
    }

    /** Another partition's object shows that this one's of the same key is gone. */
    public void giveUp(String key, List<ResourceEvent<T>> events) {
        T last = told(key);
        T there = known(key);
        if (there != null) {
            ownWrites.deleted(key, String.valueOf(uid(there)), -1);
            ownWrites.omit(key);
        }
        if (last != null) {
            events.add(new ResourceEvent.Deleted<>(last, true));
        }
    }

    /**
     * Some objects are not held any more. Nobody is told.
     *
     * @param candidates the keys in the store to look at
     */
    public void drop(List<String> candidates, Predicate<T> dropped) {
        parts.store().atOnce(() -> {
            ownWrites.drop(dropped);
            for (String key : candidates) {
                T there = shown.current(key);
                if (there != null && dropped.test(there)) {
                    shown.remove(key);
                }
            }
        });
    }

    @Override
    public void passed(String version) {
        ownWrites.passed(ResourceVersions.number(version));
    }

    private void set(String key, T object, boolean initial, List<ResourceEvent<T>> events) {
        if (!claim(key, object, events)) {
            return;
        }
        T before = told(key);
        if (before != null && sameVersion(before, object) && !restored) {
            return;
        }
        ownWrites.put(key, object);
        if (before == null) {
            events.add(new ResourceEvent.Created<>(object, initial));
        } else if (Objects.equals(uid(before), uid(object)) && !restored) {
            events.add(new ResourceEvent.Updated<>(before, object));
        } else {
            // Deleted and created again while nobody watched: two objects, though they share a name. So are those of
            // two histories, also where version and generation are the same.
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
