package io.controllermanager.leaderelection.internal;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All that one process knows and wants in the election for one Lease. {@link #next} decides; there is no clock, lock, thread,
 * logger or request here. {@link ElectionLoop} holds the current state, which no longer changes, and executes the commands.
 */
class ElectionState {

    /** To hold the Lease, to release it and then compete again, or to release it for good. */
    enum Phase {
        COMPETING,
        RESIGNING,
        STOPPING
    }

    /** Leadership from an acquisition to its loss, with the hand-over notes; proven until that monotonic time. */
    record Term(Instant acquiredAt, Map<String, String> notes, long provenUntil) {}

    /**
     * What the world adds to a decision.
     *
     * @param nanos the monotonic time
     * @param wall the wall clock's time, for what the Lease stores
     * @param chance a random number from 0 to 1
     * @param shares whether Leases are shared with other processes at all
     * @param aside whether this process leaves the Lease to others unless it holds it
     * @param leaving whether this process hands the Lease over already
     * @param spread who holds which of the Leases that are shared
     */
    record Moment(
            long nanos,
            Instant wall,
            double chance,
            boolean shares,
            boolean aside,
            boolean leaving,
            BalanceSpread spread) {}

    final LeaderElectionConfig config;

    /** What this process wants. */
    Phase phase;

    KnownLease known;

    /** The hand-over notes, until another process has taken the Lease. */
    Map<String, String> notes;

    /** Null if this process does not lead. */
    @Nullable
    Term term;

    /** The monotonic time just before the last successful renewal was sent, null if there was none. */
    @Nullable
    Long renewedAt;

    /** Whether an attempt to acquire or renew is queued or under way. */
    boolean attempting;

    /** Whether another attempt must follow at once, because the current one may act on old news. */
    boolean again;

    /** When the next attempt is due, null if none is. */
    @Nullable
    Long attemptAt;

    /** Why the last attempt failed, null if it did not. */
    @Nullable
    String lastError;

    /** Why the Lease is not watched, null if it is. */
    @Nullable
    String watchError;

    /** Since when this process has known of another's wish for the Lease. */
    long wishedSince;

    /** Whether that wish is refused, and to be removed. */
    boolean refused;

    /** The start: nothing is known, and the first attempt is under way. */
    ElectionState(LeaderElectionConfig config) {
        this.config = config;
        this.phase = Phase.COMPETING;
        this.known = KnownLease.NOTHING;
        this.notes = Map.of();
        this.attempting = true;
    }

    ElectionState(ElectionState before) {
        this.config = before.config;
        this.phase = before.phase;
        this.known = before.known;
        this.notes = before.notes;
        this.term = before.term;
        this.renewedAt = before.renewedAt;
        this.attempting = before.attempting;
        this.again = before.again;
        this.attemptAt = before.attemptAt;
        this.lastError = before.lastError;
        this.watchError = before.watchError;
        this.wishedSince = before.wishedSince;
        this.refused = before.refused;
    }

    /** What follows from an event. Leadership whose time is over ends first, whatever the event is. */
    ElectionStep next(ElectionStep.Event event, Moment now) {
        ElectionStep next = new ElectionStep(this, now);
        next.expire();
        event.applyTo(next);
        return next;
    }

    boolean leads() {
        return term != null;
    }

    boolean isOurs() {
        return known.isOurs(config.identity());
    }

    /** Whether leadership is proven. This is the fence: it compares one term with the monotonic clock. */
    boolean isLeading(long now) {
        return term != null && now - term.provenUntil() < 0;
    }

    /** Who holds the Lease and who wishes for it, null if nothing is known. One that has expired has no holder. */
    BalanceSpread.@Nullable Held holding(long now) {
        String holder = known.isExpired(config, now) ? "" : known.holder();
        return known.lease() == null ? null : new BalanceSpread.Held(config.leaseName(), holder, known.asker());
    }

    /** When time alone changes something: the next attempt is due, or leadership ends. Null if it does not. */
    @Nullable
    Long changesAt() {
        if (term == null || attemptAt == null) {
            return term == null ? attemptAt : (Long) term.provenUntil();
        }
        return attemptAt - term.provenUntil() < 0 ? attemptAt : (Long) term.provenUntil();
    }
}
