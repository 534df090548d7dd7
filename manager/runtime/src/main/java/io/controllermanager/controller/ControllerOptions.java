package io.controllermanager.controller;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a controller runs; every part has a default and can be set by property.
 *
 * @param workers how many keys are reconciled at once, at least 1
 * @param reconcileTimeout after how long a reconcile is interrupted, null for never
 * @param cacheSyncTimeout after how long of unsynced caches the controller reports that it is not ready; it goes on
 *     trying
 * @param needsLeaderElection whether it reconciles only on the leader
 * @param minBackoff the first retry's delay
 * @param maxBackoff the longest delay between retries
 */
public record ControllerOptions(
        int workers,
        @Nullable Duration reconcileTimeout,
        Duration cacheSyncTimeout,
        boolean needsLeaderElection,
        Duration minBackoff,
        Duration maxBackoff) {

    /** One worker, no time limit, two minutes for the caches, only on the leader, retries from 5 ms to 1,000 s. */
    public static final ControllerOptions DEFAULTS =
            new ControllerOptions(1, null, Duration.ofMinutes(2), true, Duration.ofMillis(5), Duration.ofSeconds(1000));

    public ControllerOptions {
        if (workers < 1) {
            throw new IllegalArgumentException("workers must be at least 1, but is " + workers);
        }
        if (reconcileTimeout != null && (reconcileTimeout.isNegative() || reconcileTimeout.isZero())) {
            throw new IllegalArgumentException("reconcileTimeout must be positive, but is " + reconcileTimeout);
        }
        if (cacheSyncTimeout.isNegative() || cacheSyncTimeout.isZero()) {
            throw new IllegalArgumentException("cacheSyncTimeout must be positive, but is " + cacheSyncTimeout);
        }
        if (minBackoff.isNegative() || minBackoff.isZero()) {
            throw new IllegalArgumentException("minBackoff must be positive, but is " + minBackoff);
        }
        if (maxBackoff.compareTo(minBackoff) < 0) {
            throw new IllegalArgumentException(
                    "maxBackoff must be at least minBackoff (" + minBackoff + "), but is " + maxBackoff);
        }
    }

    /** The same with another number of workers. */
    public ControllerOptions withWorkers(int newWorkers) {
        return new ControllerOptions(
                newWorkers, reconcileTimeout, cacheSyncTimeout, needsLeaderElection, minBackoff, maxBackoff);
    }

    /** The same with another time limit for one reconcile. */
    public ControllerOptions withReconcileTimeout(@Nullable Duration newReconcileTimeout) {
        return new ControllerOptions(
                workers, newReconcileTimeout, cacheSyncTimeout, needsLeaderElection, minBackoff, maxBackoff);
    }

    /** The same with another time limit for the caches. */
    public ControllerOptions withCacheSyncTimeout(Duration newCacheSyncTimeout) {
        return new ControllerOptions(
                workers, reconcileTimeout, newCacheSyncTimeout, needsLeaderElection, minBackoff, maxBackoff);
    }

    /** The same, on the leader only or on every replica. */
    public ControllerOptions withNeedsLeaderElection(boolean newNeedsLeaderElection) {
        return new ControllerOptions(
                workers, reconcileTimeout, cacheSyncTimeout, newNeedsLeaderElection, minBackoff, maxBackoff);
    }

    /** The same with other delays between retries. */
    public ControllerOptions withBackoff(Duration newMinBackoff, Duration newMaxBackoff) {
        return new ControllerOptions(
                workers, reconcileTimeout, cacheSyncTimeout, needsLeaderElection, newMinBackoff, newMaxBackoff);
    }
}
