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

    /** Forgets the key's failures. */
    void forget(K key);

    /** How many failures of the key are remembered. */
    int numRequeues(K key);

    /** The failures that are remembered, by key; empty for one that does not count them. */
    default Map<K, Integer> failures() {
        return Map.of();
    }
}
