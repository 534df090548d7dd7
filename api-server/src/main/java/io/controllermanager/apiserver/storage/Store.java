package io.controllermanager.apiserver.storage;

import static com.google.common.base.Preconditions.checkArgument;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.LinkedHashMultimap;
import com.google.common.collect.SetMultimap;
import io.controllermanager.apiserver.http.StatusException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** All objects of a server. For use by any thread: one lock orders all writes, and nothing is sent under it. */
public final class Store {

    /** As much as etcd takes at once, unless it is told to take more. */
    private static final int LARGEST_OBJECT = 1536 * 1024;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Collection> collections = new HashMap<>();
    /** The keys of objects by the uids of their owners. */
    private final SetMultimap<String, Key> dependents = LinkedHashMultimap.create();

    private final int historyLimit;
    private final Consumer<Change> onChange;
    private long version = 1;
    private long compacted;
    private long nudges;

    /** An empty store. It keeps so many changes of each resource at least, and tells of each in order, under the lock. */
    public Store(int historyLimit, Consumer<Change> onChange) {
        this.historyLimit = historyLimit;
        this.onChange = onChange;
    }

    /** The version of the newest write. */
    public long version() {
        return locked(() -> version);
    }

    public @Nullable StoredObject get(Key key) {
        return locked(() -> collection(key.resource()).objects().get(key.path()));
    }

    /**
     * Writes an object, unless it is no longer what the caller thinks it is.
     *
     * @param expected the state that the caller saw; null if it saw none
     * @param check no other write comes behind it; may read here, and what it throws gets to the caller
     * @return the new state; null if another state than the expected one is there, and nothing was written
     * @throws StatusException 500 for what etcd would not take
     */
    public @Nullable StoredObject put(Key key, @Nullable StoredObject expected, ObjectNode tree, Runnable check) {
        return locked(() -> {
            check.run();
            return write(key, expected, tree, false);
        });
    }

    /**
     * Takes an object away, unless it is no longer what the caller thinks it is.
     *
     * @return its last state, under the deletion's version; null as {@link #put} has it
     */
    public @Nullable StoredObject delete(StoredObject expected) {
        return locked(() -> write(expected.key(), expected, expected.tree(), true));
    }

    private @Nullable StoredObject write(Key key, @Nullable StoredObject expected, ObjectNode tree, boolean deletion) {
        Collection collection = collection(key.resource());
        if (!Objects.equals(collection.objects().get(key.path()), expected)) {
            return null;
        }
        StoredObject written = StoredObject.of(key, version + 1, tree);
        if (written.json().length > LARGEST_OBJECT && !deletion) {
            throw StatusException.of(500, "", "etcdserver: request is too large");
        }
        version++;
        if (expected != null) {
            expected.owners().forEach(owner -> dependents.remove(owner, key));
        }
        if (!deletion) {
            written.owners().forEach(owner -> dependents.put(owner, key));
        }
        Change change = new Change(expected, written, deletion);
        collection.append(change);
        onChange.accept(change);
        return written;
    }

    /** The objects that name this uid as their owner. */
    public List<StoredObject> dependentsOf(String uid) {
        return locked(() -> dependents.get(uid).stream()
                .map(this::get)
                .filter(Objects::nonNull)
                .toList());
    }

    /** All objects in a namespace, of whatever resource. */
    public List<StoredObject> inNamespace(String namespace) {
        return locked(() -> collections.keySet().stream()
                .flatMap(resource -> objects(resource, namespace).stream())
                .toList());
    }

    /** All objects there are. */
    public List<StoredObject> all() {
        return locked(() -> collections.values().stream()
                .flatMap(collection -> collection.objects().values().stream())
                .toList());
    }

    /** What is stored under a key; 404 if that is nothing. */
    public StoredObject existing(Key key, String groupResource) {
        StoredObject object = get(key);
        if (object == null) {
            throw StatusException.notFound(groupResource, key.name());
        }
        return object;
    }

