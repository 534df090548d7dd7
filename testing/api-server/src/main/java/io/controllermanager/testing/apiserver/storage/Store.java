package io.controllermanager.testing.apiserver.storage;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** All objects of a server. For use by any thread: one lock orders all writes, and nothing is sent under it. */
public final class Store {

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Collection> collections = new HashMap<>();
    private final Map<String, Set<Key>> dependents = new HashMap<>();
    private final int historyLimit;
    private long version = 1;
    private long compacted;

    /**
     * An empty store.
     *
     * @param historyLimit how many changes of each resource are kept at least
     */
    public Store(int historyLimit) {
        this.historyLimit = historyLimit;
    }

    /** The version of the newest write. */
    public long version() {
        return locked(() -> version);
    }

    public @Nullable StoredObject get(Key key) {
        lock.lock();
        try {
            return collection(key.resource()).get(key.path());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Writes an object, unless it is no longer what the caller thinks it is.
     *
     * @param expected the state that the caller saw; null if it saw none
     * @return the new state; null if another state than the expected one is there, and nothing was written
     */
    public @Nullable StoredObject put(Key key, @Nullable StoredObject expected, ObjectNode tree) {
        return write(key, expected, tree, false);
    }

    /**
     * Takes an object away, unless it is no longer what the caller thinks it is.
     *
     * @return its last state, under the deletion's version; null as {@link #put} has it
     */
    public @Nullable StoredObject delete(StoredObject expected) {
        return write(expected.key(), expected, expected.tree(), true);
    }

    private @Nullable StoredObject write(Key key, @Nullable StoredObject expected, ObjectNode tree, boolean deletion) {
        lock.lock();
        try {
            Collection collection = collection(key.resource());
            if (collection.get(key.path()) != expected) {
                return null;
            }
            StoredObject written = new StoredObject(key, ++version, tree);
            if (expected != null) {
                expected.owners()
                        .forEach(owner -> dependents.computeIfPresent(owner, (uid, keys) -> {
                            keys.remove(key);
                            return keys.isEmpty() ? null : keys;
                        }));
            }
            if (!deletion) {
                written.owners()
                        .forEach(owner -> dependents
                                .computeIfAbsent(owner, uid -> new LinkedHashSet<>())
                                .add(key));
            }
            collection.append(new Change(expected, written, deletion));
            return written;
        } finally {
            lock.unlock();
        }
    }

    /** The objects that name this uid as their owner. */
    public List<StoredObject> dependentsOf(String uid) {
        return locked(() -> {
            List<StoredObject> found = new ArrayList<>();
            for (Key key : dependents.getOrDefault(uid, Set.of())) {
                StoredObject object = collection(key.resource()).get(key.path());
                if (object != null) {
                    found.add(object);
                }
            }
            return found;
        });
    }

    /** All objects in a namespace, of whatever resource. */
    public List<StoredObject> inNamespace(String namespace) {
        return locked(() -> {
            List<StoredObject> found = new ArrayList<>();
            for (Collection collection : collections.values()) {
                for (StoredObject object : collection.all()) {
                    if (object.key().namespace().equals(namespace)) {
                        found.add(object);
                    }
                }
            }
            return found;
        });
    }

    /** The newest state of a resource's objects. */
    public Snapshot list(String resource) {
        return locked(() -> {
            List<StoredObject> objects = new ArrayList<>();
            collection(resource).all().forEach(objects::add);
            return new Snapshot(version, objects);
        });
    }

    /**
     * A resource's objects as they were.
     *
     * @param after the path behind which to begin; empty for all
     * @throws CompactedException if the history no longer reaches back that far
     */
    public Snapshot list(String resource, long at, String after) throws CompactedException {
        lock.lock();
        try {
            return new Snapshot(at, collection(resource).at(at, after));
        } finally {
            lock.unlock();
        }
    }

    /**
     * A resource's changes after a version, in order. Where there are none yet, waits for them.
     *
     * @return no more than {@code max}; none if the time is over
     * @throws CompactedException if the history no longer reaches back that far
     */
    public List<Change> changes(String resource, long after, int max, long waitNanos)
            throws CompactedException, InterruptedException {
        lock.lockInterruptibly();
        try {
            Collection collection = collection(resource);
            long left = waitNanos;
            List<Change> changes = collection.changes(after, max);
            while (changes.isEmpty() && left > 0) {
                left = collection.changed.awaitNanos(left);
                changes = collection.changes(after, max);
            }
            return changes;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The version up to which a reader of this resource has seen everything, if it has seen all changes up to one.
     *
     * @return the server's version if there are no later changes, else the one given
     */
    public long caughtUp(String resource, long seen) {
        return locked(() -> {
            try {
                return collection(resource).changes(seen, 1).isEmpty() ? version : seen;
            } catch (CompactedException e) {
                return seen;
            }
        });
    }

    /** Forgets all changes up to now, as etcd does when it is compacted. Objects stay. */
    public long compact() {
        return locked(() -> {
            compacted = version;
            collections.values().forEach(collection -> collection.compact(version));
            return compacted;
        });
    }

    /** The oldest version that a resource can still be listed or watched from. */
    public long oldest(String resource) {
        return locked(() -> collection(resource).dropped());
    }

    private Collection collection(String resource) {
        return collections.computeIfAbsent(
                resource, name -> new Collection(lock.newCondition(), historyLimit, compacted));
    }

    private <T> T locked(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }
}
