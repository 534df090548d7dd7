package io.controllermanager.leaderelection.internal;

import io.kubernetes.client.openapi.models.V1Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/** The state after an event, while the event is applied, and the commands that follow from it. Times are in nanoseconds. */
final class ElectionStep extends ElectionState {

    /** Something happens that the election has to know. */
    @FunctionalInterface
    interface Event {
        void applyTo(ElectionStep step);
    }

    /** Within which time standbys spread their tries for a Lease that was released. */
    static final int FREE_SPREAD_MILLIS = 25;

    /** How long after a Lease's end standbys spread their first try. */
    private static final double EXPIRY_SPREAD = 100e6;

    /** For how long a free Lease is left to others for each one by which a process is ahead, and at most. */
    private static final int COURTESY_MILLIS = 50;

    private static final int LONGEST_COURTESY_MILLIS = 500;

    /** How long a Lease that was given up for a process is left to that one. */
    private static final long RESERVED_MILLIS = 1000;

    /** For how long a wish stands whose turn does not come: nobody is to end work for a process that is gone. */
    private static final Duration LONGEST_WISH = LeaseBalance.PERIOD.multipliedBy(2);

    final Moment now;

    /** What is to be done about the event, in this order. */
    final List<ElectionCommand> commands = new ArrayList<>();

    /** What the request thread sends next, null for nothing. Follows only from what that thread itself has told. */
    ElectionTask.@Nullable Request request;

    ElectionStep(ElectionState before, Moment now) {
        super(before);
        this.now = now;
    }

    void log(Level level, String message) {
        commands.add(new ElectionCommand.Log(level, "Lease " + config.lease() + ": " + message, null));
    }

    /** Sends a request; reads if there is no Lease to write. */
    void send(ElectionTask task, @Nullable V1Lease lease, int number) {
        request = new ElectionTask.Request(task, lease, known, number);
    }

    // What this process learns of the Lease

    /** Takes note of how the Lease is by an answer, unless the watch has told something newer meanwhile. */
    private void observe(@Nullable V1Lease answer, ElectionTask.Request request) {
        if (answer != null && !known.supersedes(answer, request.known())) {
            // What this process has written itself is no older state.
            observe(answer, leads() || request.lease() != null);
        } else if (answer == null && !known.missing()) {
            gone();
        }
    }

    private void gone() {
        known = known.gone(now.nanos());
        String wait = known.waiting(config, now.nanos());
        if (term == null && wait != null) {
            log(Level.WARN, wait);
        }
    }

    private void observe(V1Lease current, boolean ours) {
        KnownLease before = known;
        known = before.seen(current, config, ours, now.nanos());
        String wait = known.waiting(config, now.nanos());
        if (before.isNewerThan(current)) {
            commands.add(ElectionCommand.Simple.DOUBT_STORAGE);
            log(Level.WARN, "etcd was put back to an older state" + (wait == null ? "" : ": " + wait));
        }
        if (known.isFree()) {
            notes = Leases.notes(current);
        } else if (known.isOthers(config.identity())) {
            notes = Map.of();
            boolean isLong = known.lasts().compareTo(config.leaseDuration()) > 0
                    && !known.lasts().equals(before.lasts());
            if (!known.doubtful() && (isLong || !known.holder().equals(before.holder()))) {
                String when = isLong ? "; it can be taken " + known.lasts().toSeconds() + " s after a renewal" : "";
                log(Level.INFO, "held by " + known.holder() + "; standing by" + when);
            }
            if (term == null && wait != null && known.overdue() && !before.overdue()) {
                log(Level.WARN, wait + ", since it lasts " + known.lasts().toSeconds() + " s");
            }
        }
        if (!Objects.equals(known.asker(), before.asker())) {
            wishedSince = now.nanos();
            refused = false;
            considerWish();
        }
    }

