package io.controllermanager.clientjava.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.workqueue.internal.WorkQueue;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/**
 * The keys that have come from a client-java controller's own queue. They are looked at again when this process begins to
 * lead: the host does not know the informers that they came from, so it finds another leader's unfinished work only by its
 * key. The keys of all objects that exist are kept. Of the others, the newest are kept up to a limit. Safe for use by several
 * threads.
 */
final class SeenKeys {

    /** How many keys without an object are kept. */
    static final int MOST_WITHOUT_OBJECT = 10_000;

    @GuardedBy("this")
    private final Set<Request> keys = new LinkedHashSet<>();

    @GuardedBy("this")
    private int sweepAt = 2 * MOST_WITHOUT_OBJECT;

    /**
     * Adds a key, as the newest.
     *
     * @param exists whether there is an object of that name; asked for all keys now and then
     */
    synchronized void add(Request key, Predicate<Request> exists) {
        keys.remove(key);
        keys.add(key);
        if (keys.size() >= sweepAt) {
            sweep(exists);
            sweepAt = Math.max(2 * MOST_WITHOUT_OBJECT, 2 * keys.size());
        }
    }

    /** All keys, the oldest first. */
    synchronized List<Request> all() {
        return List.copyOf(keys);
    }

    /** Hands all keys on, behind live changes. */
    void replay(BiConsumer<Request, Integer> queue) {
        all().forEach(key -> queue.accept(key, WorkQueue.LOW_PRIORITY));
    }

    @GuardedBy("this")
    private void sweep(Predicate<Request> exists) {
        int surplus = -MOST_WITHOUT_OBJECT;
        for (Request key : keys) {
            surplus += exists.test(key) ? 0 : 1;
        }
        Iterator<Request> oldestFirst = keys.iterator();
        while (surplus > 0 && oldestFirst.hasNext()) {
            if (!exists.test(oldestFirst.next())) {
                oldestFirst.remove();
                surplus--;
            }
        }
    }
}
