package io.controllermanager.testing.apiserver.storage;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/** One resource's objects and their log. Guarded by the store's lock. */
final class Collection {

    final Condition changed;
    private final int limit;
    private final TreeMap<String, StoredObject> objects = new TreeMap<>();
    private final List<Change> log = new ArrayList<>();
    /** The newest version whose change is no longer in the log. */
    private long dropped;

    Collection(Condition changed, int limit, long dropped) {
        this.changed = changed;
        this.limit = limit;
        this.dropped = dropped;
    }

    @Nullable
    StoredObject get(String path) {
        return objects.get(path);
    }

    Iterable<StoredObject> all() {
        return objects.values();
    }

    void append(Change change) {
        if (change.deletion()) {
            objects.remove(change.object().key().path());
        } else {
            objects.put(change.object().key().path(), change.object());
        }
        log.add(change);
        if (log.size() >= 2 * limit) {
            compact(log.get(limit - 1).version());
        }
        changed.signalAll();
    }

    long dropped() {
        return dropped;
    }

    void compact(long version) {
        log.subList(0, firstAfter(version)).clear();
        dropped = Math.max(dropped, version);
    }

    List<Change> changes(long after, int max) throws CompactedException {
        if (after < dropped) {
            throw new CompactedException(after, dropped);
        }
        int first = firstAfter(after);
        return List.copyOf(log.subList(first, first + Math.min(log.size() - first, max)));
    }

    /** The objects at a version, from behind a path on. */
    List<StoredObject> at(long version, String after) throws CompactedException {
        NavigableMap<String, StoredObject> present = objects.tailMap(after, false);
        Map<String, @Nullable StoredObject> undone = new TreeMap<>();
        for (Change change : changes(version, Integer.MAX_VALUE)) {
            String path = change.object().key().path();
            if (path.compareTo(after) > 0 && !undone.containsKey(path)) {
                undone.put(path, change.before());
            }
        }
        List<StoredObject> list = new ArrayList<>(present.size());
        Iterator<Map.Entry<String, @Nullable StoredObject>> undoing =
                undone.entrySet().iterator();
        Map.@Nullable Entry<String, @Nullable StoredObject> next = undoing.hasNext() ? undoing.next() : null;
        for (Map.Entry<String, StoredObject> entry : present.entrySet()) {
            while (next != null && next.getKey().compareTo(entry.getKey()) < 0) {
                add(list, next.getValue());
                next = undoing.hasNext() ? undoing.next() : null;
            }
            if (next != null && next.getKey().equals(entry.getKey())) {
                add(list, next.getValue());
                next = undoing.hasNext() ? undoing.next() : null;
            } else {
                list.add(entry.getValue());
            }
        }
        while (next != null) {
            add(list, next.getValue());
            next = undoing.hasNext() ? undoing.next() : null;
        }
        return list;
    }

    private static void add(List<StoredObject> list, @Nullable StoredObject object) {
        if (object != null) {
            list.add(object);
        }
    }

    /** Where in the log the changes after a version begin. */
    private int firstAfter(long version) {
        int low = 0;
        int high = log.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (log.get(middle).version() <= version) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
