package io.controllermanager.testing.failover;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How a leader has kept its Lease. */
final class Renewals {

    private Renewals() {}

    /**
     * The longest time from when a renewal of a replica was received to when its next one was answered, or another took the
     * Lease. If that is shorter than the renew deadline, nothing has kept the replica from leading.
     *
     * @param events the audit log
     * @param replica who leads at {@code since}
     * @param until when to cease looking, if nobody has taken the Lease by then
     */
    static Duration longestGap(List<AuditEvent> events, String replica, Instant since, Instant until) {
        Duration longest = Duration.ZERO;
        Instant last = null;
        for (AuditEvent event : Judge.leaseWrites(events)) {
            if (event.received().isAfter(until)) {
                break;
            }
            String holder = Objects.requireNonNull(event.lease()).holder();
            boolean own = holder.startsWith(replica + "_");
            if (event.completed().isAfter(since) && !holder.isEmpty()) {
                longest = longer(longest, last, own ? event.completed() : event.received());
                if (!own) {
                    return longest;
                }
            }
            if (own && event.user().equals(replica)) {
                last = event.received();
            }
        }
        return longer(longest, last, until);
    }

    /** How often a Lease has got another holder than it had before, from a moment on until another. */
    static int moves(List<AuditEvent> events, Instant since, Instant until) {
        int moves = 0;
        String holder = "";
        for (AuditEvent event : Judge.leaseWrites(events)) {
            String now = Objects.requireNonNull(event.lease()).holder();
            if (!now.isEmpty() && !now.equals(holder)) {
                if (event.received().isAfter(since) && !event.received().isAfter(until)) {
                    moves++;
                }
                holder = now;
            }
        }
        return moves;
    }

    private static Duration longer(Duration than, @Nullable Instant from, Instant to) {
        Duration between = from == null ? Duration.ZERO : Duration.between(from, to);
        return between.compareTo(than) > 0 ? between : than;
    }
}
