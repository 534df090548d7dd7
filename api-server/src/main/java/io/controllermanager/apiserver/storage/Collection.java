package io.controllermanager.apiserver.storage;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.Lists;
import io.controllermanager.apiserver.http.StatusException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.Condition;
import org.pcollections.TreePMap;

/**
 * One resource's objects and their log. Each entry of the log has the whole collection as it was then, which shares all
 * but a path of its tree with the entry before, so that a list of the past costs no more than one of the present. Guarded
 * by the store's lock.
 */
final class Collection {

    private record Entry(Change change, TreePMap<String, StoredObject> objects) {}

    final Condition changed;

    private final int limit;
    private final List<Entry> log = new ArrayList<>();
    private TreePMap<String, StoredObject> beforeLog = TreePMap.empty();
    /** The newest version whose change is no longer in the log. */
    private long lost;
    /** The oldest version that may be asked for. */
    private long oldest;
    /** The version since which the resource is what it is: no watch goes on over it. */
    private long renewed;

    Collection(Condition changed, int limit, long oldest) {
        this.changed = changed;
        this.limit = limit;
        this.oldest = oldest;
    }

    TreePMap<String, StoredObject> objects() {
        return after(log.size());
    }

    /** The objects after so many entries of the log. */
    private TreePMap<String, StoredObject> after(int entries) {
        return entries == 0 ? beforeLog : log.get(entries - 1).objects();
    }

    void append(Change change) {
        String path = change.object().key().path();
        log.add(new Entry(
                change, change.deletion() ? objects().minus(path) : objects().plus(path, change.object())));
        if (log.size() >= 2L * limit) {
            compact(log.get(limit - 1).change().version());
        }
        changed.signalAll();
    }

    long oldest() {
        return oldest;
    }

    void compact(long version) {
        int entries = upTo(version);
        beforeLog = after(entries);
        if (entries > 0) {
            lost = log.get(entries - 1).change().version();
            log.subList(0, entries).clear();
        }
        oldest = Math.max(oldest, version);
    }

    /** Goes back to how it was at a version, as if nothing had come after that. */
    void restore(long version) {
        checkArgument(version >= lost, "version %s is compacted, up to %s", version, lost);
        log.subList(upTo(version), log.size()).clear();
        oldest = Math.min(oldest, version);
        renewed = Math.min(renewed, version);
        changed.signalAll();
    }

    void renew(long version) {
        renewed = version;
        changed.signalAll();
    }

    /** Whether the resource has become another one after a version. */
    boolean isRenewedSince(long version) {
        return version < renewed;
    }

    List<Change> changes(long after, int max) {
        if (after < lost) {
            throw compacted(after, lost);
        }
        return log.subList(upTo(after), isRenewedSince(after) ? upTo(renewed) : log.size()).stream()
                .limit(max)
                .map(Entry::change)
                .toList();
    }

    TreePMap<String, StoredObject> at(long version) {
        if (version < oldest) {
            throw compacted(version, oldest);
        }
        return after(upTo(version));
    }

    /** How many entries of the log are not newer than a version. */
    private int upTo(long version) {
        int found = Collections.binarySearch(
                Lists.transform(log, entry -> entry.change().version()), version);
        return found < 0 ? -found - 1 : found + 1;
    }

    /** The history asked for is gone. */
    static StatusException compacted(long asked, long oldest) {
        return StatusException.expired("too old resource version: " + asked + " (" + oldest + ")");
    }
}
