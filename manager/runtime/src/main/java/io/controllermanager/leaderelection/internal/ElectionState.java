package io.controllermanager.leaderelection.internal;

import io.kubernetes.client.openapi.models.V1Lease;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All that one process knows and wants in the election for one Lease. {@link #next} decides; there is no clock, lock,
 * thread, logger or request here. {@link ElectionLoop} holds the current state and executes the commands.
 *
 * @param phase what this process wants
 * @param known what it knows of the Lease
 * @param notes the hand-over notes, until another process has taken the Lease
 * @param term this process's leadership, null if it does not lead
 * @param renewedAt the monotonic time just before the last successful renewal was sent, null if there was none
 * @param attempting whether an attempt to acquire or renew is queued or under way
 * @param again whether another attempt must follow at once, because the current one may act on old news
 * @param attemptAt when the next attempt is due, null if none is
 * @param lastError why the last attempt failed, null if it did not
 * @param watchError why the Lease is not watched, null if it is
 * @param wish what has become of another process's wish for this Lease
 */
record ElectionState(
        LeaderElectionConfig config,
        Phase phase,
        KnownLease known,
        Map<String, String> notes,
        @Nullable Term term,
        @Nullable Long renewedAt,
        boolean attempting,
        boolean again,
        @Nullable Long attemptAt,
        @Nullable String lastError,
        @Nullable String watchError,
        Wish wish) {

    /** Within which time standbys spread their tries for a Lease that was released. */
    static final int FREE_SPREAD_MILLIS = 25;

    /** For how long a free Lease is left to others for each one by which a process is ahead. */
    static final int COURTESY_MILLIS = 50;

    private static final int LONGEST_COURTESY_MILLIS = 500;

    /** How long a Lease that was given up for a process is left to that one. */
    private static final long RESERVED_MILLIS = 1000;

    /** To hold the Lease, to release it and then compete again, or to release it for good. */
    enum Phase {
        COMPETING,
        RESIGNING,
        STOPPING
    }

    /** Leadership from an acquisition to its loss, with the hand-over notes; proven until that monotonic time. */
    record Term(Instant acquiredAt, Map<String, String> notes, long provenUntil) {}

    /** Since when this process has known of a wish for the Lease, and what has become of it; of use to the holder alone. */
    record Wish(long since, Stage stage) {

        enum Stage {
            OPEN,
            UNDER_CONSIDERATION,
            REFUSED
        }
    }

    /**
     * What the world adds to a decision.
     *
     * @param nanos the monotonic time
     * @param wall the wall clock's time, for what the Lease stores
     * @param chance a random number from 0 to 1
     * @param shares whether Leases are shared with other processes at all
     * @param aside whether this process leaves the Lease to others unless it holds it
     * @param lead by how many Leases this process is ahead of the one that holds fewest
     */
    record Moment(long nanos, Instant wall, double chance, boolean shares, boolean aside, int lead) {

        /**
         * How long after a release to try, in nanoseconds. More often short than long: half of all tries come within an
         * eighth of the time, so that one standby alone loses little, while some of many are late enough to see who was
         * faster.
         */
        long freeSpread() {
            return (long) (FREE_SPREAD_MILLIS * 1e6 * Math.pow(chance, 3));
        }

        /**
         * For how many nanoseconds more a Lease that can be had is left to others.
         *
         * @param watched whether processes may watch the Lease, as far as this one knows
         */
        long courtesyLeft(KnownLease known, LeaderElectionConfig config, boolean watched) {
            boolean held = known.lease() != null && !known.isFree();
            long freeSince = held ? known.expiresAt(config) : known.since();
            String preferred = held ? null : known.asker();
            if (!shares
                    || known.equals(KnownLease.NOTHING)
                    || known.isOurs(config.identity())
                    || config.identity().equals(preferred)
                    || nanos - freeSince < 0) {
                return 0;
            }
            long courtesyMillis = Math.min(lead * COURTESY_MILLIS, LONGEST_COURTESY_MILLIS);
            if (preferred != null) {
                // A process that may not watch must assume that the other may not either, and polls.
                long poll = config.retryPeriod().toMillis();
                courtesyMillis +=
                        RESERVED_MILLIS + (watched ? 0 : (long) (poll * (1 + LeaderElectionConfig.JITTER_FACTOR)));
            }
            return Math.max(0, freeSince + courtesyMillis * 1_000_000 - nanos);
        }
    }

    /** The state after an event, and what is to be done about it, in this order. */
    record Next(ElectionState state, List<ElectionCommand> commands) {}

    /** The start: nothing is known, and the first attempt is under way. */
    static ElectionState initial(LeaderElectionConfig config) {
        KnownLease known = KnownLease.NOTHING;
        return new ElectionState(
                config,
                Phase.COMPETING,
                known,
                Map.of(),
                null,
                null,
                true,
                false,
                null,
                null,
                null,
                new Wish(0, Wish.Stage.OPEN));
    }

    /** What follows from an event. Leadership whose time is over ends first, whatever the event is. */
    Next next(ElectionEvent event, Moment now) {
        ElectionStep step = new ElectionStep(this, now);
        step.expire();
        if (event instanceof ElectionEvent.Signal signal) {
            switch (signal) {
                case TIME_PASSED -> step.timePassed();
                case RETRY_NOW -> step.retryNow();
                case RESIGN -> step.resign();
                case STOP -> step.stop();
                case ASK -> step.wish(true);
                case TAKE_BACK -> step.wish(false);
            }
        } else if (event instanceof ElectionEvent.Turn turn) {
            turn.task().turn(step);
        } else if (event instanceof ElectionEvent.Read read) {
            read.request().task().read(step, read.request(), read.lease());
        } else if (event instanceof ElectionEvent.Stored stored) {
            step.observe(stored.lease(), stored.request());
            stored.request().task().stored(step, stored);
        } else if (event instanceof ElectionEvent.Refused refused) {
            refused.request().task().refused(step, refused.request());
        } else if (event instanceof ElectionEvent.Failed failed) {
            failed.request().task().failed(step, failed);
        } else if (event instanceof ElectionEvent.Seen seen) {
            step.seen(seen.lease());
        } else if (event instanceof ElectionEvent.Deleted deleted) {
            step.deleted(deleted.lease());
        } else if (event instanceof ElectionEvent.WatchInterrupted interrupted) {
            step.watchInterrupted(interrupted.why());
        } else if (event instanceof ElectionEvent.Considered considered) {
            step.considered(considered.asker(), considered.stands());
        }
        return step.end();
    }

    /** Whether leadership is proven. This is the fence: it compares one term with the monotonic clock. */
    boolean isLeading(long now) {
        return term != null && now - term.provenUntil() < 0;
    }

    /** Until when leadership is proven, null if this process does not lead. */
    @Nullable
    Long deadline() {
        return term == null ? null : term.provenUntil();
    }

    /** Who holds the Lease and who wishes for it, null if nothing is known. One that has expired has no holder. */
    BalanceSpread.@Nullable Held held(long now) {
        String holder = known.isExpired(config, now) ? "" : known.holder();
        return known.lease() == null ? null : new BalanceSpread.Held(config.leaseName(), holder, known.asker());
    }

    LeadershipStatus status(boolean leading, long now) {
        V1Lease lease = known.lease();
        String holder = known.missing() ? "" : known.holder();
        return new LeadershipStatus(
                config.enabled(),
                config.lease(),
                config.identity(),
                leading,
                holder.isEmpty() ? null : holder,
                term == null ? null : term.acquiredAt(),
                renewedAt == null ? null : Duration.ofNanos(now - renewedAt),
                lease == null ? 0 : Leases.transitions(lease),
                term == null ? known.waiting(config, now) : null,
                lastError,
                watchError);
    }

    /** How long this process has to wait before it may take the Lease, unless it is renewed; zero if it leads or may. */
    Duration untilTaken(long now) {
        return Duration.ofNanos(term == null && known.isHeld(config, now) ? known.expiresAt(config) - now : 0);
    }
}
