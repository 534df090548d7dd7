package io.controllermanager.leaderelection.internal;

import io.kubernetes.client.openapi.models.V1Lease;
import org.jspecify.annotations.Nullable;

/**
 * What a process knows of the Lease.
 *
 * @param lease the Lease as it was last seen; null if it was never seen
 * @param missing whether the Lease is gone, or was never there
 * @param since the local monotonic time at which this was first seen: another machine's clock is not trusted
 */
record KnownLease(@Nullable V1Lease lease, boolean missing, long since) {

    static final KnownLease NOTHING = new KnownLease(null, false, 0);

    /** The Lease as it is; null if it is missing or unknown. */
    @Nullable
    V1Lease present() {
        return missing ? null : lease;
    }

    /** The last holder, even if the Lease is gone; empty if it had none. */
    String holder() {
        return lease == null ? "" : Leases.holder(lease);
    }

    boolean isFree() {
        return lease != null && holder().isEmpty();
    }

    boolean isOthers(String identity) {
        return !holder().isEmpty() && !holder().equals(identity);
    }

    boolean isOurs(String identity) {
        return holder().equals(identity);
    }

    /** When the Lease ends unless it is renewed. One that names no duration lasts as long as ours. */
    long expiresAt(LeaderElectionConfig ours) {
        return since + (lease == null ? ours.leaseDuration() : Leases.duration(lease, ours.leaseDuration())).toNanos();
    }

    /** Whether the watch has told of this since a request was sent, and it is newer than the answer to that request. */
    boolean supersedes(V1Lease answer, KnownLease whenSent) {
        // An answer that is older than what was known before is right: versions go back when etcd is restored.
        V1Lease before = whenSent.lease();
        boolean toldSince = lease != null && (before == null || Leases.isNewer(lease, before));
        return lease != null && toldSince && Leases.isNewer(lease, answer);
    }
}
