package io.controllermanager.controller.internal;

import io.controllermanager.client.internal.request.BoundedMap;
import io.controllermanager.controller.ControllerContext;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a controller remembers of its keys. Each thing that can be remembered is a part, which has an entry for those keys alone
 * that it is the case of: a key at rest has none, and costs nothing. The entry goes when the thing is over. All that is
 * remembered of a key goes here: when its object is gone or created anew, and when its shard is closed or the controller stops.
 * Safe for use by several threads; one at a time deals with a key, while others may have it forgotten.
 *
 * <p>One thing is kept elsewhere: the queue counts the failures that make delays. One is forgotten later: a {@link Deletion}, which
 * a key needs that waits for its shard to be opened again.
 */
public final class KeyMemories {

    /** Of how many deleted objects the uid is remembered; the one that was asked for longest ago gives way. */
    private static final int MOST_DELETED = 10_000;

    private final List<Part<?>> parts = new CopyOnWriteArrayList<>();
    private final Map<Request, Instant> latest = part();
    private final Map<Request, Deletion> deletions = Collections.synchronizedMap(new BoundedMap<>(MOST_DELETED));

    private record Part<V>(Map<Request, V> values, BiConsumer<Request, V> forgotten) {

        void forget(Request key) {
            values.computeIfPresent(key, (same, value) -> {
                forgotten.accept(same, value);
                return null;
            });
        }
    }

    /** That the object of a key is gone, which had this uid; another one each time. */
    static final class Deletion {

        final String uid;

        private Deletion(String uid) {
            this.uid = uid;
        }
    }

    /** Has the memories of a controller's keys. */
    public interface Owner {

        /** What the controller remembers. */
        KeyMemories memories();
    }

    /** Those of the controller whose context this is; memories of their own for a context that belongs to none. */
    public static KeyMemories of(ControllerContext context) {
        return context instanceof Owner owner ? owner.memories() : new KeyMemories();
    }

    /** One more thing to remember. Whoever asks for it fills it, and takes out what is over. */
    public <V> Map<Request, V> part() {
        return part((key, value) -> {});
    }

    /**
     * As the other one.
     *
     * @param forgotten told of what is forgotten here, as part of taking it out; must not use the part
     */
    public <V> Map<Request, V> part(BiConsumer<Request, V> forgotten) {
        Map<Request, V> values = new ConcurrentHashMap<>();
        parts.add(new Part<>(values, forgotten));
        return values;
    }

    /** Has a key that is being reconciled come again at a time, whatever comes of the reconcile; the earliest counts. */
    public void comesAgain(Request key, Instant at) {
        latest.merge(key, at, (one, other) -> one.isBefore(other) ? one : other);
    }

    /** When a key that has been reconciled comes again, null if nobody has said so; asked once. */
    @Nullable
    Instant comesAgain(Request key) {
        return latest.remove(key);
    }

    /** Forgets a key, whose object is gone or another one. */
    public void forget(Request key) {
        parts.forEach(part -> part.forget(key));
    }

    /** Forgets some keys: those of a shard that is closed, or all once the controller has stopped. */
    public void forget(Predicate<Request> keys) {
        parts.forEach(part -> part.values().keySet().stream().filter(keys).forEach(part::forget));
    }

    /** The object of a key is gone. */
    void deleted(Request key, String uid) {
        deletions.put(key, new Deletion(uid));
    }

    /** The deletion that is remembered of a key, null for none. */
    @Nullable
    Deletion deletion(Request key) {
        return deletions.get(key);
    }

    /**
     * Nothing is left to do about a deletion, so that the key is of no shard until there is an object again: that one may be
     * of another shard, which another process has. A later deletion stays.
     */
    void dealtWith(Request key, Deletion deletion) {
        deletions.remove(key, deletion);
    }

    /** How many things are remembered of all keys. */
    int size() {
        return parts.stream().mapToInt(part -> part.values().size()).sum();
    }
}
