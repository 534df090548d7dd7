package io.controllermanager.leaderelection.internal;

import io.kubernetes.client.openapi.models.V1Lease;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a process knows of the Lease.
 *
 * @param lease the Lease as it was last seen; null if it was never seen
 * @param missing whether the Lease is gone, or was never there
 * @param since the local monotonic time from which its time is counted: another machine's clock is not trusted
 * @param lasts how long it lasts from then on, unless it is renewed
 * @param renewedFor the longest duration that its holder was seen to renew it with, zero if it was not seen to
 * @param doubtful whether it has gone back to an older state and has not been renewed since: whoever it names may not hold
 *     it, and whoever holds it may not be named
 */
record KnownLease(
        @Nullable V1Lease lease, boolean missing, long since, Duration lasts, Duration renewedFor, boolean doubtful) {

    static final KnownLease NOTHING = new KnownLease(null, false, 0, Duration.ZERO, Duration.ZERO, false);

    /**
     * What is known once the Lease has been seen again. A holder's duration counts only if two of its renewals in a row came
     * with it: an edit is put right by the next one, and may be seen together with one. The first that is seen of a holder
     * counts if it is longer than ours.
     *
     * @param ours whether the Lease is known to be this process's, if it names it
     */
    KnownLease seen(V1Lease current, LeaderElectionConfig config, boolean ours, long now) {
        V1Lease before = lease;
        Duration said = Leases.duration(current, config.leaseDuration());
        if (before == null) {
            return new KnownLease(current, false, now, longer(said, config.leaseDuration()), Duration.ZERO, false);
        }
        boolean sameHolder = Leases.holder(current).equals(holder());
        if (Leases.isNewer(before, current) && !(ours && Leases.holder(current).equals(config.identity()))) {
            return new KnownLease(current, false, now, longer(lasts, config.leaseDuration()), renewedFor, true);
        }
        boolean renewed = Leases.isRenewed(before, current);
        if (renewed && sameHolder && said.equals(Leases.duration(before, config.leaseDuration()))) {
            return new KnownLease(current, false, now, said, longer(renewedFor, said), false);
        }
        if (renewed && !sameHolder) {
            return new KnownLease(current, false, now, longer(said, config.leaseDuration()), said, false);
        }
        if (!missing && Leases.sameClaim(before, current)) {
            return new KnownLease(current, false, since, lasts, renewedFor, doubtful);
        }
        return new KnownLease(
                current, false, now, sameHolder ? lasts : longer(lasts, config.leaseDuration()), renewedFor, false);
    }

    /** The Lease is gone. Its holder may have renewed it just before. */
    KnownLease gone(long now) {
        return new KnownLease(lease, true, now, lasts, renewedFor, doubtful);
    }

    private static Duration longer(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? b : a;
    }

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
        return lease != null && holder().isEmpty() && !doubtful;
    }

    boolean isOthers(String identity) {
        return doubtful || (!holder().isEmpty() && !holder().equals(identity));
    }

    boolean isOurs(String identity) {
        return holder().equals(identity) && !doubtful;
    }

    /** Whether a process that does not lead has to wait for the Lease's end: also for that of one in its name that is gone. */
    boolean isHeld(String identity) {
        return missing ? lease != null && !isFree() : isOthers(identity);
    }

    /** When the Lease ends unless it is renewed; one that is gone and was not seen to be renewed lasts as long as ours. */
    long expiresAt(LeaderElectionConfig ours) {
        Duration gone = renewedFor.isZero() ? ours.leaseDuration() : renewedFor;
        return since + (missing ? gone : lasts).toNanos();
    }

    /** What a process that does not lead waits for, in a sentence; null if it is nothing out of the ordinary. */
    @Nullable
    String waiting(LeaderElectionConfig ours, long now) {
        long left = expiresAt(ours) - now;
        long silent = now - since;
        if (lease == null
                || isFree()
                || left <= 0
                || (!missing && !doubtful && silent < ours.renewDeadline().toNanos())) {
            return null;
        }
        String why = missing
                ? "it is missing, and " + holder() + " may make it again"
                : doubtful
                        ? "it has gone back to an older state, and another may hold it"
                        : holder() + " has not renewed it for "
                                + Duration.ofNanos(silent).toSeconds() + " s";
        return why + "; unless it is renewed, it can be taken in "
                + Duration.ofNanos(left).toSeconds() + " s";
    }

    /** Whether the watch has told of this since a request was sent, and it is newer than the answer to that request. */
    boolean supersedes(V1Lease answer, KnownLease whenSent) {
        // An answer that is older than what was known before is right: versions go back when etcd is restored.
        V1Lease before = whenSent.lease();
        boolean toldSince = lease != null && (before == null || Leases.isNewer(lease, before));
        return lease != null && toldSince && Leases.isNewer(lease, answer);
    }
}
