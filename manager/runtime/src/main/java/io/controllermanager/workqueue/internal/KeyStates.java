package io.controllermanager.workqueue.internal;

import io.controllermanager.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a queue: which are ready, which wait for a delay and which are with a worker, and how a key gets from one to
 * another. It has no lock and waits for nothing: its {@link WorkQueue} calls it with the queue's lock held.
 *
 * @param <K> the keys
 */
final class KeyStates<K> {

    /** The flow of keys without one. */
    private static final Object NO_FLOW = "";

    /** A view looks at this many flows of each priority; the queue's lock is held meanwhile. */
    private static final int FLOWS_SEEN = 16_384;

    private final Clock clock;
    private final boolean timed;
    private final Runnable onReady;
    private final EntryTable<K> entries;
    final ReadyKeys<K> ready;
    private final EntryList<K> processing = new EntryList<>();
    final DelayedKeys<K> delays;
    long adds;
    long retries;

    /** Adds do nothing any more. */
    boolean shutDown;

    /**
     * Begins without keys.
     *
     * @param timed whether to note when keys become ready
     * @param onReady called for each key that becomes ready
     */
    KeyStates(
            Clock clock,
            @Nullable Function<? super K, ? extends @Nullable Object> flows,
            int agingInterval,
            DelayedKeys<K> delays,
            boolean timed,
            Runnable onReady) {
        this.clock = clock;
        this.timed = timed;
        this.onReady = onReady;
        this.entries = new EntryTable<>(flows == null ? key -> NO_FLOW : key -> flowOf(flows, key));
        this.ready = new ReadyKeys<>(agingInterval, flows != null);
        this.delays = delays;
    }

    private static <K> Object flowOf(Function<? super K, ? extends @Nullable Object> flows, K key) {
        Object flow = flows.apply(key);
        return flow == null ? NO_FLOW : flow;
    }

    void add(K key, int hash, int priority, Causes causes) {
        if (!shutDown) {
            makeDirty(entries.getOrAdd(key, hash), priority, causes);
        }
    }

    /** Adds a key at the priority that it was taken with. */
    void addAgain(K key, int hash) {
        if (!shutDown) {
            Entry<K> entry = entries.getOrAdd(key, hash);
            makeDirty(entry, priorityOf(entry), entry.takenCauses);
        }
    }

    /**
     * Adds a key once a delay has passed.
     *
     * @param retry whether it failed
     * @param priority null for the one that it was taken with
     */
    void addAfter(K key, int hash, long nanos, boolean retry, Causes causes, @Nullable Integer priority) {
        if (shutDown) {
            return;
        }
        Entry<K> entry = entries.getOrAdd(key, hash);
        int effective = priority == null ? priorityOf(entry) : priority;
        retries++;
        if (nanos <= 0) {
            makeDirty(entry, effective, causes);
        } else {
            delays.add(entry, clock.nanoTime() + nanos, effective, retry, causes);
        }
    }

    /** Takes what a key's failures have left behind: its priority, and a retry that it waits for. */
    void renew(K key, int hash) {
        Entry<K> entry = entries.get(key, hash);
        if (entry == null) {
            return;
        }
        entry.takenPriority = WorkQueue.NORMAL_PRIORITY;
        entry.delayPriority = WorkQueue.NORMAL_PRIORITY;
        if (entry.delayed() && delays.releaseRetry(entry)) {
            makeDirty(entry, WorkQueue.NORMAL_PRIORITY, released(entry));
        }
    }

    /** Gives the next key to a worker; null if none is ready. */
    @Nullable
    Entry<K> take(long now) {
        Entry<K> entry = ready.poll();
        if (entry != null) {
            entry.dirty = false;
            entry.processing = true;
            entry.takenPriority = entry.priority;
            entry.timed = timed;
            entry.takenAt = now;
            // It may have been added after the clock was read.
            entry.waited = Math.max(0, now - entry.dirtyAt);
            entry.takenCauses = entry.causes;
            entry.causes = Causes.NONE;
            processing.addLast(entry);
        }
        return entry;
    }

    /** Takes a key back from its worker; null if none has it. */
    @Nullable
    Entry<K> done(K key, int hash) {
        Entry<K> entry = entries.get(key, hash);
        if (entry == null || !entry.processing) {
            return null;
        }
        entry.processing = false;
        entry.takenCauses = Causes.NONE;
        processing.remove(entry);
        if (entry.dirty) {
            makeReady(entry);
        } else {
            removeIfIdle(entry);
        }
        return entry;
    }

    /** Makes the keys ready whose delays have passed. */
    void releaseDue() {
        delays.releaseDue(entry -> makeDirty(entry, entry.delayPriority, released(entry)));
    }

    /** Makes the keys ready that wait after a failure, and returns them. */
    List<K> releaseRetries() {
        List<K> released = new ArrayList<>();
        delays.releaseRetries(entry -> {
            released.add(entry.key);
            makeDirty(entry, entry.delayPriority, released(entry));
        });
        return released;
    }

