package io.controllermanager.leaderelection.internal;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How leadership is at one moment.
 *
 * @param enabled whether replicas compete at all; if not, this process always leads
 * @param lease {@code namespace/name} of the Lease
 * @param identity this process's identity in the Lease
 * @param leading whether this process leads
 * @param holder the identity that holds the Lease as far as this process knows, null if none
 * @param acquiredAt since when this process leads, null if it does not
 * @param sinceRenewal time since the last successful renewal by this process, null if there was none
 * @param transitions the Lease's count of changes of holder
 * @param waitsFor what this process waits for although no holder renews the Lease, and for how long; null if it leads, or
 *     the Lease is renewed, or can be taken
 * @param lastError what went wrong last with the Lease, null if nothing has since the last success
 * @param watchError why the Lease is not being watched, so that a release is noticed only at the next poll; null if it is
 *     watched, or has yet to be
 */
public record LeadershipStatus(
        boolean enabled,
        String lease,
        String identity,
        boolean leading,
        @Nullable String holder,
        @Nullable Instant acquiredAt,
        @Nullable Duration sinceRenewal,
        int transitions,
        @Nullable String waitsFor,
        @Nullable String lastError,
        @Nullable String watchError) {

    /** Nothing is known, or there is nothing to compete for. */
    public static LeadershipStatus of(boolean enabled, boolean leading) {
        return new LeadershipStatus(enabled, "", "", leading, null, null, null, 0, null, null, null);
    }

    /**
     * Of several Leases together: the last error is that of any.
     *
     * @param config what they have in common; the name is what theirs begin with
     * @param leading whether this process leads by any of them, but for one that is an anchor only
     */
    public static LeadershipStatus of(LeaderElectionConfig config, boolean leading, List<LeadershipStatus> all) {
        long transitions = all.stream().mapToLong(LeadershipStatus::transitions).sum();
        return new LeadershipStatus(
                config.enabled(),
                config.lease() + "-*",
                config.identity(),
                leading,
                null,
                null,
                null,
                (int) Math.min(Integer.MAX_VALUE, transitions),
                first(all, LeadershipStatus::waitsFor),
                first(all, LeadershipStatus::lastError),
                first(all, LeadershipStatus::watchError));
    }

    /** The same of a Lease that has to be held together with its former one. */
    LeadershipStatus with(LeadershipStatus former, boolean both) {
        String held = former.leading || former.holder == null ? null : former.lease + " is held by " + former.holder;
        return new LeadershipStatus(
                enabled,
                lease,
                identity,
                both,
                holder,
                both ? acquiredAt : null,
                sinceRenewal,
                transitions,
                both ? null : waitsFor == null ? held : waitsFor,
                lastError == null ? former.lastError : lastError,
                watchError == null ? former.watchError : watchError);
    }

    private static @Nullable String first(
            List<LeadershipStatus> all, Function<LeadershipStatus, @Nullable String> said) {
        return all.stream().map(said).filter(Objects::nonNull).findFirst().orElse(null);
    }

    /** Whether this process does not lead because RBAC does not let it; {@link #lastError} names the rule. */
    public boolean isForbidden() {
        return !leading && LeaseException.isMissingPermission(lastError);
    }
}
