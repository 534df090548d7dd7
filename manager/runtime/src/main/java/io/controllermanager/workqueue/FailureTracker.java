package io.controllermanager.workqueue;

import io.controllermanager.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts failures by key. Keys are kept in two generations; when the younger one is as old as the lifetime, the older one
 * is dropped. A key whose last failure is longer ago than two lifetimes is therefore forgotten without anyone's asking,
 * and the tracker never holds more keys than have failed within that time. Safe for use by several threads.
 */
final class FailureTracker<K> {

    private final Clock clock;
    private final long lifetimeNanos;
    private Map<K, Integer> young = new HashMap<>();
    private Map<K, Integer> old = new HashMap<>();
    private long youngSince;

    /** Lets {@link #forget}, which is called for every success, pass without the lock while nothing fails. */
    private volatile boolean empty = true;

    FailureTracker(Clock clock, Duration lifetime) {
        this.clock = clock;
        this.lifetimeNanos = RateLimiters.saturatedNanos(lifetime);
        this.youngSince = clock.nanoTime();
    }

    /** Counts one more failure; returns how many there were before. */
    synchronized int increment(K key) {
        dropOld();
        Integer remembered = old.remove(key);
        int before = remembered != null ? remembered : young.getOrDefault(key, 0);
        young.put(key, before == Integer.MAX_VALUE ? before : before + 1);
        empty = false;
        return before;
    }

    int count(K key) {
        if (empty) {
            return 0;
        }
        synchronized (this) {
            dropOld();
            Integer count = young.get(key);
            return count != null ? count : old.getOrDefault(key, 0);
        }
    }

    void forget(K key) {
        if (empty) {
            return;
        }
        synchronized (this) {
            dropOld();
            young.remove(key);
            old.remove(key);
            empty = young.isEmpty() && old.isEmpty();
        }
    }

    synchronized Map<K, Integer> counts() {
        dropOld();
        Map<K, Integer> counts = new HashMap<>(old);
        counts.putAll(young);
        return counts;
    }

    private void dropOld() {
        long age = clock.nanoTime() - youngSince;
        if (age < lifetimeNanos) {
            return;
        }
        // After twice the lifetime the young ones are too old as well.
        old = age - lifetimeNanos < lifetimeNanos ? young : new HashMap<>();
        young = new HashMap<>();
        youngSince += age;
    }
}
