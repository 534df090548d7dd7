package io.controllermanager.leaderelection.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.client.internal.connection.WriteFence;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Competes for a Lease on behalf of this process, for as long as it is started: acquires it, renews it, notices its
 * loss, and then competes again. Compatible on the wire with client-go's {@code tools/leaderelection}, so that Go and
 * Java processes can compete for one Lease. {@code docs/election.md} says why two never work, what the guarantee does not
 * cover, and how a Lease changes hands.
 *
 * <p>Threads: {@code controller-manager-leader-election} sends requests, {@code controller-manager-lease-watch} watches,
 * {@code controller-manager-leadership} calls the listener; the loss is noticed on the timer's thread. All methods may be
 * called by any thread.
 */
public sealed class LeaderElector implements WriteFence permits PairedElector {

    private static final Logger log = LoggerFactory.getLogger(LeaderElector.class);

    final LeaseLock lock;
    final ElectionParts parts;
    final ElectionMetrics metrics;
    final LeaseBalance balance;

    /** How many terms have begun: counted before a term shows in the state. */
    final AtomicLong terms = new AtomicLong();

    /** Told when the Lease says something else about shards. */
    final List<Runnable> divisionListeners = new CopyOnWriteArrayList<>();

    private final LeaderElectionConfig config;
    private final ElectionState idle;
    private final AtomicBoolean aside = new AtomicBoolean();

    /** The current run. Written by {@link #start} and {@link #stop} under the monitor, read by any thread, as is the other. */
    private volatile @Nullable ElectionLoop election;

    private volatile @Nullable LeadershipListener alwaysLeading;

    /** Sends nothing before {@link #start}. */
    public LeaderElector(LeaderElectionConfig config, ElectionParts parts) {
        this(config, parts, new LeaseBalance(config, List.of(), LeaseBalance.PERIOD, parts));
    }

    /** As one of several between which Leases move. */
    LeaderElector(LeaderElectionConfig config, ElectionParts parts, LeaseBalance balance) {
        this.config = config;
        this.idle = new ElectionState(config);
        this.lock = parts.locks().apply(config);
        this.parts = parts;
        this.balance = balance;
        this.metrics = new ElectionMetrics(parts.meters(), config.leaseName(), this);
    }

    /** The same for that Lease, and for its former one if it has one. */
    public static LeaderElector of(LeaderElectionConfig config, ElectionParts parts) {
        return of(config, parts, new LeaseBalance(config, List.of(), LeaseBalance.PERIOD, parts));
    }

    static LeaderElector of(LeaderElectionConfig config, ElectionParts parts, LeaseBalance balance) {
        LeaderElectionConfig former = config.former();
        return former == null || !config.enabled()
                ? new LeaderElector(config, parts, balance)
                : new PairedElector(
                        config,
                        former,
                        parts,
                        balance,
                        new LeaseBalance(config, List.of(), LeaseBalance.PERIOD, parts));
    }

    /** The time limit for one request for the Lease: half the renew deadline, so that a hung one can be repeated. */
    public static Duration callTimeout(LeaderElectionConfig config) {
        return config.renewDeadline().dividedBy(2);
    }

    /** What is competed for, and how. */
    public LeaderElectionConfig config() {
        return config;
    }

    /** Who competes for each of the Leases that have to be held to lead. */
    public List<LeaderElector> leases() {
        return List.of(this);
    }

    /** Who competes for the one of them that is taken first. */
    LeaderElector first() {
        return this;
    }

    /** Spreads this and other Leases over processes. */
    public LeaseBalance balance() {
        return balance;
    }

    /**
     * Does what the first requests would otherwise wait for, such as connecting. To be called before the start. Blocks for as
     * long as two requests take. Logs a missing permission; any other failure shows once this process competes.
     */
    public void prepare() {
        if (!config.enabled()) {
            return;
        }
        try {
            lock.prepare();
        } catch (LeaseException | RuntimeException e) {
            // What is missing now would be missing when the Lease is to be taken.
            log.atLevel(LeaseException.isMissingPermission(e.getMessage()) ? Level.WARN : Level.DEBUG)
                    .addKeyValue("lease", config.lease())
                    .log("Not prepared for leading: {}", e.getMessage());
        }
    }

    /**
     * Begins to compete and returns at once. Where leader election is off, this process leads from now on.
     *
     * @throws IllegalStateException if started already
     */
    public void start(LeadershipListener listener) {
        start(listener, listener::onAcquired, listener::onLost);
    }

    /** The same, with what else is to be told of this Lease in the listener's place. */
    final synchronized void start(LeadershipListener listener, Runnable acquired, Runnable lost) {
        if (election != null || alwaysLeading != null) {
            throw new IllegalStateException("Leader election for " + config.lease() + " is started already");
        }
        if (!config.enabled()) {
            alwaysLeading = listener;
            listener.onAcquired();
            return;
        }
        ElectionLoop started = new ElectionLoop(this, listener, acquired, lost);
        election = started;
        started.start();
    }

    /**
     * Ceases to lead, gives the Lease back if the configuration says so, and ends all threads. Whatever the Lease guards must
     * have ended before. Waits for the release, at most the renew deadline. May be started again afterwards.
     */
    public synchronized void stop() {
        LeadershipListener told = alwaysLeading;
        ElectionLoop running = election;
        if (told != null) {
            alwaysLeading = null;
            told.onLost();
        } else if (running != null) {
            running.stop();
            election = null;
        }
    }

    /** Whether leadership is proven at this moment, by the monotonic clock. */
    public boolean isLeading() {
        return alwaysLeading != null || state().isLeading(parts.clock().nanoTime());
    }