    /** The watch tells how the Lease is. Its holder may be the last to know. */
    void seen(V1Lease lease) {
        if (phase == Phase.STOPPING || (known.lease() != null && !Leases.isNewer(lease, known.lease()))) {
            if (known.isNewerThan(lease)) {
                // Late, or of an older state of etcd: the next answer tells.
                commands.add(ElectionCommand.Simple.DOUBT_STORAGE);
            }
            return;
        }
        boolean wasFree = known.isFree() && !known.missing();
        observe(lease, leads());
        loseUnlessOurs();
        if (attempting) {
            // What that has read may be older.
            again |= known.isFree();
        } else if (known.isFree()) {
            attemptAfter(freeSpread() + courtesyLeft());
        } else if (wasFree && term == null) {
            // Another was faster.
            attemptAfter(untilNextAttempt());
        }
    }

    /** The Lease is gone. Its holder makes it again at once; others wait until its time is over. */
    void deleted(V1Lease lease) {
        if (phase == Phase.STOPPING || known.missing() || known.isNewerThan(lease)) {
            return;
        }
        observe(lease, leads());
        gone();
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
        // A Lease that nobody renews says nothing for long, and its watch is ended for that.
        boolean quiet = (known.missing() || known.isFree()) && !LeaseException.isMissingPermission(why);
        if (why != null && watchError == null) {
            String message = why + "; a released Lease is noticed at the next poll only";
            commands.add(new ElectionCommand.Log(quiet ? Level.DEBUG : Level.WARN, message, null));
        } else if (why == null && watchError != null) {
            log(quiet ? Level.DEBUG : Level.INFO, "watched again");
        }
        watchError = why;
    }

    /** A request has read the Lease; null if there is none. */
    void read(ElectionTask.Request request, @Nullable V1Lease lease) {
        observe(lease, request);
        request.task().read(this, request, lease);
    }

