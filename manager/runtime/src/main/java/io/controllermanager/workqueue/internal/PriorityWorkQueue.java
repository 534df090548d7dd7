package io.controllermanager.workqueue.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;
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
 * <p>{@link KeyStates} holds the keys. This class has the lock, the waiting and the meters. The one lock guards everything,
 * and is held for a few dozen instructions at a time; a taker is woken only if one waits.
 * A key costs one object of about 110 bytes while it is in the queue, and nothing afterwards. Keys must not change while
 * they are in the queue.
 *
 * @param <K> the keys
 */
public final class PriorityWorkQueue<K> implements WorkQueue<K> {

    private final String name;
    private final Clock clock;
    private final FailureTracker<K> failures;
    private final boolean priorities;
    private final @Nullable QueueMetrics metrics;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition available = lock.newCondition();

    @GuardedBy("lock")
    private final KeyStates<K> keys;

    @GuardedBy("lock")
    private boolean shutDown;

    @GuardedBy("lock")
    private boolean paused;

    PriorityWorkQueue(WorkQueueBuilder<K> builder, Timer timer) {
        this.name = builder.name;
        this.clock = builder.clock;
        FailureTracker<K> given = builder.failures;
        this.failures = given != null ? given : new FailureTracker<>(clock, Backoff.DEFAULT);
        this.priorities = builder.priorities;
        MeterRegistry registry = builder.meterRegistry;
        this.keys = new KeyStates<>(
                clock,
                builder.flows,
                builder.agingInterval,
                new DelayedKeys<>(clock, timer, this::releaseDue),
                registry != null,
                available::signal);
        // The meters read this queue when they are scraped, which may be at once: it comes last.
        this.metrics = registry == null ? null : QueueMetrics.of(this, registry);
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
        int effective = priorities ? priority : NORMAL_PRIORITY;
        if (metrics != null) {
            metrics.priorityUsed(effective);
        }
        int hash = EntryTable.hash(key);
        lock.lock();
        try {
            if (!shutDown) {
                keys.add(key, hash, effective);
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
            if (!shutDown) {
                keys.addAgain(key, hash);
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
            if (!shutDown) {
                keys.addAfter(key, hash, nanos, retry);
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
            keys.renew(key, hash);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public @Nullable K takeWhile(BooleanSupplier wanted) throws InterruptedException {
        K key;
        long waited;
        // The clock is read for meters alone, since that takes as long as the rest of this method. It is read without
        // the lock, which others wait for.
        boolean timed = metrics != null;
        long now = timed ? clock.nanoTime() : 0;
        lock.lockInterruptibly();
        try {
            while ((paused || keys.ready() == 0) && !shutDown && wanted.getAsBoolean()) {
                available.await();
                now = timed ? clock.nanoTime() : 0;
            }
            Entry<K> entry = paused || !wanted.getAsBoolean() ? null : keys.take(now);
            if (entry == null) {
                return null;
            }
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
    public void recall() {
        lock.lock();
        try {
            available.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void pause() {
        lock.lock();
        try {
            paused = true;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void resume() {
        lock.lock();
        try {
            paused = false;
            available.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void done(K key) {
        long workNanos;
        int hash = EntryTable.hash(key);
        long now = metrics == null ? 0 : clock.nanoTime();
        lock.lock();
        try {
            Entry<K> entry = keys.done(key, hash);
            if (entry == null) {
                return;
            }
            workNanos = now - entry.takenAt;
        } finally {
            lock.unlock();
        }
        if (metrics != null) {
            metrics.done(workNanos);
        }
    }

    @Override
    public int size() {
        return (int) read(KeyStates::ready);
    }

    @Override
    public int delayed() {
        return (int) read(KeyStates::delayed);
    }

    @Override
    public Map<Integer, Integer> depthByPriority() {
        lock.lock();
        try {
            return keys.depths();
        } finally {
            lock.unlock();
        }
    }

    /** Null for a queue without meters, which does not note when a key became ready. */
    @Override
    public @Nullable Duration longestWait() {
        return metrics == null ? null : Duration.ofNanos(read(KeyStates::longestWait));
    }

    @Override
    public void retryNow() {
        List<K> released;
        lock.lock();
        try {
            released = keys.releaseRetries();
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
    public boolean isShuttingDown() {
        lock.lock();
        try {
            return shutDown;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            end();
            keys.clear();
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
        KeyStates.View<K> view;
        lock.lock();
        try {
            view = keys.view(limit);
        } finally {
            lock.unlock();
        }
        return view.with(failures, limit);
    }

    long addsTotal() {
        return read(KeyStates::adds);
    }

    long retriesTotal() {
        return read(KeyStates::retries);
    }

    int depth(int priority) {
        return (int) read(states -> states.depth(priority));
    }

    long unfinishedNanos() {
        return read(KeyStates::unfinishedNanos);
    }

    long longestRunningNanos() {
        return read(KeyStates::longestRunningNanos);
    }

    /** Reads under the lock, the clock included, so that nothing is newer than the clock says. */
    private long read(ToLongFunction<KeyStates<K>> number) {
        lock.lock();
        try {
            return number.applyAsLong(keys);
        } finally {
            lock.unlock();
        }
    }

    private void releaseDue() {
        lock.lock();
        try {
            keys.releaseDue();
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void end() {
        shutDown = true;
        keys.dropDelays();
        available.signalAll();
    }
}
