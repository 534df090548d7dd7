package io.controllermanager.spring.config;

import io.controllermanager.controller.RateLimiterOptions;
import io.controllermanager.informer.Shards;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesSource;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What can be set for one controller, below {@code controller-manager.controller.<name>}.
 *
 * @param enabled Whether the controller runs. If false, it is off whatever controller-manager.controllers says.
 * @param workers Number of keys that are reconciled at once. Unless set, what the controller was built with (1 by default).
 * @param reconcileTimeout How long a reconcile may take before it is interrupted. If 0, it is never interrupted. Unless set,
 *     what the controller was built with (10m by default).
 * @param cacheSyncTimeout How long its caches may take to sync before the process competes for leadership without it. Until
 *     they are synced, the controller is not ready and keeps trying.
 * @param needsLeaderElection Whether it reconciles on the leader only. If false, it reconciles on every replica.
 * @param minInterval Shortest time from the end of a key's reconcile to the begin of its next one. If 0, the next one may begin
 *     at once. Unless set, what the controller was built with (0 by default).
 * @param maxInterval Within which time each object of the type that the controller is for is reconciled once more, though
 *     nothing has told of a change. If 0, only events and retries have it reconciled. Unless set, what the controller was built
 *     with (10h by default).
 * @param essential Whether the process ends with exit code 1 if this controller fails. If false, the other controllers run on.
 *     Unless set, what the controller was built with (false by default).
 * @param readyWithoutType Whether the replica may be ready while this controller waits for a type that the API server does not
 *     serve. Set it where the CRD comes later or never. Unless set, what the controller was built with (false by default).
 * @param shards Into how many shards its keys are divided, which replicas share evenly. Each shard has a Lease. If 1, one
 *     replica works on all keys. Unless set, what the controller was built with (1 by default).
 * @param shardBy What decides on a key's shard. namespace: its namespace, any names spread evenly. namespace-range: its
 *     namespace, in the API server's own ranges, so that an API server with ShardedListAndWatch filters; names that differ at
 *     their ends only fall together. name: its namespace and name. uid: the uid of its object, which such an API server filters
 *     too. Unless set, what the controller was built with (namespace by default).
 * @param queue How its keys queue.
 * @param rateLimiter How long a key that failed waits before it is tried again.
 */
@ConfigurationPropertiesSource
public record ControllerProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable Integer workers,
        @Nullable Duration reconcileTimeout,
        @Nullable Duration cacheSyncTimeout,
        @Nullable Boolean needsLeaderElection,
        @Nullable Duration minInterval,
        @Nullable Duration maxInterval,
        @Nullable Boolean essential,
        @Nullable Boolean readyWithoutType,
        @Nullable Integer shards,
        Shards.@Nullable By shardBy,
        @DefaultValue Queue queue,
        @DefaultValue RateLimiter rateLimiter) {

    /**
     * How a controller's keys queue.
     *
     * @param priorities Whether keys of an initial list or a resync wait behind keys of live changes. Unless set, what the
     *     controller was built with (true by default).
     * @param fairness Whether namespaces take turns, so that a namespace with many keys does not hold up the others. Unless
     *     set, what the controller was built with (false by default).
     */
    public record Queue(
            @Nullable Boolean priorities, @Nullable Boolean fairness) {}

    /**
     * How long a key that failed waits before it is tried again.
     *
     * @param type How the delay before a retry grows. exponential: it doubles with each failure of a key. bucket: it doubles
     *     too, and all keys share one token bucket. fast-slow: it is min-backoff after the first failures, and max-backoff
     *     after all others. Unless set, what the controller was built with (exponential by default).
     * @param minBackoff Delay before the first retry of a key. With fast-slow, the short delay.
     * @param maxBackoff Longest delay before a retry of a key. With fast-slow, the long delay.
     * @param jitter Largest random addition to a delay, as a fraction of it from 0 to 1. Unless set, what the controller was
     *     built with (0 by default).
     * @param qps With bucket: number of retries a second, for all keys together. Unless set, what the controller was built with
     *     (10 by default).
     * @param burst With bucket: number of retries that may come at once before that limit applies. Unless set, what the
     *     controller was built with (100 by default).
     * @param fastAttempts With fast-slow: number of failures of a key that are followed by the short delay. Unless set, what
     *     the controller was built with (5 by default).
     */
    public record RateLimiter(
            RateLimiterOptions.@Nullable Type type,
            @Nullable Duration minBackoff,
            @Nullable Duration maxBackoff,
            @Nullable Double jitter,
            @Nullable Double qps,
            @Nullable Integer burst,
            @Nullable Integer fastAttempts) {}
}
