package io.controllermanager.workqueue.internal;

import org.jspecify.annotations.Nullable;

/**
 * All that a queue knows of one key. It is at once the node of the hash table, of the list that the key stands in (its
 * priority's, or that of keys being processed) and of the heap of delayed keys, so that a key costs one object. Guarded
 * by the queue's lock.
 */
final class Entry<K> extends Chain.Node<Entry<K>> {

    final K key;
    final int hash;

    /** What it shares its turns with where the queue is fair, the same for all keys where it is not. */
    final Object flow;

    /** The next entry in the hash table's bucket. */
    @Nullable
    Entry<K> chain;

    /** To be processed: ready, or, while processing, to be ready again when done. */
    boolean dirty;

    /** With a worker. */
    boolean processing;

    /** The priority it is ready at, or is to be ready at when done. */
    int priority;

    /** The priority it was last taken with. */
    int takenPriority;

    /** When it became ready, counted in keys: the order of all ready keys whatever their priority. */
    long readySequence;

    /** When it was made dirty, by the monotonic clock; only where the queue has meters. */
    long dirtyAt;

    /** Whether it is known when it was taken, and when that was. */
    boolean timed;

    long takenAt;

    /** Where it is in the heap of delayed keys, or {@link DelayHeap#ABSENT}. */
    int heapIndex = DelayHeap.ABSENT;

    /** Keys delayed to the same nanosecond become ready in this order; may wrap around. */
    int delaySequence;

    /** The priority it gets when its delay has passed. */
    int delayPriority;

    /** When its delay ends: the earliest of all that were asked for. */
    long dueAt;

    /** Whether a retry after a failure is among the delays. */
    boolean retry;

    /** Whether a plain delay is among the delays, and when that ends. */
    boolean plain;

    long plainDueAt;

    /** Why it is dirty; {@link Causes#NONE} where nobody says so, as in what follows. */
    Causes causes = Causes.NONE;

    /** Why its delay ends in its being dirty. */
    Causes delayCauses = Causes.NONE;

    /** Why the worker that has it was given it, and how long it had been ready. */
    Causes takenCauses = Causes.NONE;

    long waited;

    Entry(K key, int hash, Object flow) {
        this.key = key;
        this.hash = hash;
        this.flow = flow;
    }

    boolean ready() {
        return dirty && !processing;
    }

    boolean delayed() {
        return heapIndex != DelayHeap.ABSENT;
    }
}
