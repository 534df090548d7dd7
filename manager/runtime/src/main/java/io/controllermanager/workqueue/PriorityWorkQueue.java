package io.controllermanager.workqueue;

import io.controllermanager.time.Clock;
import io.controllermanager.time.Timer;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The work queue: client-go's semantics, controller-runtime's priorities.
 *
 * <ul>
 *   <li>Ready keys are taken by priority, those of equal priority in the order in which they became ready. A key that is
 *       raised to a higher priority goes to the end of that priority. Keys of low priority do not starve: every 16th take
 *       (see {@link WorkQueueBuilder#agingInterval}) that would have to pass over them serves the one that has been ready longest.
 *   <li>A key's delay is independent of its being ready, as in client-go: a delayed key that is added is ready at once
 *       and again when its delay has passed. Several delays of one key become one that ends at the earliest time and has
 *       the highest of their priorities. A key is never ready before its delay has passed.
 *   <li>All delayed keys stand in one heap, and the queue has at most one task with the timer, for the key that is due
 *       first. There is no thread per queue.
 *   <li>Failures are remembered by a {@link FailureTracker}, which lets go of those that are forgotten, and of others once
 *       they are so old that they no longer matter.
 * </ul>
 *
 * <p>One lock guards everything, and is held for a few dozen instructions at a time; a taker is woken only if one waits.
 * A key costs one object of about 110 bytes while it is in the queue, and nothing afterwards. Keys must not change while
 * they are in the queue.
 *
 * @param <K> the keys
 */
public final class PriorityWorkQueue<K> implements WorkQueue<K> {

    /** The flow of keys without one. */
    private static final Object NO_FLOW = "";

    /** Of each priority so many flows are looked at for a snapshot, which holds the lock meanwhile. */
    private static final int FLOWS_SEEN = 16_384;

    private final String name;
    private final Clock clock;
    private final Timer timer;
    private final FailureTracker<K> failures;
    private final boolean priorities;
    private final @Nullable QueueMetrics metrics;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition available = lock.newCondition();
    private final Condition drained = lock.newCondition();
    private final EntryTable<K> entries;
    private final ReadyKeys<K> ready;
    private final EntryList<K> processing = new EntryList<>();
    private final DelayedKeys<K> delays;

    private State state = State.OPEN;
    private long adds;
    private long retries;

    private enum State {
        OPEN,
        DRAINING,
        SHUT_DOWN
    }

    PriorityWorkQueue(WorkQueueBuilder<K> builder, Timer timer) {
        this.name = builder.name;
        this.clock = builder.clock;
        this.timer = timer;
        FailureTracker<K> given = builder.failures;
        this.failures = given != null ? given : new FailureTracker<>(clock, Backoff.DEFAULT);
        this.priorities = builder.priorities;
        Function<? super K, ? extends @Nullable Object> flows = builder.flows;
        this.entries = new EntryTable<>(flows == null ? key -> NO_FLOW : key -> flowOf(flows, key));
        this.ready = new ReadyKeys<>(builder.agingInterval, flows != null);
        this.delays = new DelayedKeys<>(clock, timer, this::releaseDue);
        MeterRegistry registry = builder.meterRegistry;
        // The meters read this queue when they are scraped, which may be at once: it comes last.
        this.metrics = registry == null ? null : QueueMetrics.of(this, registry, builder.controller);
    }

    /**
     * Begins a queue.
     *
     * @param name what its metrics are named after
     */
    public static <K> WorkQueueBuilder<K> named(String name) {
        return new WorkQueueBuilder<>(name);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void add(K key, int priority) {
        if (metrics != null) {
            metrics.priorityUsed(effective(priority));
        }
        int hash = EntryTable.hash(key);
        lock.lock();
        try {
            if (state == State.OPEN) {
                makeDirty(entries.getOrAdd(key, hash), effective(priority));
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void addAgain(K key) {
        int hash = EntryTable.hash(key);
        lock.lock();
        try {
            if (state == State.OPEN) {
                Entry<K> entry = entries.getOrAdd(key, hash);
                makeDirty(entry, priorityOf(entry));
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void addAfter(K key, Duration delay) {
        addDelayed(key, delay, false);
    }

    @Override
    public Duration addRateLimited(K key) {
        // Asked without the lock, which it does not need.
        Duration delay = failures.when(key);
        addDelayed(key, delay, true);
        return delay;
    }

    private void addDelayed(K key, Duration delay, boolean retry) {
        long nanos = Backoff.saturatedNanos(delay);
        int hash = EntryTable.hash(key);
        lock.lock();
        try {
            if (state != State.OPEN) {
                return;
            }
            Entry<K> entry = entries.getOrAdd(key, hash);
            retries++;
            if (nanos <= 0) {
                makeDirty(entry, priorityOf(entry));
            } else {
                delays.add(entry, clock.nanoTime() + nanos, priorityOf(entry), retry);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void forget(K key) {
        failures.forget(key);
    }

    @Override
    public void renew(K key) {
        failures.forget(key);
        int hash = EntryTable.hash(key);
        lock.lock();
        try {
            Entry<K> entry = entries.get(key, hash);
            if (entry == null) {
                return;
            }
            entry.takenPriority = NORMAL_PRIORITY;
            entry.delayPriority = NORMAL_PRIORITY;
            if (entry.delayed() && delays.releaseRetry(entry)) {
                makeDirty(entry, NORMAL_PRIORITY);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int numRequeues(K key) {
        return failures.numRequeues(key);
    }

    @Override
    public @Nullable K take() throws InterruptedException {
        K key;
        long waited;
        // The clock is read without the lock, which others wait for; and only for meters, since reading it takes as
        // long as
        // all of this method.
        boolean timed = metrics != null;
        long now = timed ? clock.nanoTime() : 0;
        lock.lockInterruptibly();
        try {
            while (ready.size() == 0 && state == State.OPEN) {
                available.await();
                now = timed ? clock.nanoTime() : 0;
            }
            Entry<K> entry = ready.poll();
            if (entry == null) {
                return null;
            }
            entry.dirty = false;
            entry.processing = true;
            entry.takenPriority = entry.priority;
            entry.timed = timed;
            entry.takenAt = now;
            processing.addLast(entry);
            key = entry.key;
            // It may have been added after the clock was read.
            waited = Math.max(0, now - entry.dirtyAt);
        } finally {
            lock.unlock();
        }
        if (metrics != null) {
            metrics.taken(waited);
        }
        return key;
    }

    @Override
    public void done(K key) {
        long workNanos;
        int hash = EntryTable.hash(key);
        long now = metrics == null ? 0 : clock.nanoTime();
        lock.lock();
        try {
            Entry<K> entry = entries.get(key, hash);
            if (entry == null || !entry.processing) {
                return;
            }
            workNanos = now - entry.takenAt;
            entry.processing = false;
            processing.remove(entry);
            if (entry.dirty) {
                makeReady(entry);
            } else {
                removeIfIdle(entry);
            }
            if (state == State.DRAINING && ready.size() == 0 && processing.size() == 0) {
                drained.signalAll();
            }
        } finally {
            lock.unlock();
        }
        if (metrics != null) {
            metrics.done(workNanos);
        }
    }

    @Override
    public int size() {
        return locked(ready::size);
    }

    @Override
    public int delayed() {
        return locked(delays::size);
    }

    @Override
    public Map<Integer, Integer> depthByPriority() {
        lock.lock();
        try {
            return ready.depths();
        } finally {
            lock.unlock();
        }
    }

    /** Null for a queue without meters, which does not note when a key became ready. */
    @Override
    public @Nullable Duration longestWait() {
        if (metrics == null) {
            return null;
        }
        lock.lock();
        try {
            // The clock is read under the lock, so that nothing is newer than it says.
            return Duration.ofNanos(ready.longestWait(clock.nanoTime()));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void retryNow() {
        List<K> released = new ArrayList<>();
        lock.lock();
        try {
            delays.releaseRetries(entry -> {
                released.add(entry.key);
                makeDirty(entry, entry.delayPriority);
            });
        } finally {
            lock.unlock();
        }
        for (K key : released) {
            failures.forget(key);
        }
    }

    @Override
    public void shutDown() {
        lock.lock();
        try {
            end();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean shutDownWithDrain(Duration timeout) throws InterruptedException {
        Timer.Cancellable limit = null;
        boolean[] expired = new boolean[1];
        lock.lockInterruptibly();
        try {
            state = State.DRAINING;
            dropDelays();
            available.signalAll();
            while (state == State.DRAINING && !expired[0] && ready.size() + processing.size() > 0) {
                if (limit == null) {
                    limit = timer.schedule(timeout, () -> {
                        lock.lock();
                        try {
                            expired[0] = true;
                            drained.signalAll();
                        } finally {
                            lock.unlock();
                        }
                    });
                }
                drained.await();
            }
            return ready.size() + processing.size() == 0;
        } finally {
            lock.unlock();
            if (limit != null) {
                limit.cancel();
            }
        }
    }

    @Override
    public boolean isShuttingDown() {
        return locked(() -> state == State.OPEN ? 0 : 1) != 0;
    }

    @Override
    public void close() {
        lock.lock();
        try {
            end();
            ready.clear();
            for (Entry<K> entry = processing.first(); entry != null; entry = entry.next) {
                entry.dirty = false;
            }
            entries.retainProcessing();
        } finally {
            lock.unlock();
        }
        if (metrics != null) {
            metrics.close();
        }
    }

    @Override
    public QueueSnapshot<K> snapshot(int limit) {
        if (limit < 0) {
            throw new IllegalArgumentException("limit must not be negative, but is " + limit);
        }
        Map<K, Duration> delayed = new LinkedHashMap<>();
        Map<K, Duration> worked = new LinkedHashMap<>();
        Map<Integer, Integer> depths;
        int flows;
        List<Map.Entry<Object, Integer>> depthsByFlow;
        int delayedKeys;
        int processingKeys;
        lock.lock();
        try {
            long now = clock.nanoTime();
            depths = ready.depths();
            flows = ready.flows();
            depthsByFlow = ready.depthsByFlow(FLOWS_SEEN);
            delayedKeys = delays.size();
            for (Entry<K> entry : delays.first(limit)) {
                delayed.put(entry.key, Duration.ofNanos(Math.max(0, entry.dueAt - now)));
            }
            processingKeys = processing.size();
            for (Entry<K> entry = processing.first(); entry != null && worked.size() < limit; entry = entry.next) {
                if (!entry.timed) {
                    entry.timed = true;
                    entry.takenAt = now;
                }
                worked.put(entry.key, Duration.ofNanos(Math.max(0, now - entry.takenAt)));
            }
        } finally {
            lock.unlock();
        }
        Largest<Object> largestFlows = new Largest<>(limit);
        Map<Object, Integer> depthByFlow = new HashMap<>();
        depthsByFlow.forEach(depth -> depthByFlow.merge(depth.getKey(), depth.getValue(), Integer::sum));
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
    }

    long addsTotal() {
        lock.lock();
        try {
            return adds;
        } finally {
            lock.unlock();
        }
    }

    long retriesTotal() {
        lock.lock();
        try {
            return retries;
        } finally {
            lock.unlock();
        }
    }

    int depth(int priority) {
        return locked(() -> ready.depth(priority));
    }

    /** The sum of the time that has passed since each key being processed was taken. */
    long unfinishedNanos() {
        lock.lock();
        try {
            long now = clock.nanoTime();
            long sum = 0;
            for (Entry<K> entry = processing.first(); entry != null; entry = entry.next) {
                sum += now - entry.takenAt;
            }
            return sum;
        } finally {
            lock.unlock();
        }
    }

    /** The time since the key that has been processed longest was taken. */
    long longestRunningNanos() {
        lock.lock();
        try {
            Entry<K> first = processing.first();
            return first == null ? 0 : clock.nanoTime() - first.takenAt;
        } finally {
            lock.unlock();
        }
    }

    private int locked(IntSupplier read) {
        lock.lock();
        try {
            return read.getAsInt();
        } finally {
            lock.unlock();
        }
    }

    private int effective(int priority) {
        return priorities ? priority : NORMAL_PRIORITY;
    }

    private static int priorityOf(Entry<?> entry) {
        return entry.processing ? entry.takenPriority : NORMAL_PRIORITY;
    }

    private void makeDirty(Entry<K> entry, int priority) {
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
        if (metrics != null) {
            entry.dirtyAt = clock.nanoTime();
        }
        if (!entry.processing) {
            makeReady(entry);
        }
    }

    private void makeReady(Entry<K> entry) {
        ready.add(entry);
        available.signal();
    }

    private void removeIfIdle(Entry<K> entry) {
        if (!entry.dirty && !entry.processing && !entry.delayed()) {
            entries.remove(entry);
        }
    }

    private void releaseDue() {
        lock.lock();
        try {
            delays.releaseDue(entry -> makeDirty(entry, entry.delayPriority));
        } finally {
            lock.unlock();
        }
    }

    private void end() {
        state = State.SHUT_DOWN;
        dropDelays();
        available.signalAll();
        drained.signalAll();
    }

    private static <K> Object flowOf(Function<? super K, ? extends @Nullable Object> flows, K key) {
        Object flow = flows.apply(key);
        return flow == null ? NO_FLOW : flow;
    }

    private void dropDelays() {
        @Nullable Entry<K>[] dropped = delays.toArray();
        delays.clear();
        for (Entry<K> entry : dropped) {
            if (entry != null) {
                removeIfIdle(entry);
            }
        }
    }
}