    /** Ends it for adds, and drops the keys that wait for a delay. */
    void shutDown() {
        shutDown = true;
        delays.clear().forEach(this::removeIfIdle);
    }

    /** Drops ready keys, and lets no key become ready again once it is done. */
    void clear() {
        ready.clear();
        for (Entry<K> entry = processing.first(); entry != null; entry = entry.next) {
            entry.dirty = false;
        }
        entries.retainProcessing();
    }

    long longestWait() {
        return ready.longestWait(clock.nanoTime());
    }

    /** The sum of the time that has passed since each key being processed was taken. */
    long unfinishedNanos() {
        long now = clock.nanoTime();
        long sum = 0;
        for (Entry<K> entry = processing.first(); entry != null; entry = entry.next) {
            sum += now - entry.takenAt;
        }
        return sum;
    }

    /** The time since the key that has been processed longest was taken. */
    long longestRunningNanos() {
        Entry<K> first = processing.first();
        return first == null ? 0 : clock.nanoTime() - first.takenAt;
    }

    /**
     * Notes what a snapshot shows. Whoever asks for the snapshot sorts it, once the queue's lock is free again.
     *
     * @param limit how many delayed keys, and keys with workers, to name
     */
    Supplier<QueueSnapshot<K>> snapshot(int limit, FailureTracker<K> failures) {
        long now = clock.nanoTime();
        Map<K, Duration> delayed = new LinkedHashMap<>();
        for (Entry<K> entry : delays.first(limit)) {
            delayed.put(entry.key, Duration.ofNanos(Math.max(0, entry.dueAt - now)));
        }
        Map<K, Duration> worked = new LinkedHashMap<>();
        for (Entry<K> entry = processing.first(); entry != null && worked.size() < limit; entry = entry.next) {
            if (!entry.timed) {
                entry.timed = true;
                entry.takenAt = now;
            }
            worked.put(entry.key, Duration.ofNanos(Math.max(0, now - entry.takenAt)));
        }
        Map<Integer, Integer> depths = ready.depths();
        int flows = ready.flows();
        List<Map.Entry<Object, Integer>> depthsByFlow = ready.depthsByFlow(FLOWS_SEEN);
        int delayedKeys = delays.size();
        int processingKeys = processing.size();
        return () -> {
            Map<Object, Integer> depthByFlow = new HashMap<>();
            depthsByFlow.forEach(depth -> depthByFlow.merge(depth.getKey(), depth.getValue(), Integer::sum));
            Largest<Object> largestFlows = new Largest<>(limit);
            depthByFlow.forEach(largestFlows::offer);
            return new QueueSnapshot<>(
                    depths,
                    flows,
                    largestFlows.descending(),
                    delayedKeys,
                    delayed,
                    processingKeys,
                    worked,
                    failures.failing(),
                    failures.mostFailed(limit));
        };
    }

    private static int priorityOf(Entry<?> entry) {
        return entry.processing ? entry.takenPriority : WorkQueue.NORMAL_PRIORITY;
    }

    /** Why the worker that has a key was given it; nothing if none has it. */
    Taken taken(K key, int hash) {
        Entry<K> entry = entries.get(key, hash);
        return entry == null ? Taken.NOTHING : new Taken(entry.takenCauses, entry.waited, entry.takenPriority);
    }

    /** Where a key is. */
    Place place(K key, int hash) {
        Entry<K> entry = entries.get(key, hash);
        if (entry == null) {
            return new Place(null, null, 0, ready.size(), null, null);
        }
        long now = clock.nanoTime();
        return new Place(
                entry.processing ? Duration.ofNanos(Math.max(0, now - entry.takenAt)) : null,
                entry.dirty ? Duration.ofNanos(Math.max(0, now - entry.dirtyAt)) : null,
                entry.priority,
                ready.size(),
                entry.delayed() ? Duration.ofNanos(Math.max(0, entry.dueAt - now)) : null,
                entry.delayCauses.delay());
    }

    /** What a delay was for that has ended; what another is for stays. */
    private static Causes released(Entry<?> entry) {
        Causes causes = entry.delayCauses;
        entry.delayCauses = entry.delayed() ? causes : Causes.NONE;
        return causes;
    }

    private void makeDirty(Entry<K> entry, int priority, Causes causes) {
        entry.causes = entry.causes.and(causes);
        if (entry.dirty) {
            if (priority <= entry.priority) {
                return;
            }
            if (entry.processing) {
                entry.priority = priority;
            } else {
                ready.remove(entry);
                entry.priority = priority;
                ready.add(entry);
            }
            return;
        }
        adds++;
        entry.dirty = true;
        entry.priority = priority;
        if (timed) {
            entry.dirtyAt = clock.nanoTime();
        }
        if (!entry.processing) {
            makeReady(entry);
        }
    }

    private void makeReady(Entry<K> entry) {
        ready.add(entry);
        onReady.run();
    }

    private void removeIfIdle(Entry<K> entry) {
        if (!entry.dirty && !entry.processing && !entry.delayed()) {
            entries.remove(entry);
        }
    }
}
