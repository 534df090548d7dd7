package io.controllermanager.spring.config;

import io.controllermanager.controller.RateLimiterOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesSource;

/** What can be set for one controller, below {@code controller-manager.controller.<name>}. */
@ConfigurationPropertiesSource
public class ControllerProperties {

    /** Whether the controller runs; false turns it off whatever the list of controllers says. */
    private boolean enabled = true;

    /** How many keys it reconciles at once. Unless set, what the controller was built with (1 by default). */
    private @Nullable Integer workers;

    /** After how long a reconcile is interrupted, 0 for never. Unless set, what the controller was built with (10m by default). */
    private @Nullable Duration reconcileTimeout;

    /** How long the others wait with the competition for leadership until its caches are synced. It is not ready until they are, and goes on trying. */
    private @Nullable Duration cacheSyncTimeout;

    /** Whether it reconciles on the leader only, rather than on every replica. */
    private @Nullable Boolean needsLeaderElection;

    /** How long after the end of a key's reconcile its next one may begin at the earliest, 0 for at once. Unless set, what the controller was built with (at once by default). */
    private @Nullable Duration minInterval;

    /** Whether the process ends with exit code 1 if this controller fails, rather than go on with the others. Unless set, what the controller was built with (false by default). */
    private @Nullable Boolean essential;

    /** Whether the replica may be ready while this controller waits for a type that the API server does not serve, because its CRD comes later or never. Unless set, what the controller was built with (false by default). */
    private @Nullable Boolean readyWithoutType;

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

    public Queue getQueue() {
        return queue;
    }

    public RateLimiter getRateLimiter() {
        return rateLimiter;
    }

    /** How a controller's keys queue. */
    public static class Queue {

        /** Whether keys of an initial list or a resync wait behind those of live changes. Unless set, what the controller was built with (true by default). */
        private @Nullable Boolean priorities;

        /** Whether namespaces take turns, so that one with many keys does not keep the others waiting. Unless set, what the controller was built with (false by default). */
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

        /** exponential: the delay doubles with each failure of a key; bucket: so it does, and all keys wait for tokens of one bucket; fast-slow: min-backoff after the first failures, max-backoff after all others. Unless set, what the controller was built with (exponential by default). */
        private RateLimiterOptions.@Nullable Type type;

        /** The first retry's delay. */
        private @Nullable Duration minBackoff;

        /** The longest delay between two retries of a key. */
        private @Nullable Duration maxBackoff;

        /** The most that is added to a delay at random, as a part of it, from 0 to 1. Unless set, what the controller was built with (0 by default). */
        private @Nullable Double jitter;

        /** With bucket: how many retries a second all keys have together. Unless set, what the controller was built with (10 by default). */
        private @Nullable Double qps;

        /** With bucket: how many retries may come at once before that limit holds. Unless set, what the controller was built with (100 by default). */
        private @Nullable Integer burst;

        /** With fast-slow: how many failures of a key are followed by the short delay. Unless set, what the controller was built with (5 by default). */
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
