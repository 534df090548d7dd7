package io.controllermanager.spring.config;

import io.controllermanager.controller.RateLimiterOptions;
import io.controllermanager.informer.Shards;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesSource;

/** What can be set for one controller, below {@code controller-manager.controller.<name>}. */
@ConfigurationPropertiesSource
public class ControllerProperties {

    /** Whether the controller runs. If false, it is off whatever controller-manager.controllers says. */
    private boolean enabled = true;

    /** Number of keys that are reconciled at once. Unless set, what the controller was built with (1 by default). */
    private @Nullable Integer workers;

    /** How long a reconcile may take before it is interrupted. If 0, it is never interrupted. Unless set, what the controller was built with (10m by default). */
    private @Nullable Duration reconcileTimeout;

    /** How long its caches may take to sync before the process competes for leadership without it. Until they are synced, the controller is not ready and keeps trying. */
    private @Nullable Duration cacheSyncTimeout;

    /** Whether it reconciles on the leader only. If false, it reconciles on every replica. */
    private @Nullable Boolean needsLeaderElection;

    /** Shortest time from the end of a key's reconcile to the begin of its next one. If 0, the next one may begin at once. Unless set, what the controller was built with (0 by default). */
    private @Nullable Duration minInterval;

    /** Within which time each object of the type that the controller is for is reconciled once more, though nothing has told of a change. If 0, only events and retries have it reconciled. Unless set, what the controller was built with (10h by default). */
    private @Nullable Duration maxInterval;

    /** Whether the process ends with exit code 1 if this controller fails. If false, the other controllers run on. Unless set, what the controller was built with (false by default). */
    private @Nullable Boolean essential;

    /** Whether the replica may be ready while this controller waits for a type that the API server does not serve. Set it where the CRD comes later or never. Unless set, what the controller was built with (false by default). */
    private @Nullable Boolean readyWithoutType;

    /** Into how many shards its keys are divided, which replicas share evenly. Each shard has a Lease. If 1, one replica works on all keys. Unless set, what the controller was built with (1 by default). */
    private @Nullable Integer shards;

    /** What decides on a key's shard. namespace: its namespace, any names spread evenly. namespace-range: its namespace, in the API server's own ranges, so that an API server with ShardedListAndWatch filters; names that differ at their ends only fall together. name: its namespace and name. uid: the uid of its object, which such an API server filters too. Unless set, what the controller was built with (namespace by default). */
    private Shards.@Nullable By shardBy;

    /** How its keys queue. */
    private final Queue queue = new Queue();

    /** How long a key that failed waits before it is tried again. */
    private final RateLimiter rateLimiter = new RateLimiter();

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public @Nullable Integer getWorkers() {
        return workers;
    }

    public void setWorkers(@Nullable Integer workers) {
        this.workers = workers;
    }

    public @Nullable Duration getReconcileTimeout() {
        return reconcileTimeout;
    }

    public void setReconcileTimeout(@Nullable Duration reconcileTimeout) {
        this.reconcileTimeout = reconcileTimeout;
    }

    public @Nullable Duration getCacheSyncTimeout() {
        return cacheSyncTimeout;
    }

    public void setCacheSyncTimeout(@Nullable Duration cacheSyncTimeout) {
        this.cacheSyncTimeout = cacheSyncTimeout;
    }

    public @Nullable Boolean getNeedsLeaderElection() {
        return needsLeaderElection;
    }

    public void setNeedsLeaderElection(@Nullable Boolean needsLeaderElection) {
        this.needsLeaderElection = needsLeaderElection;
    }

    public @Nullable Duration getMinInterval() {
        return minInterval;
    }

    public void setMinInterval(@Nullable Duration minInterval) {
        this.minInterval = minInterval;
    }

    public @Nullable Duration getMaxInterval() {
        return maxInterval;
    }

    public void setMaxInterval(@Nullable Duration maxInterval) {
        this.maxInterval = maxInterval;
    }

    public @Nullable Boolean getEssential() {
        return essential;
    }

