package io.controllermanager.leaderelection;

import io.controllermanager.leaderelection.ElectionState.Moment;
import io.controllermanager.leaderelection.ElectionState.Next;
import io.controllermanager.leaderelection.ElectionState.Phase;
import io.controllermanager.leaderelection.ElectionState.Term;
import io.kubernetes.client.openapi.models.V1Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * One transition of an {@link ElectionState}: a copy of it that changes while an event is applied, and the commands that
 * follow. Lives for one call of {@link ElectionState#next}.
 */
final class ElectionStep {

    /** How long after a Lease's end standbys spread their first try. */
    private static final Duration EXPIRY_SPREAD = Duration.ofMillis(100);

    final LeaderElectionConfig config;
    final Moment now;
    private final List<ElectionCommand> commands = new ArrayList<>();
    private Phase phase;
    private KnownLease known;
    private Map<String, String> notes;
    private @Nullable Term term;
    private @Nullable Long renewedAt;
    private boolean attempting;
    private boolean again;
    private @Nullable Long attemptAt;
    private long aliveAt;
    private @Nullable String lastError;
    private @Nullable String watchError;
    private BalanceWish wish;

    ElectionStep(ElectionState state, Moment now) {
        this.config = state.config();
        this.now = now;
        this.phase = state.phase();
        this.known = state.known();
        this.notes = state.notes();
        this.term = state.term();
        this.renewedAt = state.renewedAt();
        this.attempting = state.attempting();
        this.again = state.again();
        this.attemptAt = state.attemptAt();
        this.aliveAt = state.aliveAt();
        this.lastError = state.lastError();
        this.watchError = state.watchError();
        this.wish = state.wish();
    }

    Next end() {
        ElectionState state = new ElectionState(
                config,
                phase,
                known,
                notes,
                term,
                renewedAt,
                attempting,
                again,
                attemptAt,
                aliveAt,
                lastError,
                watchError,
                wish);
        return new Next(state, List.copyOf(commands));
    }

    void command(ElectionCommand command) {
        commands.add(command);
    }

    void log(Level level, String message) {
        command(new ElectionCommand.Log(level, "Lease " + config.lease() + ": " + message, null));
    }

    Phase phase() {
        return phase;
    }

    KnownLease known() {
        return known;
    }

    boolean leads() {
        return term != null;
    }

    /** The request thread shows a sign of life. */
    void alive() {
        aliveAt = now.nanos();
    }

    /** Sends a request; reads if there is no Lease to write. */
    void send(ElectionTask task, @Nullable V1Lease lease, int number) {
        command(new ElectionCommand.Send(new ElectionRequest(task, lease, known, number)));
    }

    // What this process learns of the Lease

    /** Takes note of how the Lease is by an answer, unless the watch has told something newer meanwhile. */
    void observe(V1Lease answer, ElectionRequest request) {
        if (!known.supersedes(answer, request.known())) {
            observe(answer);
        }
    }

    private void observe(V1Lease current) {
        V1Lease before = known.lease();
        boolean same = before != null && !known.missing() && Objects.equals(before.getSpec(), current.getSpec());
        String holderBefore = known.holder();
        known = new KnownLease(current, false, same ? known.since() : now.nanos());
        if (known.isFree()) {
            notes = Leases.notes(current);
        } else if (isOthers()) {
            notes = Map.of();
            if (!known.holder().equals(holderBefore)) {
                log(Level.INFO, "held by " + known.holder() + "; standing by");
            }
        }
        BalanceWish seen = wish.seen(Leases.preferredHolder(current), now.nanos());
        if (!seen.equals(wish)) {
            wish = seen;
            considerWish();
        }
    }

    /** Takes note that there is no Lease: its holder may have renewed it just before it was deleted. */
    void observeMissing() {
        if (!known.missing()) {
            known = new KnownLease(known.lease(), true, now.nanos());
        }
    }

    boolean isOurs() {
        return known.isOurs(config.identity());
    }

    boolean isOthers() {
        return known.isOthers(config.identity());
    }

    boolean expired() {
        return now.nanos() - known.expiresAt(config.leaseDuration()) >= 0;
    }

    /** The watch tells how the Lease is. Its holder may be the last to know. */
    void seen(V1Lease lease) {
        V1Lease before = known.lease();
        if (phase == Phase.STOPPING || (before != null && !Leases.isNewer(lease, before))) {
            return;
        }
        boolean wasFree = known.isFree() && !known.missing();
        observe(lease);
        loseUnlessOurs();
        if (attempting) {
            // What that has read may be older.
            again |= known.isFree();
        } else if (known.isFree()) {
            attemptAfter(freeSpread().plus(courtesyLeft()));
        } else if (wasFree && term == null) {
            // Another was faster.
            attemptAfter(untilNextAttempt());
        }
    }

    /** The Lease is gone. Its holder makes it again at once; others wait until its time is over. */
    void deleted(V1Lease lease) {
        V1Lease before = known.lease();
        if (phase == Phase.STOPPING || known.missing() || (before != null && Leases.isNewer(before, lease))) {
            return;
        }
        observe(lease);
        known = new KnownLease(lease, true, now.nanos());
        if (attempting) {
            again = true;
        } else if (term != null || known.isFree()) {
            attemptAfter(freeSpread());
        }
    }

    void watchInterrupted(@Nullable String why) {
        if (phase == Phase.STOPPING) {
            return;
        }
        if (why != null && watchError == null) {
            String message = why + "; a released Lease is noticed at the next poll only";
            command(new ElectionCommand.Log(Level.WARN, message, null));
        } else if (why == null && watchError != null) {
            log(Level.INFO, "watched again");
        }
        watchError = why;
    }

    // Attempts

    /** The next attempt is due, unless something else has become of it. */
    void timePassed() {
        if (attemptAt != null && now.nanos() - attemptAt >= 0) {
            startAttempt();
        }
    }

    void retryNow() {
        if (attempting) {
            again = true;
        } else {
            startAttempt();
        }
    }

    private void startAttempt() {
        if (phase == Phase.COMPETING && !attempting) {
            attempting = true;
            attemptAt = null;
            command(new ElectionCommand.Work(new AttemptTask()));
        }
    }

    /** The request thread is at the attempt. Whether it is still wanted. */
    boolean beginAttempt() {
        again = false;
        attempting = phase == Phase.COMPETING;
        return attempting;
    }

    /**
     * Ends an attempt and plans the next one.
     *
     * @param error why it failed, null if it did not
     * @param unexpected its cause if nobody expected that
     */
    void endAttempt(@Nullable String error, @Nullable Throwable unexpected) {
        report(error, unexpected);
        attempting = false;
        attemptAfter(again ? Duration.ZERO : untilNextAttempt());
    }

    /** Another was faster. A leader has to know soon who it was. */
    void endBeatenAttempt() {
        boolean soon = term != null && !again;
        endAttempt(null, null);
        if (soon) {
            attemptAfter(freeSpread());
        }
    }

    /** Errors name the Lease themselves, since health shows them as well. */
    private void report(@Nullable String error, @Nullable Throwable unexpected) {
        if (error != null && !error.equals(lastError)) {
            Level level = unexpected == null ? Level.WARN : Level.ERROR;
            command(new ElectionCommand.Log(level, "Leader election: " + error + "; retrying", unexpected));
        } else if (error == null && lastError != null) {
            log(Level.INFO, "can be reached again");
        }
        lastError = error;
    }

    private void attemptAfter(Duration delay) {
        attemptAt = phase == Phase.COMPETING ? (Long) (now.nanos() + delay.toNanos()) : null;
    }

    /**
     * More often short than long: half of all tries come within an eighth of the time, so that one standby alone loses
     * little, while some of many are late enough to see who was faster.
     */
    private Duration freeSpread() {
        return Duration.ofNanos((long) (ElectionState.FREE_SPREAD_MILLIS * 1e6 * Math.pow(now.chance(), 3)));
    }

    private Duration untilNextAttempt() {
        if (term != null) {
            return config.retryPeriod();
        }
        Duration period = times(config.retryPeriod(), 1 + now.chance() * LeaderElectionConfig.JITTER_FACTOR);
        Duration courtesy = courtesyLeft();
        if (!courtesy.isZero()) {
            return shorter(courtesy, period);
        }
        if (!isOthers() || expired()) {
            return period;
        }
        Duration left = Duration.ofNanos(known.expiresAt(config.leaseDuration()) - now.nanos());
        return shorter(left.plus(times(EXPIRY_SPREAD, now.chance())), period);
    }

    private static Duration times(Duration duration, double factor) {
        return Duration.ofNanos((long) (duration.toNanos() * factor));
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** Whether this process may take a Lease that can be had. */
    boolean mayTake() {
        return term != null || (!now.standing().aside() && courtesyLeft().isZero());
    }

    private Duration courtesyLeft() {
        return term != null
                ? Duration.ZERO
                : now.standing().courtesyLeft(known, config, watchError == null, now.nanos());
    }

    // Leadership

    /** The Lease is stored in this process's name, by a request that was sent at the given time. */
    void held(long sentAt) {
        long provenUntil = sentAt + config.renewDeadline().toNanos();
        if (phase != Phase.COMPETING || now.nanos() - provenUntil >= 0) {
            // The answer took so long that it proves nothing any more.
            return;
        }
        renewedAt = sentAt;
        if (term != null) {
            term = new Term(term.acquiredAt(), term.notes(), provenUntil);
            return;
        }
        term = new Term(now.wall(), notes, provenUntil);
        command(ElectionCommand.Simple.TELL_ACQUIRED);
        log(Level.INFO, "became leader");
    }

    /** Ends leadership that is no longer proven. */
    void expire() {
        if (term != null && now.nanos() - term.provenUntil() >= 0) {
            lose("not renewed for " + config.renewDeadline().toMillis() + " ms");
        }
    }

    void loseUnlessOurs() {
        if (!isOurs()) {
            lose(isOthers() ? "held by " + known.holder() : "released by someone else");
        }
    }

    private void lose(String why) {
        if (term == null) {
            return;
        }
        term = null;
        command(ElectionCommand.Simple.TELL_LOST);
        switch (phase) {
            case COMPETING -> log(Level.WARN, "leadership lost, " + why + "; standing by");
            case RESIGNING -> log(Level.INFO, "no longer leader, " + why + "; standing by");
            case STOPPING -> log(Level.INFO, "no longer leader, because of the stop");
        }
    }

    void stop() {
        phase = Phase.STOPPING;
        attemptAt = null;
        lose("stopped");
        if (now.standing().shares()) {
            command(new ElectionCommand.Work(new BalanceTask(false)));
        }
        command(new ElectionCommand.Release(true));
    }

    void resign() {
        if (phase == Phase.COMPETING && term != null) {
            phase = Phase.RESIGNING;
            attemptAt = null;
            lose(wish.asker() == null ? "resigned" : "given to " + wish.asker());
            command(new ElectionCommand.Release(false));
        }
    }

    /** The Lease was released, or could not be; whoever only resigned competes again. */
    void endRelease(boolean stop) {
        if (stop) {
            command(ElectionCommand.Simple.END);
        } else if (phase == Phase.RESIGNING) {
            phase = Phase.COMPETING;
            attemptAfter(untilNextAttempt());
        }
    }

    // Wishes

    /** Whether this process has asked for the Lease that another holds. */
    boolean wishes() {
        return term == null
                && known.present() != null
                && !isOurs()
                && config.identity().equals(wish.asker());
    }

    /** The Lease to renew, without a wish that was refused. */
    V1Lease withoutRefusedWish(V1Lease own) {
        return wish.isRefused() ? Leases.preferring(own, null) : own;
    }

    /** Has another's wish for the Lease that this process leads by considered. */
    void considerWish() {
        if (now.standing().shares() && term != null && isOurs() && wish.isOpen()) {
            command(new ElectionCommand.Consider(
                    String.valueOf(wish.asker()), Duration.ofNanos(now.nanos() - wish.since())));
            wish = wish.underConsideration();
        }
    }

    /** Asks for the Lease, or takes that back. */
    void wish(boolean ask) {
        BalanceTask task = new BalanceTask(ask);
        if (task.isWanted(this)) {
            command(new ElectionCommand.Work(task));
        }
    }

    void considered(String asker, boolean stands) {
        if (term == null) {
            // It was lost before the hand-over was noted, so that nobody else ends that.
            command(ElectionCommand.Simple.END_HAND_OVER);
        }
        if (asker.equals(wish.asker())) {
            wish = wish.considered(stands || term == null);
            if (wish.isRefused()) {
                retryNow();
            }
        }
    }
}
