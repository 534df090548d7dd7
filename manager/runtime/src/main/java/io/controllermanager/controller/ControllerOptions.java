package io.controllermanager.controller;

import io.controllermanager.informer.Shards;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a controller runs; every part has a default and can be set by property.
 *
 * @param workers how many keys are reconciled at once, from 1 to {@link #MOST_WORKERS}
 * @param reconcileTimeout after how long a reconcile is interrupted, null for never
 * @param cacheSyncTimeout how long the others wait with the competition for leadership until this controller's caches are
 *     synced; it is not ready until they are
 * @param minInterval how long after the end of a key's reconcile its next one may begin at the earliest, whatever happens
 *     to the object meanwhile; null for at once
 * @param maxInterval within which time each object of the type that it is for is reconciled once more, whether anything has
 *     happened to it or not; null for no such limit
 * @param needsLeaderElection whether it reconciles only on the leader
 * @param essential whether the process is to end if it fails, rather than go on with the other controllers
 * @param readyWithoutType whether the replica may be ready while this controller waits for a type that is not served
 * @param queue how its keys queue
 * @param shards how its keys are divided among replicas
 */
public record ControllerOptions(
        int workers,
        @Nullable Duration reconcileTimeout,
        Duration cacheSyncTimeout,
        @Nullable Duration minInterval,
        @Nullable Duration maxInterval,
        boolean needsLeaderElection,
        boolean essential,
        boolean readyWithoutType,
        QueueOptions queue,
        Shards shards) {

    /** The most workers of a controller: each is a thread, and a process has no room for many more. */
    public static final int MOST_WORKERS = 10_000;

    /**
     * One worker, ten minutes for a reconcile, two minutes for the caches, at any time and within ten hours, only on the leader, not essential,
     * not ready without its types, the default queue, one shard. controller-runtime has no time limit for a reconcile; here a
     * worker that waits for an answer that never comes is not to be lost for ever.
     */
    public static final ControllerOptions DEFAULTS = new ControllerOptions(
            1,
            Duration.ofMinutes(10),
            Duration.ofMinutes(2),
            null,
            Duration.ofHours(10),
            true,
            false,
            false,
            QueueOptions.DEFAULTS,
            Shards.ONE);

    public ControllerOptions {
        checkWorkers(workers);
        requirePositive("reconcileTimeout", reconcileTimeout);
        requirePositive("cacheSyncTimeout", cacheSyncTimeout);
        requirePositive("minInterval", minInterval);
        requirePositive("maxInterval", maxInterval);
    }

    /**
     * Refuses a number of workers that cannot be.
     *
     * @throws IllegalArgumentException if it is less than 1 or more than {@link #MOST_WORKERS}
     */
    public static void checkWorkers(int workers) {
        if (workers < 1 || workers > MOST_WORKERS) {
            throw new IllegalArgumentException("workers must be from 1 to " + MOST_WORKERS + ", but is " + workers);
        }
    }

    private static void requirePositive(String name, @Nullable Duration duration) {
        if (duration != null && (duration.isNegative() || duration.isZero())) {
            throw new IllegalArgumentException(name + " must be positive, but is " + duration);
        }
    }

    /** How long a key that failed waits. */
    public RateLimiterOptions rateLimiter() {
        return queue.rateLimiter();
    }

    /** The same with another number of workers. */
    public ControllerOptions withWorkers(int newWorkers) {
        return changed(draft -> draft.workers = newWorkers);
    }

    /** The same with another time limit for one reconcile, null for none. */
    public ControllerOptions withReconcileTimeout(@Nullable Duration newReconcileTimeout) {
        return changed(draft -> draft.reconcileTimeout = newReconcileTimeout);
    }

    /** The same with another time limit for the caches. */
    public ControllerOptions withCacheSyncTimeout(Duration newCacheSyncTimeout) {
        return changed(draft -> draft.cacheSyncTimeout = newCacheSyncTimeout);
    }

    /** The same with another shortest time between two reconciles of a key, null for none. */
    public ControllerOptions withMinInterval(@Nullable Duration newMinInterval) {
        return changed(draft -> draft.minInterval = newMinInterval);
    }

    /** The same with another time within which each object is reconciled once more, null for none. */
    public ControllerOptions withMaxInterval(@Nullable Duration newMaxInterval) {
        return changed(draft -> draft.maxInterval = newMaxInterval);
    }

    /** The same, on the leader only or on every replica. */
    public ControllerOptions withNeedsLeaderElection(boolean newNeedsLeaderElection) {
        return changed(draft -> draft.needsLeaderElection = newNeedsLeaderElection);
    }

    /** The same, essential or not. */
    public ControllerOptions withEssential(boolean newEssential) {
        return changed(draft -> draft.essential = newEssential);
    }

    /** The same, with the replica ready or not while this controller waits for a type that is not served. */
    public ControllerOptions withReadyWithoutType(boolean newReadyWithoutType) {
        return changed(draft -> draft.readyWithoutType = newReadyWithoutType);
    }

    /** The same with another queue. */
    public ControllerOptions withQueue(QueueOptions newQueue) {
        return changed(draft -> draft.queue = newQueue);
    }

    /** The same, divided among replicas in another way. */
    public ControllerOptions withShards(Shards newShards) {
        return changed(draft -> draft.shards = newShards);
    }

    /** The same with another rate limiter. */
    public ControllerOptions withRateLimiter(RateLimiterOptions newRateLimiter) {
        return withQueue(queue.withRateLimiter(newRateLimiter));
    }

    /** The same with other delays between retries. */
    public ControllerOptions withBackoff(Duration newMinBackoff, Duration newMaxBackoff) {
        return withRateLimiter(queue.rateLimiter().withBackoff(newMinBackoff, newMaxBackoff));
    }

    private ControllerOptions changed(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.options();
    }

    /** Options while one of them is changed. */
    private static final class Draft {

        private int workers;
        private @Nullable Duration reconcileTimeout;
        private Duration cacheSyncTimeout;
        private @Nullable Duration minInterval;
        private @Nullable Duration maxInterval;
        private boolean needsLeaderElection;
        private boolean essential;
        private boolean readyWithoutType;
        private QueueOptions queue;
        private Shards shards;

        Draft(ControllerOptions from) {
            workers = from.workers;
            reconcileTimeout = from.reconcileTimeout;
            cacheSyncTimeout = from.cacheSyncTimeout;
            minInterval = from.minInterval;
            maxInterval = from.maxInterval;
            needsLeaderElection = from.needsLeaderElection;
            essential = from.essential;
            readyWithoutType = from.readyWithoutType;
            queue = from.queue;
            shards = from.shards;
        }

        ControllerOptions options() {
            return new ControllerOptions(
                    workers,
                    reconcileTimeout,
                    cacheSyncTimeout,
                    minInterval,
                    maxInterval,
                    needsLeaderElection,
                    essential,
                    readyWithoutType,
                    queue,
                    shards);
        }
    }
}
