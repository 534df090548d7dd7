package io.controllermanager.leaderelection;

import io.controllermanager.client.WriteFence;
import io.controllermanager.time.Clock;
import io.controllermanager.time.Timer;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Competes for a Lease on behalf of this process, for as long as it is started: acquires it, renews it, notices its
 * loss, and then competes again. Compatible on the wire with client-go's {@code tools/leaderelection}, so that Go and
 * Java processes can compete for one Lease.
 *
 * <p><b>What may be relied on.</b> Leadership is proven until {@code renewDeadline} after the monotonic time just
 * <em>before</em> the last successful renewal was sent. Others take a Lease no earlier than {@code leaseDuration} after
 * they saw that renewal, which is after it was sent. Since {@code leaseDuration > renewDeadline}, {@link #checkWrite}
 * refuses and {@link LeadershipListener#onLost} has been called before another can lead, even if a request hangs, and
 * whatever the wall clocks do. A process that was suspended refuses writes from its first instruction on, because the
 * time is compared at each call. Outside the guarantee: a request that was on the wire when a process was suspended; a
 * Lease edited by hand so that it has no holder, which looks like a release, or so that it lasts less long; a Lease deleted
 * by hand while a process competes that has never seen its holder, or one with client-go, which makes a missing Lease at
 * once; a suspension of the whole machine that stops its monotonic clock.
 *
 * <p><b>Hand-over.</b> The Lease is watched as well as polled. Standbys try for a released one within {@value
 * ElectionState#FREE_SPREAD_MILLIS} ms, spread by chance; whoever sees by then that another has it does not try. Without the
 * permission to watch they try at the next poll, as in client-go.
 *
 * <p>Threads: {@code controller-manager-leader-election} sends requests, {@code controller-manager-lease-watch} watches,
 * {@code controller-manager-leadership} calls the listener; the loss is noticed on the timer's thread. All methods may be
 * called by any thread.
 */
public final class LeaderElector implements WriteFence {

    private static final Logger log = LoggerFactory.getLogger(LeaderElector.class);

    private final LeaderElectionConfig config;
    private final ElectionLoop.Parts parts;
    private final ElectionMetrics metrics;
    private final AtomicBoolean aside = new AtomicBoolean();
    private volatile @Nullable ElectionLoop election;
    private volatile @Nullable LeadershipListener alwaysLeading;

    /**
     * Sends nothing before {@link #start}.
     *
     * @param config what to compete for, and how
     * @param leaseClient a client for the Lease alone: without client-side limits, without fence
     * @param clock the time
     * @param timer for retries and the renew deadline
     * @param meters where {@code leader_election_…} go
     */
    public LeaderElector(
            LeaderElectionConfig config, ApiClient leaseClient, Clock clock, Timer timer, MeterRegistry meters) {
        this(config, () -> leaseClient, clock, timer, meters);
    }

    /**
     * As the other one, with a client that is asked for at the first request: for callers who do not know the API server
     * before they start.
     */
    public LeaderElector(
            LeaderElectionConfig config,
            Supplier<ApiClient> leaseClient,
            Clock clock,
            Timer timer,
            MeterRegistry meters) {
        this(config, ApiLeaseLock.of(config, leaseClient, clock, timer), clock, timer, meters);
    }

    /** As the other one, with a Lease kept wherever the lock says. */
    public LeaderElector(LeaderElectionConfig config, LeaseLock lock, Clock clock, Timer timer, MeterRegistry meters) {
        this(
                config,
                lock,
                clock,
                timer,
                meters,
                LeaderElector::thread,
                () -> ThreadLocalRandom.current().nextDouble());
    }

    LeaderElector(
            LeaderElectionConfig config,
            LeaseLock lock,
            Clock clock,
            Timer timer,
            MeterRegistry meters,
            Function<String, Executor> executors,
            DoubleSupplier random) {
        this(config, new ElectionLoop.Parts(lock, clock, timer, executors, random, null), meters);
    }

    LeaderElector(LeaderElectionConfig config, ElectionLoop.Parts parts, MeterRegistry meters) {
        this.config = config;
        this.parts = parts;
        this.metrics = new ElectionMetrics(meters, config.leaseName(), this);
    }

    /** The time limit for one request for the Lease: half the renew deadline, so that a hung one can be repeated. */
    public static Duration callTimeout(LeaderElectionConfig config) {
        return config.renewDeadline().dividedBy(2);
    }

    /** What is competed for, and how. */
    public LeaderElectionConfig config() {
        return config;
    }

    /**
     * Connects, and does other things that the first requests would otherwise have to wait for. To be called while this
     * process cannot compete yet. Blocks for as long as two requests take. Logs a missing permission; any other failure shows
     * once this process competes.
     */
    public void prepare() {
        if (config.enabled()) {
            try {
                parts.lock().prepare();
            } catch (LeaseException e) {
                // What is missing now would be missing when the Lease is to be taken.
                log.atLevel(e.isForbidden() ? Level.WARN : Level.DEBUG)
                        .addKeyValue("lease", config.lease())
                        .log("Not prepared for leading: {}", e.getMessage());
            } catch (RuntimeException e) {
                log.atDebug().addKeyValue("lease", config.lease()).setCause(e).log("Not prepared for leading");
            }
        }
    }

    /**
     * Begins to compete and returns at once. Where leader election is off, this process leads from now on.
     *
     * @throws IllegalStateException if started already
     */
    public synchronized void start(LeadershipListener listener) {
        if (election != null || alwaysLeading != null) {
            throw new IllegalStateException("Leader election for " + config.lease() + " is started already");
        }
        if (!config.enabled()) {
            alwaysLeading = listener;
            listener.onAcquired();
            return;
        }
        ElectionLoop started = new ElectionLoop(config, parts, listener, aside::get, metrics);
        election = started;
        started.start();
    }

    /**
     * Ceases to lead, tells the listener, gives the Lease back (if the configuration says so and this process holds it)
     * and ends all threads. Whatever the Lease guards must have ended before. Waits for the release, at most the renew
     * deadline. Does nothing if not started; may be started again afterwards.
     */
    public synchronized void stop() {
        LeadershipListener told = alwaysLeading;
        if (told != null) {
            alwaysLeading = null;
            told.onLost();
        }
        ElectionLoop running = election;
        if (running == null) {
            return;
        }
        running.stop();
        election = null;
    }

    /** Whether leadership is proven at this moment, by the monotonic clock. */
    public boolean isLeading() {
        ElectionLoop running = election;
        return running == null ? alwaysLeading != null : running.isLeading();
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

    /**
     * Tries for the Lease at once instead of waiting for the next period. To be called when the API server is back, or the
     * Lease has been released.
     */
    public void retryNow() {
        take(ElectionEvent.Signal.RETRY_NOW);
    }

    /**
     * Gives the Lease to the process that has asked for it: ceases to lead, tells the listener, releases the Lease and competes
     * again. Whatever the Lease guards must have ended before. Returns at once. Does nothing if this process does not lead.
     *
     * @return whether this process led and ceases to
     */
    public boolean resign() {
        ElectionLoop running = election;
        return running != null && running.resign();
    }

    /**
     * Keeps the Lease, though {@link LeadershipListener#onAsked} had agreed to give it to another. The other's wish is
     * considered again.
     */
    public void keep() {
        Balance balance = parts.balance();
        if (balance != null) {
            balance.ended(config.leaseName());
        }
    }

    /**
     * Leaves the Lease to others from now on, or competes for it again. While it stands aside, a process keeps the Lease if it
     * holds it, and otherwise neither asks for it nor takes it. May be called before the start; a stop does not change it.
     */
    public void standAside(boolean now) {
        if (aside.getAndSet(now) != now) {
            take(now ? ElectionEvent.Signal.TAKE_BACK : ElectionEvent.Signal.RETRY_NOW);
        }
    }

    boolean standsAside() {
        return aside.get();
    }

    /** Brings an event; nothing comes of it if this elector is not started. */
    void take(ElectionEvent event) {
        ElectionLoop running = election;
        if (running != null) {
            running.take(event);
        }
    }

    /** Who holds the Lease as far as is known; null if nothing is known, or this elector is not started. */
    BalanceSpread.@Nullable Held held() {
        ElectionLoop running = election;
        return running == null ? null : running.state().held(parts.clock().nanoTime());
    }

    /**
     * What the last leader left for this one ({@link LeadershipListener#handOverNotes}) when it gave the Lease back.
     * Nothing if this process does not lead, or has taken a Lease that was not given back.
     */
    public Map<String, String> notesOfLastLeader() {
        ElectionLoop running = election;
        ElectionState.Term term = running == null ? null : running.state().term();
        return term == null ? Map.of() : term.notes();
    }

    /** The Lease to record Events about, with its uid if that is known. */
    public V1Lease reference() {
        ElectionLoop running = election;
        V1Lease known = running == null ? null : running.state().known().lease();
        V1ObjectMeta metadata =
                new V1ObjectMeta().namespace(config.leaseNamespace()).name(config.leaseName());
        if (known != null && known.getMetadata() != null) {
            metadata.setUid(known.getMetadata().getUid());
        }
        return new V1Lease().apiVersion("coordination.k8s.io/v1").kind("Lease").metadata(metadata);
    }

    /** How leadership is, for operators. */
    public LeadershipStatus status() {
        ElectionLoop running = election;
        if (running != null) {
            return running.state().status(parts.clock().nanoTime());
        }
        return new LeadershipStatus(
                config.enabled(), config.lease(), config.identity(), isLeading(), null, null, null, 0, null, null);
    }

    /**
     * Whether the election works as it should: false if its loop has done nothing for the lease duration and the
     * tolerance, or if this process believes to lead on a Lease that it has not renewed for that long. A standby that
     * gets nothing but errors is healthy: a restart would not help. client-go's {@code healthzadaptor.go}.
     */
    public boolean healthy(Duration tolerance) {
        ElectionLoop running = election;
        return running == null
                || running.state().healthy(tolerance, parts.clock().nanoTime());
    }

    static Executor thread(String name) {
        ThreadPoolExecutor one =
                new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, name);
                    thread.setDaemon(true);
                    return thread;
                });
        // It is there when the first notice is to be given, which is that of leadership.
        one.prestartCoreThread();
        return one;
    }

    /** Ends an executor's thread if it has one. */
    static void end(Executor executor) {
        if (executor instanceof ExecutorService service) {
            service.shutdown();
        }
    }
}