    /** A request has stored the Lease. */
    void stored(ElectionTask.Request request, V1Lease lease, long sentAt) {
        observe(lease, request);
        request.task().stored(this, lease, sentAt);
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
            commands.add(new ElectionCommand.Work(new ElectionTask.Attempt()));
        }
    }

    /** The request thread is at the attempt. Whether it is still wanted. */
    boolean beginAttempt() {
        again = false;
        attempting = phase == Phase.COMPETING;
        return attempting;
    }

    /** Ends an attempt that did not fail, and plans the next one. */
    void endAttempt() {
        if (lastError != null) {
            log(Level.INFO, "can be reached again");
        }
        lastError = null;
        planNextAttempt();
    }

    /** Another was faster. A leader has to know soon who it was. */
    void endBeatenAttempt() {
        boolean soon = term != null && !again;
        endAttempt();
        if (soon) {
            attemptAfter(freeSpread());
        }
    }

    /** Errors name the Lease themselves, since health shows them as well; the cause is null where it was expected. */
    void endFailedAttempt(String error, @Nullable Throwable unexpected) {
        if (!error.equals(lastError)) {
            Level level = unexpected == null ? Level.WARN : Level.ERROR;
            commands.add(new ElectionCommand.Log(level, "Leader election: " + error + "; retrying", unexpected));
        }
        lastError = error;
        planNextAttempt();
    }

    private void planNextAttempt() {
        attempting = false;
        attemptAfter(again ? 0 : untilNextAttempt());
    }

    private void attemptAfter(long delay) {
        attemptAt = phase == Phase.COMPETING ? (Long) (now.nanos() + delay) : null;
    }

    private long untilNextAttempt() {
        long period = config.retryPeriod().toNanos();
        if (term != null) {
            return period;
        }
        long atRandom = (long) (period * (1 + now.chance() * LeaderElectionConfig.JITTER_FACTOR));
        long courtesy = courtesyLeft();
        if (courtesy > 0) {
            return Math.min(courtesy, atRandom);
        }
        if (!known.isHeld(config, now.nanos())) {
            return atRandom;
        }
        long untilExpiry = known.expiresAt(config) - now.nanos() + (long) (EXPIRY_SPREAD * now.chance());
        return Math.min(untilExpiry, atRandom);
    }

    /** Whether this process may take a Lease that can be had. */
    boolean mayTake() {
        return term != null || (!now.aside() && courtesyLeft() == 0);
    }

    /** How long after a release to try. Half of all tries come soon, and of many standbys some see who was faster. */
    private long freeSpread() {
        return (long) (FREE_SPREAD_MILLIS * 1e6 * Math.pow(now.chance(), 3));
    }

    /** For how much longer a Lease that can be had is left to others. */
    private long courtesyLeft() {
        boolean held = known.lease() != null && !known.isFree();
        long freeSince = held ? known.expiresAt(config) : known.since();
        String preferred = held ? null : known.asker();
        if (!now.shares()
                || term != null
                || known.equals(KnownLease.NOTHING)
                || isOurs()
                || config.identity().equals(preferred)
                || now.nanos() - freeSince < 0) {
            return 0;
        }
        long courtesyMillis = Math.min(now.spread().lead() * COURTESY_MILLIS, LONGEST_COURTESY_MILLIS);
        if (preferred != null) {
            // A process that may not watch must assume that the other may not either, and polls.
            double poll = config.retryPeriod().toMillis() * (1 + LeaderElectionConfig.JITTER_FACTOR);
            courtesyMillis += RESERVED_MILLIS + (watchError == null ? 0 : (long) poll);
        }
        return Math.max(0, freeSince + courtesyMillis * 1_000_000 - now.nanos());
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
        commands.add(ElectionCommand.Simple.TELL_ACQUIRED);
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
            lose(known.holder().isEmpty() ? "released by someone else" : "held by " + known.holder());
        }
    }

    private void lose(String why) {
        if (term == null) {
            return;
        }
        term = null;
        commands.add(ElectionCommand.Simple.TELL_LOST);
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
        if (now.shares()) {
            commands.add(new ElectionCommand.Work(new ElectionTask.Ask(false)));
        }
        commands.add(new ElectionCommand.Release(true));
    }

    void resign() {
        if (phase == Phase.COMPETING && term != null) {
            phase = Phase.RESIGNING;
            attemptAt = null;
            lose(known.asker() == null ? "resigned" : "given to " + known.asker());
            commands.add(new ElectionCommand.Release(false));
        }
    }

    /** The Lease was released, or could not be; whoever only resigned competes again. */
    void endRelease(boolean stop) {
        if (stop) {
            commands.add(ElectionCommand.Simple.END);
        } else if (phase == Phase.RESIGNING) {
            phase = Phase.COMPETING;
            attemptAfter(untilNextAttempt());
        }
    }

    // Wishes

    /**
     * Decides on another's wish for the Lease that this process leads by. One that is neither granted nor refused is considered
     * again at the next renewal.
     */
    void considerWish() {
        String asker = known.asker();
        boolean led = term != null && isOurs() && !known.missing();
        if (!now.shares() || !led || now.leaving() || asker == null || refused) {
            return;
        }
        if (now.nanos() - wishedSince > LONGEST_WISH.toNanos() || !now.spread().grants(asker)) {
            refuse(asker);
        } else {
            commands.add(new ElectionCommand.HandOver(asker));
        }
    }

    /** The wish is removed at the next renewal, which is due at once; not if things have changed since. */
    void refuse(String asker) {
        if (term != null && asker.equals(known.asker())) {
            refused = true;
            retryNow();
        }
    }

    /** Asks for the Lease, or takes that back. */
    void wish(boolean ask) {
        ElectionTask.Ask task = new ElectionTask.Ask(ask);
        // A stop takes it back itself. After it the request thread may have ended.
        if (phase != Phase.STOPPING && task.isWanted(this)) {
            commands.add(new ElectionCommand.Work(task));
        }
    }
}
