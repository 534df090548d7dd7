package io.controllermanager.workqueue.internal;

import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Collects the parts of a queue. Not safe for use by several threads.
 *
 * @param <K> the keys
 */
public final class WorkQueueBuilder<K> {

    final String name;
    Clock clock = Clock.system();

    @Nullable
    Timer timer;

    @Nullable
    FailureTracker<K> failures;

    @Nullable
    MeterRegistry meterRegistry;

    @Nullable
    Function<? super K, ? extends @Nullable Object> flows;

    boolean priorities = true;
    int agingInterval = 16;

    WorkQueueBuilder(String name) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("name must not be empty");
        }
        this.name = name;
    }

    /** The time; the machine's unless given. */
    public WorkQueueBuilder<K> clock(Clock newClock) {
        this.clock = newClock;
        return this;
    }

    /** Calls back when delays end; one timer serves any number of queues. Must be given. */
    public WorkQueueBuilder<K> timer(Timer newTimer) {
        this.timer = newTimer;
        return this;
    }

    /** Counts failures and says how long keys wait that failed; one with {@link Backoff#DEFAULT} unless given. */
    public WorkQueueBuilder<K> failures(FailureTracker<K> newFailures) {
        this.failures = newFailures;
        return this;
    }

    /** Where the queue's meters go; without one the queue measures nothing. */
    public WorkQueueBuilder<K> meterRegistry(@Nullable MeterRegistry newMeterRegistry) {
        this.meterRegistry = newMeterRegistry;
        return this;
    }

    /** Whether priorities matter; if not, all keys stand in one line. They matter unless said otherwise. */
    public WorkQueueBuilder<K> priorities(boolean newPriorities) {
        this.priorities = newPriorities;
        return this;
    }

    /**
     * Gives each flow of keys, such as those of one namespace, its turn: keys of one priority are taken from their flows
     * round-robin, one key each, and in the order in which they became ready within a flow. A namespace with a million
     * keys then delays a key of another one by a single reconcile. Off unless given.
     *
     * <p>It shares out turns, not time: a flow whose reconciles take long still has its workers meanwhile. Priorities go
     * before fairness; keys that are served for their age (see {@link #agingInterval}) have their turn within their
     * priority like all others. A flow is remembered only while it has ready keys.
     *
     * @param newFlows a key's flow, compared by {@code equals}; null is a flow like any other. Called with the queue's
     *     lock held, once each time a key comes into the queue that was not in it: it must be quick and must not call the
     *     queue. What it throws goes to whoever added the key, and the queue is as it was
     */
    public WorkQueueBuilder<K> fairness(Function<? super K, ? extends @Nullable Object> newFlows) {
        this.flows = newFlows;
        return this;
    }

    /**
     * Of how many takes that would pass over keys of lower priority one serves them; 16 unless given.
     *
     * @throws IllegalArgumentException if less than 2
     */
    public WorkQueueBuilder<K> agingInterval(int newAgingInterval) {
        if (newAgingInterval < 2) {
            throw new IllegalArgumentException("agingInterval must be at least 2, but is " + newAgingInterval);
        }
        this.agingInterval = newAgingInterval;
        return this;
    }

    /**
     * Makes the queue.
     *
     * @throws IllegalStateException if there is no timer
     */
    public WorkQueue<K> build() {
        Timer given = timer;
        if (given == null) {
            throw new IllegalStateException("queue \"" + name + "\" has no timer");
        }
        return new WorkQueue<>(this, given);
    }
}
