package io.controllermanager.reconciler;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.controller.internal.KeyMemories;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Which keys of this process wait for a slot, each for one at a time. Safe for use by several threads, of which one at a time
 * deals with a key.
 */
final class SlotWaiters {

    private final Map<Request, String> values;

    /** The same by value, in the order in which they are woken. */
    @GuardedBy("this")
    private final Map<String, Set<Request>> queues = new HashMap<>();

    SlotWaiters(KeyMemories memories) {
        this.values = memories.part(this::drop);
    }

    /** A key waits from now on. It must before the slots are read for the last time, or a change in between goes unseen. */
    void add(Request key, String value) {
        if (!value.equals(values.get(key))) {
            remove(key);
            values.computeIfAbsent(key, same -> queue(key, value));
        }
    }

    /** A key waits no more; returns the value that it waited for, null for none. */
    @Nullable
    String remove(Request key) {
        String value = values.remove(key);
        if (value != null) {
            drop(key, value);
        }
        return value;
    }

    /**
     * Who is to be woken: those that have been least recently, so that one that cannot be changed keeps none from being woken.
     *
     * @param most how many there may be, asked if any waits
     */
    synchronized List<Request> next(String value, IntSupplier most) {
        Set<Request> queue = queues.get(value);
        if (queue == null) {
            return List.of();
        }
        List<Request> next = queue.stream().limit(most.getAsInt()).toList();
        next.forEach(queue::remove);
        queue.addAll(next);
        return next;
    }

    private synchronized String queue(Request key, String value) {
        queues.computeIfAbsent(value, same -> new LinkedHashSet<>()).add(key);
        return value;
    }

    private synchronized void drop(Request key, String value) {
        queues.computeIfPresent(value, (same, queue) -> queue.remove(key) && queue.isEmpty() ? null : queue);
    }
}
