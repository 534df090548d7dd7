package io.controllermanager.workqueue.internal;

import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The keys that wait for their time, and the one task with the timer that calls when the first of them is due. Several
 * delays of one key become one that ends at the earliest time and has the highest of their priorities. Guarded by the
 * queue's lock.
 */
final class DelayedKeys<K> {

    /** So many keys become ready in one go; then the lock and the timer's thread are free for others. */
    private static final int DUE_BATCH = 4096;

    private final DelayHeap<K> heap = new DelayHeap<>();
    private final Clock clock;
    private final Timer timer;
    private final Runnable onDue;
    private Timer.@Nullable Cancellable wakeUp;
    private long wakeUpAt;

    /**
     * Begins without keys.
     *
     * @param onDue called by the timer, without the queue's lock, when keys are due
     */
    DelayedKeys(Clock clock, Timer timer, Runnable onDue) {
        this.clock = clock;
        this.timer = timer;
        this.onDue = onDue;
    }

    int size() {
        return heap.size();
    }

    /** The entries that are due first, in order. */
    List<Entry<K>> first(int limit) {
        return heap.first(limit);
    }

    /**
     * Lets a key wait, or gives one that waits another delay.
     *
     * @param retry whether it is a retry after a failure
     * @param causes why it is to be ready then
     */
    void add(Entry<K> entry, long dueAt, int priority, boolean retry, Causes causes) {
        boolean delayedBefore = entry.delayed();
        if (!delayedBefore) {
            entry.retry = false;
            entry.plain = false;
            entry.delayPriority = priority;
        } else {
            entry.delayPriority = Math.max(entry.delayPriority, priority);
        }
        entry.delayCauses = delayedBefore ? entry.delayCauses.and(causes) : causes;
        if (retry) {
            entry.retry = true;
        } else {
            entry.plainDueAt = entry.plain && entry.plainDueAt - dueAt < 0 ? entry.plainDueAt : dueAt;
            entry.plain = true;
        }
        if (!delayedBefore) {
            entry.dueAt = dueAt;
            heap.add(entry);
        } else if (dueAt - entry.dueAt < 0) {
            entry.dueAt = dueAt;
            heap.moved(entry);
        }
        // There is no task while keys wait only if the timer refused the last one.
        if (wakeUp == null || heap.first() == entry) {
            scheduleWakeUp();
        }
    }

    /** Takes out the keys that are due, the first one first. */
    void releaseDue(Consumer<Entry<K>> released) {
        if (wakeUp != null) {
            // This call's own task, or the one that took its place when it could not be cancelled any more.
            wakeUp.cancel();
            wakeUp = null;
        }
        try {
            long now = clock.nanoTime();
            int count = 0;
            for (Entry<K> first = heap.first();
                    first != null && first.dueAt - now <= 0 && count < DUE_BATCH;
                    first = heap.first()) {
                heap.remove(first);
                released.accept(first);
                count++;
            }
        } finally {
            scheduleWakeUp();
        }
    }

    /**
     * Takes out the keys that wait for a retry, those that would have been due first before the others. One that has a
     * plain delay as well goes on waiting for that.
     */
    void releaseRetries(Consumer<Entry<K>> released) {
        try {
            for (Entry<K> entry : heap.first(heap.size())) {
                if (entry.retry) {
                    endRetry(entry);
                    released.accept(entry);
                }
            }
        } finally {
            scheduleWakeUp();
        }
    }

    /** As {@link #releaseRetries} for one key that waits; returns whether a retry is among what it waits for. */
    boolean releaseRetry(Entry<K> entry) {
        if (!entry.retry) {
            return false;
        }
        endRetry(entry);
        scheduleWakeUp();
        return true;
    }

    private void endRetry(Entry<K> entry) {
        entry.retry = false;
        if (entry.plain) {
            entry.dueAt = entry.plainDueAt;
            heap.moved(entry);
        } else {
            heap.remove(entry);
        }
    }

    /** Takes out all of them, in no order. */
    List<Entry<K>> clear() {
        if (wakeUp != null) {
            wakeUp.cancel();
            wakeUp = null;
        }
        return heap.clear();
    }

    /** Sees to it that the timer calls when the first delay ends, and at no other time. */
    private void scheduleWakeUp() {
        Entry<K> first = heap.first();
        if (wakeUp != null) {
            if (first != null && wakeUpAt == first.dueAt) {
                return;
            }
            wakeUp.cancel();
            wakeUp = null;
        }
        if (first != null) {
            wakeUpAt = first.dueAt;
            wakeUp = timer.schedule(Duration.ofNanos(first.dueAt - clock.nanoTime()), onDue);
        }
    }
}
