package io.controllermanager.leaderelection;

import io.kubernetes.client.openapi.models.V1Lease;
import java.time.Duration;

/**
 * How a process stands among those that share several Leases, at one moment.
 *
 * @param shares whether Leases are shared at all
 * @param aside whether this process leaves the Lease to others unless it holds it
 * @param lead by how many Leases it is ahead of the one that holds fewest
 */
record BalanceStanding(boolean shares, boolean aside, int lead) {

    /** For how long a free Lease is left to others for each one by which a process is ahead. */
    static final int COURTESY_MILLIS = 50;

    private static final int LONGEST_COURTESY_MILLIS = 500;

    /** How long a Lease that was given up for a process is left to that one. */
    private static final Duration RESERVED = Duration.ofSeconds(1);

    /**
     * For how much longer a Lease that can be had is left to others.
     *
     * @param watched whether processes may watch the Lease, as far as this one knows
     */
    Duration courtesyLeft(KnownLease known, LeaderElectionConfig config, boolean watched, long now) {
        V1Lease lease = known.lease();
        if (!shares || known.equals(KnownLease.NOTHING)) {
            return Duration.ZERO;
        }
        long freeSince = known.since();
        String preferred = null;
        if (lease != null && known.isFree()) {
            preferred = Leases.preferredHolder(lease);
        } else if (lease != null) {
            freeSince = known.expiresAt(config.leaseDuration());
            if (known.isOurs(config.identity()) || now - freeSince < 0) {
                return Duration.ZERO;
            }
        }
        if (config.identity().equals(preferred)) {
            return Duration.ZERO;
        }
        Duration courtesy = Duration.ofMillis(Math.min(lead * COURTESY_MILLIS, LONGEST_COURTESY_MILLIS));
        if (preferred != null) {
            // A process that may not watch must assume that the other may not either, and polls.
            courtesy = courtesy.plus(RESERVED).plus(watched ? Duration.ZERO : config.longestRetryPeriod());
        }
        long left = freeSince + courtesy.toNanos() - now;
        return left > 0 ? Duration.ofNanos(left) : Duration.ZERO;
    }
}
