package io.controllermanager.workqueue;

import java.time.Duration;
import java.util.Map;

/**
 * Decides how long a key that failed waits before it is tried again. Safe for use by several threads.
 *
 * @param <K> the keys
 */
public interface RateLimiter<K> {

    /** How long the key waits now; each call counts as one more failure. */
    Duration when(K key);

    /**
     * Told by the queue how long a key that failed waits in the end. A limiter that lets go of failures after some time
     * counts that time from the end of the wait, which others (a token bucket, jitter) may have made longer than its own.
     * A limiter that is made of others passes it on to them.
     */
    default void waits(K key, Duration delay) {}

    /** Forgets the key's failures. */
    void forget(K key);

    /** How many failures of the key are remembered. */
    int numRequeues(K key);

    /** Of how many keys failures are remembered; 0 for one that does not count them. */
    default int failing() {
        return 0;
    }

    /**
     * The keys that failed most often and how often, those first; empty for one that does not count failures. May look at
     * every key: not for frequent use.
     *
     * @param limit how many keys at most
     */
    default Map<K, Integer> mostFailed(int limit) {
        return Map.of();
    }
}
