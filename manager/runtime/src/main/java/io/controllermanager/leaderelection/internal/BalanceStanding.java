package io.controllermanager.leaderelection.internal;

import io.kubernetes.client.openapi.models.V1Lease;

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
    private static final long RESERVED_MILLIS = 1000;

    /** That of a process that shares no Leases. */
    static BalanceStanding alone(boolean aside) {
        return new BalanceStanding(false, aside, 0);
    }

    /**
     * For how many nanoseconds more a Lease that can be had is left to others.
     *
     * @param watched whether processes may watch the Lease, as far as this one knows
     */
    long courtesyLeft(KnownLease known, LeaderElectionConfig config, boolean watched, long now) {
        V1Lease lease = known.lease();
        boolean held = lease != null && !known.isFree();
        long freeSince = held ? known.expiresAt(config) : known.since();
        String preferred = lease == null || held ? null : Leases.preferredHolder(lease);
        if (!shares
                || known.equals(KnownLease.NOTHING)
                || known.isOurs(config.identity())
                || config.identity().equals(preferred)
                || now - freeSince < 0) {
            return 0;
        }
        long courtesyMillis = Math.min(lead * COURTESY_MILLIS, LONGEST_COURTESY_MILLIS);
        if (preferred != null) {
            // A process that may not watch must assume that the other may not either, and polls.
            long poll = config.retryPeriod().toMillis();
            courtesyMillis +=
                    RESERVED_MILLIS + (watched ? 0 : (long) (poll * (1 + LeaderElectionConfig.JITTER_FACTOR)));
        }
        return Math.max(0, freeSince + courtesyMillis * 1_000_000 - now);
    }
}
