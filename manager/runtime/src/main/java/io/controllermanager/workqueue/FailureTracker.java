package io.controllermanager.workqueue;

import io.controllermanager.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts failures by key. Keys are kept in two generations; when the younger one is as old as the lifetime, the older one
 * is dropped. A key whose last failure is longer ago than two lifetimes is therefore forgotten without anyone's asking,
 * and the tracker never holds more keys than have failed within that time. Safe for use by several threads, which do not
 * wait for each other.
 */
final class FailureTracker<K> {

    private final Clock clock;
    private final long lifetimeNanos;
    private volatile Generations<K> generations;

    private record Generations<K>(ConcurrentHashMap<K, Integer> young, ConcurrentHashMap<K, Integer> old, long since) {
        boolean isEmpty() {
            return young.isEmpty() && old.isEmpty();
        }
    }

    FailureTracker(Clock clock, Duration lifetime) {
        this.clock = clock;
        this.lifetimeNanos = RateLimiters.saturatedNanos(lifetime);
        this.generations = new Generations<>(new ConcurrentHashMap<>(), new ConcurrentHashMap<>(), clock.nanoTime());
    }

    /** Counts one more failure; returns how many there were before. */
    int increment(K key) {
        Generations<K> now = living();
        Integer remembered = now.old.remove(key);
        int before = remembered == null ? 0 : remembered;
        int after = now.young.merge(
                key,
                saturatedAdd(before, 1),
                (present, added) -> saturatedAdd(present, remembered == null ? 1 : added));
        return after - 1;
    }

    int count(K key) {
        if (generations.isEmpty()) {
            return 0;
        }
        Generations<K> now = living();
        Integer count = now.young.get(key);
        return count != null ? count : now.old.getOrDefault(key, 0);
    }

    /** Called for every success; costs next to nothing while nothing fails. */
    void forget(K key) {
        if (!generations.isEmpty()) {
            Generations<K> now = living();
            now.young.remove(key);
            now.old.remove(key);
        }
    }

    /** How many keys are remembered. */
    int size() {
        Generations<K> now = living();
        return now.young.size() + now.old.size();
    }

    /** The keys that failed most often and how often, those first; looks at all keys, but holds nobody up. */
    Map<K, Integer> most(int limit) {
        Generations<K> now = living();
        Largest<K> most = new Largest<>(limit);
        now.young.forEach(most::offer);
        now.old.forEach(most::offer);
        return most.descending();
    }

    private Generations<K> living() {
        Generations<K> present = generations;
        return clock.nanoTime() - present.since < lifetimeNanos ? present : dropOld();
    }

    private synchronized Generations<K> dropOld() {
        Generations<K> present = generations;
        long now = clock.nanoTime();
        long age = now - present.since;
        if (age < lifetimeNanos) {
            return present;
        }
        // After twice the lifetime the young ones are too old as well.
        ConcurrentHashMap<K, Integer> old =
                age - lifetimeNanos < lifetimeNanos ? present.young : new ConcurrentHashMap<>();
        generations = new Generations<>(new ConcurrentHashMap<>(), old, now);
        return generations;
    }

    private static int saturatedAdd(int one, int other) {
        return one > Integer.MAX_VALUE - other ? Integer.MAX_VALUE : one + other;
    }
}
