package io.controllermanager.spring.config;

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

    /** After how long a reconcile is interrupted. Unless set, what the controller was built with (never by default). */
    private @Nullable Duration reconcileTimeout;

    /** After how long of unsynced caches it reports that it is not ready; it goes on trying. */
    private @Nullable Duration cacheSyncTimeout;

    /** Whether it reconciles on the leader only, rather than on every replica. */
    private @Nullable Boolean needsLeaderElection;

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

    public RateLimiter getRateLimiter() {
        return rateLimiter;
    }

    /** How long a key that failed waits before it is tried again. */
    public static class RateLimiter {

        /** The first retry's delay; it doubles with each failure of the same key. */
        private @Nullable Duration minBackoff;

        /** The longest delay between two retries of a key. */
        private @Nullable Duration maxBackoff;

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
    }
}