    /** A resource's objects, of one namespace or, if that is empty, of all. */
    public List<StoredObject> objects(String resource, String namespace) {
        return List.copyOf(list(resource).in(namespace).objects().values());
    }

    /** The newest state of a resource's objects. */
    public Snapshot list(String resource) {
        return locked(() -> new Snapshot(version, collection(resource).objects()));
    }

    /** A resource's objects as they were; 410 if that version is compacted. */
    public Snapshot list(String resource, long at) {
        return locked(() -> new Snapshot(at, collection(resource).at(at)));
    }

    /**
     * Changes in order.
     *
     * @param upTo the version up to which these are all
     * @param ended whether there will be no more, see {@link #renew}
     * @param nudges how often {@link #nudge} had been called
     */
    public record Changes(List<Change> list, long upTo, boolean ended, long nudges) {}

    /** Ends all waits for changes that are under way, or whose caller does not know of this one yet. */
    public void nudge() {
        locked(() -> {
            collections.values().forEach(collection -> collection.changed.signalAll());
            return nudges++;
        });
    }

    /**
     * A resource's changes after a version. Where there are none yet, waits for them; who waits has seen everything and
     * loses nothing by a compaction.
     *
     * @param nudged how many nudges the caller knows of
     * @return no more than {@code max}; none if the time is over or there was a further {@link #nudge}
     * @throws StatusException 410 if changes after that version were forgotten
     */
    public Changes changes(String resource, long after, int max, long waitNanos, long nudged)
            throws InterruptedException {
        lock.lockInterruptibly();
        try {
            Collection collection = collection(resource);
            long seen = after;
            long left = waitNanos;
            List<Change> changes = collection.changes(seen, max);
            while (changes.isEmpty()) {
                boolean ended = collection.isRenewedSince(seen);
                seen = Math.max(seen, version);
                if (left <= 0 || ended || nudges != nudged) {
                    return new Changes(changes, seen, ended, nudges);
                }
                left = collection.changed.awaitNanos(left);
                changes = collection.changes(seen, max);
            }
            return new Changes(changes, changes.get(changes.size() - 1).version(), false, nudged);
        } finally {
            lock.unlock();
        }
    }

    /** Forgets all changes up to now, as etcd does when it is compacted. Objects stay. */
    public long compact() {
        return locked(() -> {
            compacted = version;
            collections.values().forEach(collection -> collection.compact(version));
            return compacted;
        });
    }

    /**
     * Goes back to how all was at a version. The next write has the version after that, which another write has had.
     *
     * @throws IllegalArgumentException if that version is compacted, or is still to come
     */
    public void restore(long earlier) {
        locked(() -> {
            checkArgument(earlier <= version, "version %s is still to come, after %s", earlier, version);
            collections.values().forEach(collection -> collection.restore(earlier));
            version = earlier;
            compacted = Math.min(compacted, earlier);
            dependents.clear();
            all().forEach(object -> object.owners().forEach(owner -> dependents.put(owner, object.key())));
            return version;
        });
    }

    /**
     * Makes another one of a resource, with the same objects: whoever waits for changes gets those from before, and no watch
     * begins before this moment.
     */
    public void renew(String resource) {
        locked(() -> {
            collection(resource).renew(++version);
            return version;
        });
    }

    /** Refuses a watch after a version that is compacted, or when the resource was another one, with 410. */
    public void checkWatch(String resource, long after) {
        locked(() -> {
            Collection collection = collection(resource);
            if (collection.isRenewedSince(after)) {
                throw Collection.compacted(after, version);
            }
            return collection.at(after);
        });
    }

    /** The oldest version that a resource can still be listed or watched from. */
    public long oldest(String resource) {
        return locked(() -> collection(resource).oldest());
    }

    private Collection collection(String resource) {
        return collections.computeIfAbsent(
                resource, name -> new Collection(lock.newCondition(), historyLimit, compacted));
    }

    private <T extends @Nullable Object> T locked(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }
}