    public void setEssential(@Nullable Boolean essential) {
        this.essential = essential;
    }

    public @Nullable Boolean getReadyWithoutType() {
        return readyWithoutType;
    }

    public void setReadyWithoutType(@Nullable Boolean readyWithoutType) {
        this.readyWithoutType = readyWithoutType;
    }

    public @Nullable Integer getShards() {
        return shards;
    }

    public void setShards(@Nullable Integer shards) {
        this.shards = shards;
    }

    public Shards.@Nullable By getShardBy() {
        return shardBy;
    }

    public void setShardBy(Shards.@Nullable By shardBy) {
        this.shardBy = shardBy;
    }

    public Queue getQueue() {
        return queue;
    }

    public RateLimiter getRateLimiter() {
        return rateLimiter;
    }

    /** How a controller's keys queue. */
    public static class Queue {

        /** Whether keys of an initial list or a resync wait behind keys of live changes. Unless set, what the controller was built with (true by default). */
        private @Nullable Boolean priorities;

        /** Whether namespaces take turns, so that a namespace with many keys does not hold up the others. Unless set, what the controller was built with (false by default). */
        private @Nullable Boolean fairness;

        public @Nullable Boolean getPriorities() {
            return priorities;
        }

        public void setPriorities(@Nullable Boolean priorities) {
            this.priorities = priorities;
        }

        public @Nullable Boolean getFairness() {
            return fairness;
        }

        public void setFairness(@Nullable Boolean fairness) {
            this.fairness = fairness;
        }
    }

    /** How long a key that failed waits before it is tried again. */
    public static class RateLimiter {

        /** How the delay before a retry grows. exponential: it doubles with each failure of a key. bucket: it doubles too, and all keys share one token bucket. fast-slow: it is min-backoff after the first failures, and max-backoff after all others. Unless set, what the controller was built with (exponential by default). */
        private RateLimiterOptions.@Nullable Type type;

        /** Delay before the first retry of a key. With fast-slow, the short delay. */
        private @Nullable Duration minBackoff;

        /** Longest delay before a retry of a key. With fast-slow, the long delay. */
        private @Nullable Duration maxBackoff;

        /** Largest random addition to a delay, as a fraction of it from 0 to 1. Unless set, what the controller was built with (0 by default). */
        private @Nullable Double jitter;

        /** With bucket: number of retries a second, for all keys together. Unless set, what the controller was built with (10 by default). */
        private @Nullable Double qps;

        /** With bucket: number of retries that may come at once before that limit applies. Unless set, what the controller was built with (100 by default). */
        private @Nullable Integer burst;

        /** With fast-slow: number of failures of a key that are followed by the short delay. Unless set, what the controller was built with (5 by default). */
        private @Nullable Integer fastAttempts;

        public @Nullable Duration getMinBackoff() {
            return minBackoff;
        }

        public void setMinBackoff(@Nullable Duration minBackoff) {
            this.minBackoff = minBackoff;
        }

        public @Nullable Duration getMaxBackoff() {
            return maxBackoff;
        }

        public void setMaxBackoff(@Nullable Duration maxBackoff) {
            this.maxBackoff = maxBackoff;
        }

        public RateLimiterOptions.@Nullable Type getType() {
            return type;
        }

        public void setType(RateLimiterOptions.@Nullable Type type) {
            this.type = type;
        }

        public @Nullable Double getJitter() {
            return jitter;
        }

        public void setJitter(@Nullable Double jitter) {
            this.jitter = jitter;
        }

        public @Nullable Double getQps() {
            return qps;
        }

        public void setQps(@Nullable Double qps) {
            this.qps = qps;
        }

        public @Nullable Integer getBurst() {
            return burst;
        }

        public void setBurst(@Nullable Integer burst) {
            this.burst = burst;
        }

        public @Nullable Integer getFastAttempts() {
            return fastAttempts;
        }

        public void setFastAttempts(@Nullable Integer fastAttempts) {
            this.fastAttempts = fastAttempts;
        }
    }
}
