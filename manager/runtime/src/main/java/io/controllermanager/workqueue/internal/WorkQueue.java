package io.controllermanager.workqueue.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A queue of keys to work on: client-go's semantics, controller-runtime's priorities. A key is queued once however often it is
 * added; a key added while a worker has it is queued again when that worker is done; one key is never with two workers. Delayed
 * keys are unbounded in number and never dropped. Safe for use by several threads.
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
 * </ul>
 *
 * <p>{@link KeyStates} holds the keys. This class has the lock, the waiting and the meters. The one lock guards everything,
 * and is held for a few dozen instructions at a time; a taker is woken only if one waits. A key costs one object of about 110
 * bytes while it is in the queue, and nothing afterwards. Keys must not change while they are in the queue.
 *
 * @param <K> the keys, compared by {@code equals}
 */
public class WorkQueue<K> implements AutoCloseable {

    /** The priority of keys that an operator asked for: they go before all others. */
    public static final int HIGH_PRIORITY = 100;

    /** The priority of keys from live changes. */
    public static final int NORMAL_PRIORITY = 0;

    /** The priority of keys from an initial list or a resync: they wait behind live changes. */
    public static final int LOW_PRIORITY = -100;

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
    private boolean paused;

    WorkQueue(WorkQueueBuilder<K> builder, Timer timer) {
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
        this.metrics = registry == null ? null : new QueueMetrics(this, registry);
    }

    /**
     * Begins a queue.
     *
     * @param name what its metrics are named after
     */
    public static <K> WorkQueueBuilder<K> named(String name) {
        return new WorkQueueBuilder<>(name);
    }

    /** The name that metrics carry. */
    public String name() {
        return name;
    }

    /** Adds a key at {@link #NORMAL_PRIORITY}; does nothing once shut down. */
    public void add(K key) {
        add(key, NORMAL_PRIORITY);
    }

    /** Adds a key; one that is queued already keeps the higher of both priorities. */
    public void add(K key, int priority) {
        add(key, priority, Causes.NONE);
    }

    /** The same, and why. */
    public void add(K key, int priority, Causes causes) {
        int effective = effective(priority);
        int hash = EntryTable.hash(key);
        lock.lock();
        try {
            keys.add(key, hash, effective, causes);
        } finally {
            lock.unlock();
        }
    }

    private int effective(int priority) {
        int effective = priorities ? priority : NORMAL_PRIORITY;
        if (metrics != null) {
            metrics.priorityUsed(effective);
        }
        return effective;
    }

    /**
     * Adds a key that a worker has at the priority it was taken with, as if it had not been taken: for work that was
     * given up before it was done. The worker calls {@link #done} all the same.
     */
    public void addAgain(K key) {
        int hash = EntryTable.hash(key);
        change(states -> states.addAgain(key, hash));
    }

    /**
     * Adds a key once the delay has passed; of several delays for one key the earliest time wins. A key added by a worker
     * that has it keeps the priority it was taken with; any other has {@link #NORMAL_PRIORITY}.
     *
     * @param delay zero or negative means at once
     */
    public void addAfter(K key, Duration delay) {
        addAfter(key, delay, Causes.NONE, null);
    }

    /** The same, with why it comes, at a priority, null for the one that is said there. */
    public void addAfter(K key, Duration delay, Causes causes, @Nullable Integer priority) {
        addDelayed(key, delay, false, causes, priority);
    }

    /**
     * As {@link #addAfter}, with the delay that the rate limiter gives; counts as one failure of the key.
     *
     * @return that delay
     */
    public Duration addRateLimited(K key) {
        return addRateLimited(key, null);
    }

    /** The same at a priority, null for the one that is said there. */
    public Duration addRateLimited(K key, @Nullable Integer priority) {
        // Asked without the lock, which it does not need.
        Duration delay = failures.when(key);
        long nanos = Backoff.saturatedNanos(delay);
        addDelayed(key, delay, true, Causes.of(Cause.Kind.RETRY).delayed(Causes.Delay.BACKOFF, nanos), priority);
        return delay;
    }

    private void addDelayed(K key, Duration delay, boolean retry, Causes causes, @Nullable Integer priority) {
        Integer effective = priority == null ? null : effective(priority);
        long nanos = Backoff.saturatedNanos(delay);
        int hash = EntryTable.hash(key);
        change(states -> states.addAfter(key, hash, nanos, retry, causes, effective));
    }

    /** Forgets a key's failures, so that its next rate-limited add starts from the shortest delay. */
    public void forget(K key) {
        failures.forget(key);
    }

    /**
     * Tells that a key stands for something new from now on, such as an object that was deleted and created again under
     * its name: its failures are forgotten, a retry that it waits for is made at once, and retries of what waits or is
     * with a worker have {@link #NORMAL_PRIORITY}. A key that is not in the queue is not added.
     */
    public void renew(K key) {
        failures.forget(key);
        int hash = EntryTable.hash(key);
        change(states -> states.renew(key, hash));
    }

    /**
     * Takes the next key, waiting for one. Whoever takes a key must call {@link #done}.
     *
     * @return the key, or null when the queue is shut down
     * @throws InterruptedException if interrupted while waiting; no key is lost
     */
    public @Nullable K take() throws InterruptedException {
        return takeWhile(() -> true);
    }

