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
 * @param overdue whether it was seen unrenewed for two thirds of its time, and for as long as ours lasts
 */
record KnownLease(
        @Nullable V1Lease lease,
        boolean missing,
        long since,
        Duration lasts,
        Duration renewedFor,
        boolean doubtful,
        boolean overdue) {

    static final KnownLease NOTHING = new KnownLease(null, false, 0, Duration.ZERO, Duration.ZERO, false, false);

    /**
     * What is known once the Lease has been seen again. A holder's duration counts only if two of its renewals in a row came
     * with it: an edit is put right by the next one, and may be seen together with one. The first that is seen of a holder
     * counts if it is longer than ours.
     *
     * @param ours whether the Lease is known to be this process's, if it names it
     */
    KnownLease seen(V1Lease current, LeaderElectionConfig config, boolean ours, long now) {
        V1Lease before = lease;
        Duration own = config.leaseDuration();
        Duration said = Leases.duration(current, own);
        if (before == null) {
            return new KnownLease(current, false, now, longer(said, own), Duration.ZERO, false, false);
        }
        boolean back = isNewerThan(current) && !(ours && Leases.holder(current).equals(config.identity()));
        boolean sameHolder = !back && Leases.holder(current).equals(holder());
        boolean renewed = !back && Leases.isRenewed(before, current);
        if (!missing && !back && Leases.sameClaim(before, current)) {
            // As by the timings that are usual, a holder gives up after two thirds of its time.
            Duration silence = longer(own, lasts.multipliedBy(2).dividedBy(3));
            boolean late = now - since >= silence.toNanos();
            return new KnownLease(current, false, since, lasts, renewedFor, doubtful, late);
        }
        if (renewed && sameHolder && said.equals(Leases.duration(before, own))) {
            return new KnownLease(current, false, now, said, longer(renewedFor, said), false, false);
        }
        if (renewed && !sameHolder) {
            Duration seen = said.compareTo(own) > 0 ? said : Duration.ZERO;
            return new KnownLease(current, false, now, longer(said, own), seen, false, false);
        }
        return new KnownLease(current, false, now, sameHolder ? lasts : longer(lasts, own), renewedFor, back, false);
    }

    /** The Lease is gone. Its holder may have renewed it just before. */
    KnownLease gone(long now) {
        return new KnownLease(lease, true, now, lasts, renewedFor, doubtful, false);
    }

    /** Whether the Lease was seen at a newer version than another state of it. */
    boolean isNewerThan(V1Lease other) {
        return lease != null && Leases.isNewer(lease, other);
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

    /** Who wishes for the Lease, null for nobody. */
    @Nullable
    String asker() {
        return lease == null ? null : Leases.preferredHolder(lease);
    }

    /** What it says about shards, null if it says nothing. */
    @Nullable
    String shards() {
        return lease == null ? null : Leases.shards(lease);
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
    boolean isHeld(LeaderElectionConfig ours, long now) {
        return (missing ? lease != null && !isFree() : isOthers(ours.identity())) && !isExpired(ours, now);
    }

    /** When the Lease ends unless it is renewed; one that is gone and was not seen to be renewed lasts as long as ours. */
    long expiresAt(LeaderElectionConfig ours) {
        Duration gone = renewedFor.isZero() ? ours.leaseDuration() : renewedFor;
        return since + (missing ? gone : lasts).toNanos();
    }

    boolean isExpired(LeaderElectionConfig ours, long now) {
        return now - expiresAt(ours) >= 0;
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
        return (before == null || isNewerThan(before)) && isNewerThan(answer);
    }
}
