package io.controllermanager.workqueue;

import io.controllermanager.time.Clock;
import io.controllermanager.time.Timer;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Collects the parts of a queue. Not safe for use by several threads.
 *
 * @param <K> the keys
 */
public final class WorkQueueBuilder<K> {

    final String name;
    String controller;
    Clock clock = Clock.system();

    @Nullable
    Timer timer;

    @Nullable
    RateLimiter<K> rateLimiter;

    @Nullable
    MeterRegistry meterRegistry;

    boolean priorities = true;
    int agingInterval = 16;

    WorkQueueBuilder(String name) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("name must not be empty");
        }
        this.name = name;
        this.controller = name;
    }

    /** The metrics' label {@code controller}; the queue's name unless given. */
    public WorkQueueBuilder<K> controller(String newController) {
        this.controller = newController;
        return this;
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

    /** How long keys wait that failed; {@link RateLimiters#exponential(Clock)} unless given. */
    public WorkQueueBuilder<K> rateLimiter(RateLimiter<K> newRateLimiter) {
        this.rateLimiter = newRateLimiter;
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
    public PriorityWorkQueue<K> build() {
        Timer given = timer;
        if (given == null) {
            throw new IllegalStateException("queue \"" + name + "\" has no timer");
        }
        return new PriorityWorkQueue<>(this, given);
    }
}
