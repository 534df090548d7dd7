package io.controllermanager.controller.internal;

import io.controllermanager.time.Clock;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** Keeps two reconciles of one key apart. Safe for use by several threads. */
final class ReconcileInterval {

    private final long intervalNanos;
    private final Clock clock;

    /** Of keys whose last reconcile ended less than the interval ago. */
    private final Map<Request, Wait> waits;

    /** The same, the first to end first. */
    private final Queue<Wait> inOrder = new ConcurrentLinkedQueue<>();

    /** Keys that need not wait the next time, whatever was reconciled meanwhile. */
    private final Map<Request, Boolean> urgent;

    private record Wait(Request key, long until) {}

    /** With the interval, null for none. */
    ReconcileInterval(@Nullable Duration interval, Clock clock, KeyMemories memories) {
        this.intervalNanos = interval == null ? 0 : interval.toNanos();
        this.clock = clock;
        this.waits = memories.part();
        this.urgent = memories.part();
    }

    /** How long a key that a worker has taken has to wait; zero if it may be reconciled. */
    Duration remaining(Request key) {
        Wait wait = urgent.containsKey(key) ? null : waits.get(key);
        return wait == null ? Duration.ZERO : Duration.ofNanos(Math.max(0, wait.until() - clock.nanoTime()));
    }

    /** A reconcile of the key begins: it is the one that need not wait, if one need not. */
    void begun(Request key) {
        urgent.remove(key);
    }

    /** A reconcile of the key has ended. */
    void ended(Request key) {
        if (intervalNanos == 0) {
            return;
        }
        long now = clock.nanoTime();
        Wait wait = new Wait(key, now + intervalNanos);
        waits.put(key, wait);
        inOrder.add(wait);
        for (Wait first = inOrder.peek(); first != null && first.until() - now <= 0; first = inOrder.peek()) {
            inOrder.remove(first);
            waits.remove(first.key(), first);
        }
    }

    /** The key's next reconcile, as an operator asks for it, need not wait, though one may be under way now. */
    void waive(Request key) {
        urgent.put(key, true);
    }
}
