package io.controllermanager.leaderelection;

import io.controllermanager.client.ScopedFence;
import io.controllermanager.client.WriteFence.WriteRefusedException;
import io.controllermanager.time.Clock;
import io.controllermanager.time.Timer;
import io.kubernetes.client.openapi.ApiClient;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Competes for one Lease for each controller, so that processes share the controllers. Each Lease keeps what {@link
 * LeaderElector} promises. In addition, the Leases spread evenly over the processes.
 *
 * <p><b>Who takes a free Lease.</b> A process leaves it to others for {@value BalanceStanding#COURTESY_MILLIS} ms for each
 * Lease by which it is ahead of the process that holds fewest, half a second at most. Processes that hold none do not count.
 *
 * <p><b>Who gives one away.</b> Every ten seconds or so, a process that holds at least two fewer than another asks for one of
 * that one's Leases. It writes its identity into the annotation {@code controller-manager.io/preferred-holder}, which takes
 * no right that competing does not take. If the holder finds the same difference, it ends the Lease's work in its own time
 * ({@link LeadershipListener#onAsked}) and releases the Lease. Everybody but the asker leaves that Lease alone for a second;
 * where Leases cannot be watched, until the asker has polled it. A process asks for one Lease at a time, and gives one away at
 * a time. The holder removes a wish that would make nothing more even, and one whose turn has not come within twenty seconds.
 * A process that stops or stands aside takes its own wish back. A wish also goes when the Lease is taken.
 *
 * <p>Threads are those of the electors, with the controller's name added. Those that watch the Leases all have one name. All
 * methods may be called by any thread.
 */
public final class ElectorGroup {

    /** How often a process looks whether it should ask for a Lease unless told otherwise: every ten seconds. */
    public static final Duration PERIOD = Duration.ofSeconds(10);

    /** The part of that time that chance adds at most. */
    private static final double JITTER = 0.2;

    private final LeaderElectionConfig config;
    private final Duration period;
    private final Timer timer;
    private final DoubleSupplier random;
    private final Map<String, LeaderElector> electors = new LinkedHashMap<>();
    private final ScopedFence fence = new ScopedFence(this::checkAny);

    private final Balance balance;

    /** The next look for a Lease to ask for; null while this process does not look. */
    private final AtomicReference<Timer.@Nullable Cancellable> next = new AtomicReference<>();

    /**
     * Sends nothing before the electors are started.
     *
     * @param config how to compete; each Lease's name is this one's, a dash and the controller's name
     * @param controllers the controllers' names
     * @param leaseClient asked, at the first request for a Lease, for a client for Leases alone, which they share: without
     *     client-side limits, without fence
     * @param clock the time
     * @param timer for retries, renew deadlines and wishes
     * @param meters where {@code leader_election_…} go, by the Leases' names
     */
    public ElectorGroup(
            LeaderElectionConfig config,
            Collection<String> controllers,
            Supplier<ApiClient> leaseClient,
            Clock clock,
            Timer timer,
            MeterRegistry meters) {
        this(
                config,
                controllers,
                lease -> ApiLeaseLock.of(lease, leaseClient, clock, timer),
                PERIOD,
                clock,
                timer,
                meters);
    }

    /**
     * As the other one, with Leases kept wherever the locks say.
     *
     * @param period how often this process looks whether it should ask for a Lease
     */
    public ElectorGroup(
            LeaderElectionConfig config,
            Collection<String> controllers,
            Function<LeaderElectionConfig, LeaseLock> locks,
            Duration period,
            Clock clock,
            Timer timer,
            MeterRegistry meters) {
        this(
                config,
                controllers,
                locks,
                period,
                clock,
                timer,
                meters,
                LeaderElector::thread,
                () -> ThreadLocalRandom.current().nextDouble());
    }

    ElectorGroup(
            LeaderElectionConfig config,
            Collection<String> controllers,
            Function<LeaderElectionConfig, LeaseLock> locks,
            Duration period,
            Clock clock,
            Timer timer,
            MeterRegistry meters,
            Function<String, Executor> executors,
            DoubleSupplier random) {
        this.config = config;
        this.period = period;
        this.timer = timer;
        this.random = random;
        this.balance = new Balance(config.identity(), period, this::held);
        for (String controller : controllers) {
            LeaderElectionConfig own = config.withLeaseName(config.leaseName() + "-" + controller);
            electors.put(
                    controller,
                    new LeaderElector(
                            own,
                            new ElectionLoop.Parts(
                                    locks.apply(own),
                                    clock,
                                    timer,
                                    thread -> executors.apply(thread + "-" + controller),
                                    random,
                                    balance),
                            meters));
        }
    }

    /**
     * Who competes for a controller's Lease.
     *
     * @throws IllegalArgumentException if there is no such controller
     */
    public LeaderElector elector(String controller) {
        LeaderElector elector = electors.get(controller);
        if (elector == null) {
            throw new IllegalArgumentException("there is no Lease for a controller \"" + controller + "\"");
        }
        return elector;
    }

    /** Who competes, by the controllers' names. */
    public Map<String, LeaderElector> electors() {
        return Map.copyOf(electors);
    }

    /** What all of the Leases have in common; the name is what theirs begin with. */
    public LeaderElectionConfig config() {
        return config;
    }

    /** Begins to look for Leases to ask for; electors are started one by one, by whoever has them. */
    public void start() {
        lookLater(next.get());
    }

    /** Asks for no more Leases, and takes back what it has asked for: soon, and unless that fails. */
    public void stop() {
        cancel(next.getAndSet(null));
        electors.values().forEach(elector -> elector.take(ElectionEvent.Signal.TAKE_BACK));
    }

    /**
     * For a client that all controllers share: within a controller's scope that one's Lease decides, else this process must
     * hold some Lease.
     */
    public ScopedFence fence() {
        return fence;
    }

    private void checkAny() throws WriteRefusedException {
        if (config.enabled() && electors.values().stream().noneMatch(LeaderElector::isLeading)) {
            throw new WriteRefusedException(
                    "this process (" + config.identity() + ") holds none of the Leases " + config.lease() + "-…");
        }
    }

    /** Plans a look in the place of another, unless that has been replaced already. */
    private void lookLater(Timer.@Nullable Cancellable replaced) {
        Duration jitter = Duration.ofNanos((long) (period.toNanos() * JITTER * random.getAsDouble()));
        Timer.Cancellable planned = timer.schedule(period.plus(jitter), this::look);
        cancel(next.compareAndSet(replaced, planned) ? replaced : planned);
    }

    private static void cancel(Timer.@Nullable Cancellable look) {
        if (look != null) {
            look.cancel();
        }
    }

    private void look() {
        Timer.Cancellable current = next.get();
        if (current == null) {
            return;
        }
        lookLater(current);
        String wish = balance.wish(
                random,
                lease -> electors.values().stream()
                        .noneMatch(elector -> elector.config().leaseName().equals(lease) && elector.standsAside()));
        electors.values().stream()
                .filter(elector -> elector.config().leaseName().equals(wish))
                .forEach(elector -> elector.take(ElectionEvent.Signal.ASK));
    }

    private List<BalanceSpread.Held> held() {
        return electors.values().stream()
                .map(LeaderElector::held)
                .filter(Objects::nonNull)
                .toList();
    }
}