    /**
     * The same, for as long as the taker is to take one.
     *
     * @param wanted asked under the queue's lock, so it must be brief; whoever changes the answer calls {@link #recall}
     * @return the key, or null when the queue is shut down or the taker is to take none any more
     */
    public @Nullable K takeWhile(BooleanSupplier wanted) throws InterruptedException {
        K key;
        long waited;
        // The clock is read for meters alone, since that takes as long as the rest of this method. It is read without
        // the lock, which others wait for.
        boolean timed = metrics != null;
        long now = timed ? clock.nanoTime() : 0;
        lock.lockInterruptibly();
        try {
            while ((paused || keys.ready.size() == 0) && !keys.shutDown && wanted.getAsBoolean()) {
                available.await();
                now = timed ? clock.nanoTime() : 0;
            }
            Entry<K> entry = paused || !wanted.getAsBoolean() ? null : keys.take(now);
            if (entry == null) {
                return null;
            }
            key = entry.key;
            waited = entry.waited;
        } finally {
            lock.unlock();
        }
        if (metrics != null) {
            metrics.taken(waited);
        }
        return key;
    }

    /** How a key that a worker has came to it. */
    public Taken taken(K key) {
        int hash = EntryTable.hash(key);
        return of(states -> states.taken(key, hash));
    }

    /** Where a key is at this moment. */
    public Place place(K key) {
        int hash = EntryTable.hash(key);
        return of(states -> states.place(key, hash));
    }

    /** Has takers return that are to take no key any more. */
    public void recall() {
        change(states -> available.signalAll());
    }

    /** While it is paused no key is given out: takers wait, are not woken, and keys go on queueing. Not so at first. */
    public void pause(boolean newPaused) {
        lock.lock();
        try {
            if (paused && !newPaused) {
                available.signalAll();
            }
            paused = newPaused;
        } finally {
            lock.unlock();
        }
    }

    /** Says that the work on a key has ended; if it was added meanwhile, it is queued again. */
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

    /** How many keys are ready to be taken; delayed keys and those being worked on do not count. */
    public int size() {
        return of(states -> states.ready.size());
    }

    /** How many keys wait for their time. */
    public int delayed() {
        return of(states -> states.delays.size());
    }

    /** How many keys are ready to be taken or wait for their time. */
    public int waiting() {
        return of(states -> states.ready.size() + states.delays.size());
    }

    /** How many keys are ready to be taken, by priority, the highest first; a priority without any may be missing. */
    public Map<Integer, Integer> depthByPriority() {
        return of(states -> states.ready.depths());
    }

    /**
     * How long the key has been ready that is next at its priority, at the priority where that is longest; zero if none is
     * ready, null for a queue without meters, which does not note it.
     */
    public @Nullable Duration longestWait() {
        return metrics == null ? null : Duration.ofNanos(of(KeyStates::longestWait));
    }

    /**
     * Makes every key that waits for a rate-limited retry ready now and forgets its failures. For the moment when what
     * made the keys fail (an API server that was away) is known to be over. Keys delayed by {@link #addAfter} stay
     * delayed.
     */
    public void retryNow() {
        of(KeyStates::releaseRetries).forEach(failures::forget);
    }

    /**
     * Ends the queue for adds and drops delayed keys. As in client-go, keys that are queued can still be taken, one that
     * was added while a worker had it included; takers get null when there is nothing to take at that moment. Returns at
     * once.
     */
    public void shutDown() {
        change(states -> {
            states.shutDown();
            available.signalAll();
        });
    }

    /** Whether the queue has been shut down. */
    public boolean isShuttingDown() {
        return of(states -> states.shutDown);
    }

    /**
     * Shuts down, drops every key that has not been taken, and takes the queue's meters out of their registry. Takers get
     * null.
     */
    @Override
    public void close() {
        change(states -> {
            states.shutDown();
            states.clear();
            available.signalAll();
        });
        if (metrics != null) {
            metrics.close();
        }
    }

    /** What is in the queue at this moment, for operators; lists at most 100 keys of each kind. */
    public QueueSnapshot<K> snapshot() {
        return snapshot(100);
    }

    /**
     * What is in the queue at this moment, for operators.
     *
     * @param limit how many keys, or flows, of each kind are listed at most
     */
    public QueueSnapshot<K> snapshot(int limit) {
        if (limit < 0) {
            throw new IllegalArgumentException("limit must not be negative, but is " + limit);
        }
        return of(states -> states.snapshot(limit, failures)).get();
    }

    /** Reads under the lock, the clock included, so that nothing is newer than the clock says. */
    <T> T of(Function<KeyStates<K>, T> question) {
        lock.lock();
        try {
            return question.apply(keys);
        } finally {
            lock.unlock();
        }
    }

    private void releaseDue() {
        change(KeyStates::releaseDue);
    }

    private void change(Consumer<KeyStates<K>> change) {
        lock.lock();
        try {
            change.accept(keys);
        } finally {
            lock.unlock();
        }
    }
}
