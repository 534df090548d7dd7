package io.controllermanager.workqueue;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A queue of keys to work on. A key is queued once however often it is added; a key added while a worker has it is
 * queued again when that worker is done; one key is never with two workers. Keys of equal priority come out in the order
 * they went in. Delayed keys are unbounded in number and never dropped. Safe for use by several threads; taken from
 * client-go's {@code util/workqueue} and controller-runtime's {@code priorityqueue}.
 *
 * @param <K> the keys, compared by {@code equals}
 */
public interface WorkQueue<K> {

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

    /** Adds a key once the delay has passed; of several delays for one key the earliest time wins. */
    void addAfter(K key, Duration delay);

    /** Adds a key once the rate limiter lets it, at the priority it was last taken with. */
    void addRateLimited(K key);

    /** Forgets a key's failures, so that its next rate-limited add starts from the shortest delay. */
    void forget(K key);

    /** How often a key was added rate-limited since it was last forgotten. */
    int numRequeues(K key);

    /**
     * Takes the next key, waiting for one. Whoever takes a key must call {@link #done}.
     *
     * @return the key, or null when the queue is shut down
     * @throws InterruptedException if interrupted while waiting; no key is lost
     */
    @Nullable
    K take() throws InterruptedException;

    /** Says that the work on a key has ended; if it was added meanwhile, it is queued again. */
    void done(K key);

    /** How many keys are ready to be taken; delayed keys and those being worked on do not count. */
    int size();

    /**
     * Makes every key that waits for a rate-limited retry ready now and forgets its failures. For the moment when what
     * made the keys fail (an API server that was away) is known to be over. Keys delayed by {@link #addAfter} stay
     * delayed.
     */
    void retryNow();

    /**
     * Ends the queue: adds are ignored from now on, waiting takers get null, keys not taken yet are dropped. Returns at
     * once.
     */
    void shutDown();

    /**
     * Ends the queue for adds, waits until every key that is queued has been taken and every taken key is done.
     *
     * @return whether that happened within the timeout
     */
    boolean shutDownWithDrain(Duration timeout) throws InterruptedException;

    /** Whether the queue has been shut down. */
    boolean isShuttingDown();

    /** What is in the queue at this moment, for operators. */
    QueueSnapshot<K> snapshot();
}
