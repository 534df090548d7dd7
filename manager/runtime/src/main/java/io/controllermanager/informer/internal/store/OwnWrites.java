package io.controllermanager.informer.internal.store;

import io.controllermanager.client.internal.request.BoundedMap;
import io.controllermanager.client.internal.request.ResourceVersions;
import io.controllermanager.time.Clock;
import io.kubernetes.client.common.KubernetesObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Stands between one reflector and the store, and lets readers see what this process has written before the watch brings
 * it. What the API server's messages say is noted here for each key that was written, and reaches the store once it is
 * not older than the write. Handlers are told of {@link #told what the messages said} only.
 *
 * <p>Versions are compared as numbers, as KEP-5504 has it and as etcd has always made them; a server whose versions
 * are no numbers gets no overlay. A write is laid over the store only if the messages have not come that far: the messages of one
 * watch come in the order of their versions, so what the store has is newer otherwise. It goes
 *
 * <ul>
 *   <li>when a message of the watch, a bookmark too, has its version or a later one;
 *   <li>when a list of that version or a later one is stored;
 *   <li>when etcd is found to have been put back to an older state;
 *   <li>after {@link #LONGEST} of messages without any of these, in case that was not found. Time without messages does
 *       not count: a cache that is cut off stays as new as its owner's writes.
 * </ul>
 *
 * <p>A deletion has no version that the API server tells. It hides the object with the deleted uid, and all before it,
 * until the watch says that this one has been deleted or a list leaves it out. (An object of the same name that was there
 * before the deleted one, and that the informer still has, is hidden only if the answer had a version.)
 *
 * <p>Guarded by the informer's lock.
 *
 * @param <T> the objects' class
 */
public final class OwnWrites<T extends KubernetesObject> {

    /** How long messages may go on without coming to a write, before it is given up. */
    public static final Duration LONGEST = Duration.ofMinutes(5);

    /** More than the time between two bookmarks: a longer silence is not counted as time with messages. */
    private static final Duration LONGEST_SILENCE = Duration.ofSeconds(90);

    private static final int REMEMBERED_DELETIONS = 10_000;

    private final Shown<T> store;
    private final Clock clock;

    /** By key, the oldest first. */
    private final Map<String, Pending<T>> pending = new LinkedHashMap<>();

    /** Those that wait for a version, the lowest first. */
    private final TreeSet<Due> due =
            new TreeSet<>(Comparator.comparingLong(Due::version).thenComparing(Due::key));

    /**
     * The uids of deleted objects that the informer does not have: it has had them already or, if it is far behind, will
     * have them yet. In the first case, which is nearly always, to forget one is harmless.
     */
    private final Set<String> deletedUnseen = Collections.newSetFromMap(new BoundedMap<>(REMEMBERED_DELETIONS));

    private long passed = -1;

    /** As large as what is pending; read by any thread. */
    private volatile int size;

    private @Nullable Long lastMessage;
    private long nanosWithMessages;

    /** What readers see. */
    public interface Shown<T> {

        /** The object, null if there is none. */
        @Nullable
        T current(String key);

        void put(String key, T object);

        void remove(String key);
    }

    private record Due(long version, String key) {}

    /**
     * One write that readers see and handlers have not been told of.
     *
     * @param version of the write; of a deletion, the newest version that the deleted object is known to have had
     * @param deletedUid the uid of what was deleted, null if the write was no deletion
     * @param since when it was written, in time with messages
     * @param told what the messages say so far, null for nothing
     */
    private record Pending<T extends KubernetesObject>(
            long version,
            @Nullable String deletedUid,
            long since,
            @Nullable T told) {

        Pending<T> telling(@Nullable T now) {
            return new Pending<>(version, deletedUid, since, now);
        }

        /** Whether the state that a message brings is older than this write. */
        boolean isAfter(KubernetesObject state) {
            if (deletedUid != null) {
                return true;
            }
            long stateVersion = ResourceVersions.number(state);
            return stateVersion >= 0 && stateVersion < version;
        }

        /** Whether what was deleted, by whomever, was older than what this wrote. */
        boolean isAfterDeletionOf(KubernetesObject last) {
            return deletedUid != null ? !deletedUid.equals(uid(last)) : isAfter(last);
        }

        /** Whether a list of the given version does not have this write yet. */
        boolean isAfterList(long listVersion, @Nullable T listed) {
            if (listVersion < 0) {
                return false;
            }
            return version > listVersion || (deletedUid != null && listed != null && deletedUid.equals(uid(listed)));
        }
    }

    public OwnWrites(Shown<T> store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    // What the API server's messages say.

    /** What handlers have been told of, null for nothing. */
    @Nullable
    public T told(String key) {
        Pending<T> write = pending.get(key);
        return write == null ? store.current(key) : write.told;
    }

    /** The keys of all that handlers have been told of, among the given keys of the store. */
    public Set<String> toldKeys(List<String> stored) {
        Set<String> keys = new HashSet<>(stored);
        pending.forEach((key, write) -> {
            if (write.told == null) {
                keys.remove(key);
            } else {
                keys.add(key);
            }
        });
        return keys;
    }

    /** An object is as given. */
    public void put(String key, T object) {
        Pending<T> write = pending.get(key);
        String uid = uid(object);
        if (write != null && write.isAfter(object)) {
            pending.put(key, write.telling(object));
        } else if (uid != null && deletedUnseen.remove(uid)) {
            add(key, new Pending<>(ResourceVersions.number(object), uid, nanosWithMessages, object));
            store.remove(key);
        } else {
            forget(key);
            store.put(key, object);
        }
    }

    /**
     * An object is gone.
     *
     * @param last its last state, with the version of its deletion
     */
    public void remove(String key, T last) {
        Pending<T> write = pending.get(key);
        String uid = uid(last);
        if (uid != null) {
            deletedUnseen.remove(uid);
        }
        if (write != null && write.isAfterDeletionOf(last)) {
            pending.put(key, write.telling(null));
        } else {
            forget(key);
            store.remove(key);
        }
    }

    /** An object has been left out by a list, of which {@link #listing} has been told. */
    public void omit(String key) {
        Pending<T> write = pending.get(key);
        if (write != null) {
            pending.put(key, write.telling(null));
        } else {
            store.remove(key);
        }
    }

    /** Some objects are held no more, neither as messages say nor as they were written. */
    public void drop(Predicate<T> dropped) {
        List<String> over = new ArrayList<>();
        pending.replaceAll(
                (key, write) -> write.told != null && dropped.test(write.told) ? write.telling(null) : write);
        pending.forEach((key, write) -> {
            T shown = store.current(key);
            if (shown != null && dropped.test(shown)) {
                store.remove(key);
                if (write.told == null) {
                    over.add(key);
                }
            }
        });
        over.forEach(this::forget);
    }

    /** A list follows, object by object: the writes that it has, or that it shows to be undone, are not laid over it. */
    public void listing(long version, Map<String, T> listed) {
        passed = version;
        heard();
        List<String> over = new ArrayList<>();
        pending.forEach((key, write) -> {
            if (!write.isAfterList(version, listed.get(key))) {
                over.add(key);
            }
        });
        over.forEach(this::reveal);
    }

    /** The messages have come to a version; negative if it is not known. */
    public void passed(long version) {
        heard();
        if (version > passed) {
            passed = version;
        }
        while (!due.isEmpty() && due.first().version() <= passed) {
            reveal(due.first().key());
        }
    }

    private void heard() {
        long now = clock.nanoTime();
        Long last = lastMessage;
        if (last != null) {
            nanosWithMessages += Math.min(now - last, LONGEST_SILENCE.toNanos());
        }
        lastMessage = now;
        while (!pending.isEmpty()) {
            Map.Entry<String, Pending<T>> oldest = pending.entrySet().iterator().next();
            if (nanosWithMessages - oldest.getValue().since < LONGEST.toNanos()) {
                return;
            }
            reveal(oldest.getKey());
        }
    }

    // What this process has written.

    /**
     * An object was written.
     *
     * @param object as the API server stored it; null if the informer does not select it in this state
     * @param version the version that it has now
     */
    public void written(String key, @Nullable T object, long version) {
        if (version < 0 || version <= passed) {
            return;
        }
        Pending<T> before = pending.get(key);
        if (before != null && before.version >= version) {
            return;
        }
        String uid = object == null ? null : uid(object);
        if (uid != null && before != null && uid.equals(before.deletedUid)) {
            // By another thread, whose answer comes after that to the deletion.
            return;
        }
        if (uid != null && deletedUnseen.remove(uid)) {
            // The same; and the informer has not seen the object yet, so that its end is still to come as well.
            add(key, new Pending<>(version, uid, nanosWithMessages, told(key)));
            store.remove(key);
            return;
        }
        add(key, new Pending<>(version, null, nanosWithMessages, told(key)));
        if (object == null) {
            store.remove(key);
        } else {
            store.put(key, object);
        }
    }

    /**
     * An object was deleted, and is gone.
     *
     * @param uid its uid
     * @param version the version that the API server answered with, negative if it did not
     */
    public void deleted(String key, String uid, long version) {
        Pending<T> before = pending.get(key);
        T told = told(key);
        T shown = store.current(key);
        long seen = Math.max(versionOf(told, uid), versionOf(shown, uid));
        long known = Math.max(version, seen);
        boolean later = before != null && before.version > known;
        if (!later && (seen >= 0 || version > passed)) {
            add(key, new Pending<>(known, uid, nanosWithMessages, told));
            store.remove(key);
        } else if (seen < 0) {
            deletedUnseen.add(uid);
        }
    }

    private static long versionOf(@Nullable KubernetesObject object, String uid) {
        return object != null && uid.equals(uid(object)) ? Math.max(0, ResourceVersions.number(object)) : -1;
    }

    /** The newest version of what was written and no message has come to, negative if there is none. */
    public long newest() {
        return due.isEmpty() ? -1 : due.last().version();
    }

    /** What was written is of another history than what follows. */
    public void restored() {
        List.copyOf(pending.keySet()).forEach(this::reveal);
        deletedUnseen.clear();
    }

    /** How far the messages have come, negative if that is not known. */
    public long passed() {
        return passed;
    }

    /** How many writes are laid over the store. By any thread. */
    public int size() {
        return size;
    }

    private void add(String key, Pending<T> write) {
        forget(key);
        pending.put(key, write);
        size = pending.size();
        if (write.deletedUid == null) {
            due.add(new Due(write.version, key));
        }
    }

    private @Nullable Pending<T> forget(String key) {
        Pending<T> write = pending.remove(key);
        size = pending.size();
        if (write != null) {
            due.remove(new Due(write.version, key));
        }
        return write;
    }

    /** From now on readers see what the messages say. */
    private void reveal(String key) {
        Pending<T> write = Objects.requireNonNull(forget(key));
        if (write.told == null) {
            store.remove(key);
        } else {
            store.put(key, write.told);
        }
    }

    private static @Nullable String uid(KubernetesObject object) {
        return object.getMetadata().getUid();
    }
}
