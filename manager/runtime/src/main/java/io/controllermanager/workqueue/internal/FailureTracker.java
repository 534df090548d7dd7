package io.controllermanager.workqueue.internal;

import io.controllermanager.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts failures by key, and says how long each waits. Unlike client-go's rate limiters, failures that nobody forgets do
 * not pile up: a key is forgotten once it has a lifetime behind it since its last delay ended. A lifetime is twice the
 * longest delay, a minute at least, and the longest time that work on a key takes.
 *
 * <p>Keys are kept in two generations; the older one is dropped, and the younger one takes its place, when the younger one
 * is as old as the lifetime and every delay of a key in the older one ended a lifetime ago. So a key is forgotten at the
 * latest after two lifetimes and twice the longest wait of any key. Safe for use by several threads, which do not wait for
 * each other.
 *
 * @param <K> the keys
 */
public final class FailureTracker<K> {

    private static final Duration SHORTEST_LIFETIME = Duration.ofMinutes(1);

    private final Clock clock;
    private final Backoff backoff;
    private final long lifetimeNanos;
    private volatile Generations<K> generations;

    /**
     * Both generations.
     *
     * @param since when the young one began
     * @param youngWait until when keys of the young one wait
     * @param oldWait likewise
     */
    private record Generations<K>(
            ConcurrentHashMap<K, Integer> young,
            ConcurrentHashMap<K, Integer> old,
            long since,
            AtomicLong youngWait,
            long oldWait) {

        /** With a young one that is empty. */
        static <K> Generations<K> after(ConcurrentHashMap<K, Integer> old, long oldWait, long now) {
            return new Generations<>(new ConcurrentHashMap<>(), old, now, new AtomicLong(now), oldWait);
        }

        boolean isEmpty() {
            return young.isEmpty() && old.isEmpty();
        }
    }

    /** For work that takes next to no time. */
    public FailureTracker(Clock clock, Backoff backoff) {
        this(clock, backoff, Duration.ZERO);
    }

    /**
     * For work that takes a while.
     *
     * @param longestWork how long work on a key takes at most before it fails: that much longer are failures remembered
     */
    public FailureTracker(Clock clock, Backoff backoff, Duration longestWork) {
        this.clock = clock;
        this.backoff = backoff;
        long twice = Math.max(2 * Backoff.saturatedNanos(backoff.longest()), SHORTEST_LIFETIME.toNanos());
        this.lifetimeNanos = Backoff.saturatedNanos(Duration.ofNanos(twice).plus(longestWork));
        long now = clock.nanoTime();
        this.generations = Generations.after(new ConcurrentHashMap<>(), now, now);
    }

    /** How long the key waits now; each call counts as one more failure. */
    public Duration when(K key) {
        Duration delay = backoff.after(failed(key));
        long until = clock.nanoTime() + Backoff.saturatedNanos(delay);
        living().youngWait.accumulateAndGet(until, (one, other) -> one - other < 0 ? other : one);
        return delay;
    }

    private int failed(K key) {
        Generations<K> now = living();
        Integer remembered = now.old.remove(key);
        int before = remembered == null ? 0 : remembered;
        return now.young.merge(
                key,
                saturatedAdd(before, 1),
                (present, added) -> saturatedAdd(present, remembered == null ? 1 : added));
    }

    /** Forgets the key's failures. Called for every success; costs next to nothing while nothing fails. */
    public void forget(K key) {
        if (!generations.isEmpty()) {
            Generations<K> now = living();
            now.young.remove(key);
            now.old.remove(key);
        }
    }

    /** Of how many keys failures are remembered. */
    public int failing() {
        Generations<K> now = living();
        return now.young.size() + now.old.size();
    }

    /** The keys that failed most often and how often, those first; looks at all keys, but holds nobody up. */
    public Map<K, Integer> mostFailed(int limit) {
        Generations<K> now = living();
        Largest<K> most = new Largest<>(limit);
        now.young.forEach(most::offer);
        now.old.forEach(most::offer);
        return most.descending();
    }

    private Generations<K> living() {
        Generations<K> present = generations;
        return mayDropOld(present, clock.nanoTime()) ? dropOld() : present;
    }

    private boolean mayDropOld(Generations<K> present, long now) {
        return now - present.since >= lifetimeNanos
                && (present.old.isEmpty() || now - present.oldWait >= lifetimeNanos);
    }

    private synchronized Generations<K> dropOld() {
        Generations<K> present = generations;
        long now = clock.nanoTime();
        if (!mayDropOld(present, now)) {
            return present;
        }
        long youngWait = present.youngWait.get();
        // After a long time in which nobody asked the young ones are too old as well.
        boolean youngToo = now - present.since - lifetimeNanos >= lifetimeNanos && now - youngWait >= lifetimeNanos;
        generations = Generations.after(youngToo ? new ConcurrentHashMap<>() : present.young, youngWait, now);
        return generations;
    }

    private static int saturatedAdd(int one, int other) {
        return one > Integer.MAX_VALUE - other ? Integer.MAX_VALUE : one + other;
    }
}
