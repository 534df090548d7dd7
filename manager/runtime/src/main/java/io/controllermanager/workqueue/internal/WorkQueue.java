package io.controllermanager.workqueue.internal;

import java.time.Duration;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A queue of keys to work on. A key is queued once however often it is added; a key added while a worker has it is
 * queued again when that worker is done; one key is never with two workers. Keys of equal priority come out in the order
 * they went in. Delayed keys are unbounded in number and never dropped. Safe for use by several threads; taken from
 * client-go's {@code util/workqueue} and controller-runtime's {@code priorityqueue}.
 *
 * @param <K> the keys, compared by {@code equals}
 */
public interface WorkQueue<K> extends AutoCloseable {

    /** The priority of keys that an operator asked for: they go before all others. */
    int HIGH_PRIORITY = 100;

    /** The priority of keys from live changes. */
    int NORMAL_PRIORITY = 0;

    /** The priority of keys from an initial list or a resync: they wait behind live changes. */
    int LOW_PRIORITY = -100;

    /** The name that metrics carry. */
    String name();

    /** Adds a key at {@link #NORMAL_PRIORITY}; does nothing once shut down. */
    default void add(K key) {
        add(key, NORMAL_PRIORITY);
    }

    /** Adds a key; one that is queued already keeps the higher of both priorities. */
    void add(K key, int priority);

    /**
     * Adds a key once the delay has passed; of several delays for one key the earliest time wins. A key added by a worker
     * that has it keeps the priority it was taken with; any other has {@link #NORMAL_PRIORITY}.
     *
     * @param delay zero or negative means at once
     */
    void addAfter(K key, Duration delay);

    /**
     * As {@link #addAfter}, with the delay that the rate limiter gives; counts as one failure of the key.
     *
     * @return that delay
     */
    Duration addRateLimited(K key);

    /**
     * Adds a key that a worker has at the priority it was taken with, as if it had not been taken: for work that was
     * given up before it was done. The worker calls {@link #done} all the same.
     */
    void addAgain(K key);

    /** Forgets a key's failures, so that its next rate-limited add starts from the shortest delay. */
    void forget(K key);

    /**
     * Tells that a key stands for something new from now on, such as an object that was deleted and created again under
     * its name: its failures are forgotten, a retry that it waits for is made at once, and retries of what waits or is
     * with a worker have {@link #NORMAL_PRIORITY}. A key that is not in the queue is not added.
     */
    void renew(K key);

    /**
     * Takes the next key, waiting for one. Whoever takes a key must call {@link #done}.
     *
     * @return the key, or null when the queue is shut down
     * @throws InterruptedException if interrupted while waiting; no key is lost
     */
    default @Nullable K take() throws InterruptedException {
        return takeWhile(() -> true);
    }

    /**
     * The same, for as long as the taker is to take one.
     *
     * @param wanted asked under the queue's lock, so it must be brief; whoever changes the answer calls {@link #recall}
     * @return the key, or null when the queue is shut down or the taker is to take none any more
     */
    @Nullable
    K takeWhile(BooleanSupplier wanted) throws InterruptedException;

    /** Has takers return that are to take no key any more. */
    void recall();

    /** While it is paused no key is given out: takers wait, are not woken, and keys go on queueing. Not so at first. */
    void pause(boolean paused);

    /** Says that the work on a key has ended; if it was added meanwhile, it is queued again. */
    void done(K key);

    /** How many keys are ready to be taken; delayed keys and those being worked on do not count. */
    int size();

    /** How many keys wait for their time. */
    int delayed();

    /** How many keys are ready to be taken, by priority, the highest first; a priority without any may be missing. */
    default Map<Integer, Integer> depthByPriority() {
        return snapshot(0).depthByPriority();
    }

    /**
     * How long the key has been ready that is next at its priority, at the priority where that is longest; zero if none is
     * ready, null where the queue does not note it.
     */
    default @Nullable Duration longestWait() {
        return null;
    }

    /**
     * Makes every key that waits for a rate-limited retry ready now and forgets its failures. For the moment when what
     * made the keys fail (an API server that was away) is known to be over. Keys delayed by {@link #addAfter} stay
     * delayed.
     */
    void retryNow();

    /**
     * Ends the queue for adds and drops delayed keys. As in client-go, keys that are queued can still be taken, one that
     * was added while a worker had it included; takers get null when there is nothing to take at that moment. Returns at
     * once.
     */
    void shutDown();

    /** Whether the queue has been shut down. */
    boolean isShuttingDown();

    /**
     * Shuts down, drops every key that has not been taken, and takes the queue's meters out of their registry. Takers get
     * null.
     */
    @Override
    void close();

    /** What is in the queue at this moment, for operators; lists at most 100 keys of each kind. */
    default QueueSnapshot<K> snapshot() {
        return snapshot(100);
    }

    /**
     * What is in the queue at this moment, for operators.
     *
     * @param limit how many keys, or flows, of each kind are listed at most
     */
    QueueSnapshot<K> snapshot(int limit);
}
