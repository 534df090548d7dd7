package io.controllermanager.controller.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.time.Clock;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps two reconciles of one key apart. Remembers only keys whose last reconcile ended less than the interval ago. Safe
 * for use by several threads.
 */
final class ReconcileInterval {

    private final long intervalNanos;
    private final Clock clock;

    /** When each key's last reconcile ended, the oldest first. */
    private final LinkedHashMap<Request, Long> endedAt = new LinkedHashMap<>();

    /** Keys that need not wait the next time, whatever was reconciled meanwhile. */
    @GuardedBy("endedAt")
    private final Set<Request> urgent = new HashSet<>();

    /** With the interval, null for none. */
    ReconcileInterval(@Nullable Duration interval, Clock clock) {
        this.intervalNanos = interval == null ? 0 : interval.toNanos();
        this.clock = clock;
    }

    /** How long a key that a worker has taken has to wait; zero if it may be reconciled. */
    Duration remaining(Request key) {
        if (intervalNanos == 0) {
            return Duration.ZERO;
        }
        synchronized (endedAt) {
            if (urgent.contains(key)) {
                return Duration.ZERO;
            }
            Long ended = endedAt.get(key);
            long remaining = ended == null ? 0 : ended + intervalNanos - clock.nanoTime();
            return remaining <= 0 ? Duration.ZERO : Duration.ofNanos(remaining);
        }
    }

    /** A reconcile of the key begins: it is the one that need not wait, if one need not. */
    void begun(Request key) {
        if (intervalNanos != 0) {
            synchronized (endedAt) {
                urgent.remove(key);
            }
        }
    }

    /** A reconcile of the key has ended. */
    void ended(Request key) {
        if (intervalNanos == 0) {
            return;
        }
        synchronized (endedAt) {
            long now = clock.nanoTime();
            endedAt.remove(key);
            endedAt.put(key, now);
            Iterator<Long> times = endedAt.values().iterator();
            while (times.hasNext() && times.next() + intervalNanos - now <= 0) {
                times.remove();
            }
        }
    }

    /** The key's next reconcile, which is of another object, need not wait for what has been reconciled before. */
    void forget(Request key) {
        if (intervalNanos != 0) {
            synchronized (endedAt) {
                endedAt.remove(key);
            }
        }
    }

    /** The key's next reconcile, as an operator asks for it, need not wait, though one may be under way now. */
    void waive(Request key) {
        if (intervalNanos != 0) {
            synchronized (endedAt) {
                urgent.add(key);
            }
        }
    }
}