    /**
     * The number of the term in which this process leads, another for each acquisition; negative if leadership is not proven
     * at this moment. Whoever has noted it sees whether leadership has been lost since, also where it was regained at once.
     */
    public long term() {
        long number = terms.get();
        // A term has its number before its state can be seen.
        return isLeading() && terms.get() == number ? number : -1;
    }

    /**
     * {@inheritDoc} Where leader election is off, anybody may write at any time; where it is on, nobody may before the
     * first acquisition.
     */
    @Override
    public void checkWrite() throws WriteRefusedException {
        if (config.enabled() && !isLeading()) {
            throw new WriteRefusedException(
                    "this process (" + config.identity() + ") is not the leader of " + config.lease());
        }
    }

    /** Tries for the Lease at once, instead of at the next period. */
    public void retryNow() {
        take(ElectionStep::retryNow);
    }

    /**
     * Gives the Lease to the process that has asked for it: ceases to lead, tells the listener, releases the Lease and competes
     * again. Whatever the Lease guards must have ended before. Returns at once. Does nothing if this process does not lead.
     *
     * @return whether this process led and ceases to
     */
    public boolean resign() {
        ElectionLoop running = election;
        return running != null
                && running.take(ElectionStep::resign).commands.contains(new ElectionCommand.Release(false));
    }

    /** Keeps the Lease, though {@link LeadershipListener#onAsked} had agreed to give it away. The wish is considered again. */
    public void keep() {
        balance.handOverEnded(config.leaseName());
    }

    /**
     * Leaves the Lease to others from now on unless this process holds it, or competes for it again. May be called before the
     * start; a stop does not change it.
     */
    public void standAside(boolean now) {
        leaveAlone(now);
    }

    /** The same for this very Lease. */
    final void leaveAlone(boolean now) {
        if (aside.getAndSet(now) != now) {
            take(now ? step -> step.wish(false) : ElectionStep::retryNow);
        }
    }

    boolean standsAside() {
        return aside.get() || balance.standsAside();
    }

    /** The listener is about to be asked to ask for the Lease. */
    void beforeAsking(LeadershipListener.Asking asking) {
        ElectionLoop running = election;
        if (running == null) {
            asking.giveUp();
        } else {
            running.beforeAsking(asking);
        }
    }

    /** Has somebody told, on the thread of the notices, each time that the Lease says something else about shards, until closed. */
    Registration onDivision(Runnable listener) {
        divisionListeners.add(listener);
        return () -> divisionListeners.remove(listener);
    }

    /** What is known of the Lease. */
    KnownLease known() {
        return state().known;
    }

    /** Brings an event; nothing comes of it if this elector is not started. */
    void take(ElectionStep.Event event) {
        ElectionLoop running = election;
        if (running != null) {
            running.take(event);
        }
    }

    /** What is known in the current run; nothing between two runs. */
    private ElectionState state() {
        ElectionLoop running = election;
        return running == null ? idle : running.state();
    }

    /** Who holds the Lease as far as is known; null if nothing is known, or this elector is not started. */
    BalanceSpread.@Nullable Held held() {
        return state().holding(parts.clock().nanoTime());
    }

    /** Who holds the Lease as far as is known; null if nobody does, it has expired, or nothing is known. */
    public @Nullable String liveHolder() {
        BalanceSpread.Held held = held();
        return held == null || held.holder().isEmpty() ? null : held.holder();
    }

    /**
     * The hand-over notes that the last leader has left for this one ({@link LeadershipListener#handOverNotes}). None if
     * this process does not lead, or has taken a Lease that was not given back.
     */
    public Map<String, String> handOverNotes() {
        ElectionState.Term term = state().term;
        return term == null ? Map.of() : term.notes();
    }

    /** The Lease to record Events about, with its uid if that is known. */
    public V1Lease reference() {
        V1Lease known = state().known.lease();
        V1ObjectMeta metadata = Leases.metadata(config);
        if (known != null && known.getMetadata() != null) {
            metadata.setUid(known.getMetadata().getUid());
        }
        return Leases.lease(metadata);
    }

    /** How long this process has to wait before it may take the Lease, unless it is renewed; zero if it leads or may. */
    Duration untilTaken() {
        ElectionState state = state();
        long now = parts.clock().nanoTime();
        boolean waits = state.term == null && state.known.isHeld(config, now);
        return Duration.ofNanos(waits ? state.known.expiresAt(config) - now : 0);
    }

    /** How leadership is, for operators. */
    public LeadershipStatus status() {
        ElectionState state = state();
        KnownLease known = state.known;
        ElectionState.Term term = state.term;
        Long renewedAt = state.renewedAt;
        long now = parts.clock().nanoTime();
        return new LeadershipStatus(
                config.enabled(),
                config.lease(),
                config.identity(),
                alwaysLeading != null || state.isLeading(now),
                known.missing() || known.holder().isEmpty() ? null : known.holder(),
                term == null ? null : term.acquiredAt(),
                renewedAt == null ? null : Duration.ofNanos(now - renewedAt),
                known.lease() == null ? 0 : Leases.transitions(known.lease()),
                term == null ? known.waiting(config, now) : null,
                state.lastError,
                state.watchError);
    }

    /**
     * Whether the election works as it should: false if its loop has done nothing for the lease duration and the
     * tolerance, or if this process believes to lead on a Lease that it has not renewed for that long. A standby that
     * gets nothing but errors is healthy: a restart would not help. client-go's {@code healthzadaptor.go}.
     */
    public boolean healthy(Duration tolerance) {
        ElectionLoop running = election;
        return running == null || running.healthy(tolerance);
    }
}
