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
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Competes for one Lease for each controller, so that processes share the controllers among them. For each Lease all holds
 * that {@link LeaderElector} promises; on top of it, the Leases spread evenly over the processes.
 *
 * <p><b>Who takes a free Lease.</b> A process leaves it to others for {@value #COURTESY_MILLIS} ms for each Lease by which it
 * is ahead of the one that holds fewest, of those that hold any, half a second at most.
 *
 * <p><b>Who gives one away.</b> Every ten seconds or so a process that holds at least two fewer than another asks for one of
 * that one's Leases: it writes its identity into the annotation {@code controller-manager.io/preferred-holder}, which takes
 * no other right than competing does. The holder, if it finds the same difference, ends the Lease's work in its own time
 * ({@link LeadershipListener#onAsked}) and releases it; everybody but the one who asked leaves it alone for a second,
 * or, where the Leases cannot be watched, until that one will have polled it. A process asks for one Lease at a time, and
 * gives one away at a time. A wish that is no use any more, or whose turn has not come within two such times, is removed by
 * the holder, or goes when the Lease is taken; a process that is stopped or stands aside takes its own back.
 *
 * <p>Threads are those of the electors, with the controller's name added; those that watch the Leases all have one name. All methods may be called by any thread.
 */
public final class ElectorGroup {

    private static final Logger log = LoggerFactory.getLogger(ElectorGroup.class);

    /** How long a free Lease is left to others for each one by which a process is ahead. */
    static final int COURTESY_MILLIS = 50;

    private static final int LONGEST_COURTESY_MILLIS = 500;

    /** How often a process looks whether it should ask for a Lease unless told otherwise: every ten seconds. */
    public static final Duration PERIOD = Duration.ofSeconds(10);

    /**
     * For how many of these a wish stands whose turn does not come: whoever still has it after that asks again, and nobody
     * ends work for one that is gone.
     */
    private static final int WISH_PERIODS = 2;

    /** The part of that time that chance adds at most. */
    private static final double JITTER = 0.2;

    private final LeaderElectionConfig config;
    private final Duration period;
    private final Timer timer;
    private final DoubleSupplier random;
    private final Map<String, LeaderElector> electors = new LinkedHashMap<>();
    private final ScopedFence fence = new ScopedFence(this::checkAny);

    /** The name of the Lease that is being given away. */
    private final AtomicReference<@Nullable String> leaving = new AtomicReference<>();

    // Guarded by this object's monitor.
    private boolean started;
    private Timer.@Nullable Cancellable next;

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
        Companions companions = new Others();
        for (String controller : controllers) {
            LeaderElectionConfig own = config.withLeaseName(config.leaseName() + "-" + controller);
            electors.put(
                    controller,
                    new LeaderElector(
                            own,
                            locks.apply(own),
                            clock,
                            timer,
                            meters,
                            thread -> executors.apply(thread + "-" + controller),
                            random,
                            companions));
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
    public synchronized void start() {
        started = true;
        lookLater();
    }

    /** Asks for no more Leases, and takes back what it has asked for: soon, and unless that fails. */
    public void stop() {
        synchronized (this) {
            started = false;
            if (next != null) {
                next.cancel();
            }
        }
        electors.values().forEach(LeaderElector::takeBack);
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

    /** Called under the monitor. */
    private void lookLater() {
        Duration jitter = Duration.ofNanos((long) (period.toNanos() * JITTER * random.getAsDouble()));
        next = timer.schedule(period.plus(jitter), this::look);
    }

    private void look() {
        synchronized (this) {
            if (!started) {
                return;
            }
            lookLater();
        }
        String wish = spread().wish(random, this::mayHave);
        electors.values().stream()
                .filter(elector -> elector.config().leaseName().equals(wish))
                .forEach(LeaderElector::ask);
    }

    private boolean mayHave(String lease) {
        return electors.values().stream()
                .noneMatch(elector -> elector.config().leaseName().equals(lease) && elector.standsAside());
    }

    private Spread spread() {
        List<Spread.Held> leases = electors.values().stream()
                .map(LeaderElector::held)
                .filter(Objects::nonNull)
                .toList();
        return new Spread(leases, config.identity());
    }

    private boolean leads(String lease) {
        return electors.values().stream()
                .anyMatch(elector -> elector.config().leaseName().equals(lease) && elector.isLeading());
    }

    /** What each of the electors is told of the others. */
    private final class Others implements Companions {

        @Override
        public Duration courtesy(@Nullable String preferredHolder, Duration reserved) {
            if (config.identity().equals(preferredHolder)) {
                return Duration.ZERO;
            }
            int ahead = Math.min(spread().lead() * COURTESY_MILLIS, LONGEST_COURTESY_MILLIS);
            return Duration.ofMillis(ahead).plus(preferredHolder == null ? Duration.ZERO : reserved);
        }

        @Override
        public boolean considers(String lease, String asker, Duration age, BooleanSupplier handOver) {
            if (lease.equals(leaving.get())) {
                return true;
            }
            if (age.compareTo(period.multipliedBy(WISH_PERIODS)) > 0 || !spread().grants(asker)) {
                return false;
            }
            if (!leaving.compareAndSet(null, lease)) {
                return true;
            }
            if (!handOver.getAsBoolean()) {
                ended(lease);
                return false;
            }
            if (!leads(lease)) {
                // It was lost before it was noted above as one that is given away, so that nobody will say that it has
                // ended.
                ended(lease);
                return true;
            }
            log.atInfo()
                    .addKeyValue("lease", config.leaseNamespace() + "/" + lease)
                    .addKeyValue("to", asker)
                    .log(
                            "Lease {}/{}: is handed over to {}, which has less to do",
                            config.leaseNamespace(),
                            lease,
                            asker);
            return true;
        }

        @Override
        public void ended(String lease) {
            leaving.compareAndSet(lease, null);
        }
    }
}
