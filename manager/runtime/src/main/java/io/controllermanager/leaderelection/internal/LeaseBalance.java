package io.controllermanager.leaderelection.internal;

import io.controllermanager.time.internal.Timer;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Competes for one Lease for each controller, so that processes share the controllers. Each Lease keeps what {@link
 * LeaderElector} promises. In addition, the Leases spread evenly over the processes: who holds more takes a free Lease later,
 * and who holds at least two fewer than another asks for one of that one's Leases. The holder then ends that Lease's work in
 * its own time ({@link LeadershipListener#onAsked}). {@code docs/election.md} has the rules.
 *
 * <p>Threads are those of the electors, with the controller's name added. Those that watch the Leases all have one name. All
 * methods may be called by any thread.
 */
public final class LeaseBalance {

    /** How often a process looks whether it should ask for a Lease: every ten seconds. */
    public static final Duration PERIOD = Duration.ofSeconds(10);

    /** The part of that time that chance adds at most. */
    private static final double JITTER = 0.2;

    /** How long after a Lease that it has asked for a process looks again: some time for others to see who has it. */
    private static final Duration SOON = Duration.ofMillis(50);

    /** How soon a process looks that has just begun, so that it has its share in seconds. */
    private static final Duration FIRST = Duration.ofSeconds(1);

    private static final Duration SOON_JITTER = Duration.ofMillis(200);

    private static final Timer.Cancellable NONE = () -> {};

    private final LeaderElectionConfig config;
    private final Duration period;
    private final ElectionParts parts;
    private final Map<String, LeaderElector> electors = new LinkedHashMap<>();

    /** Who competes for each Lease that spreads, by its name. */
    private final Map<String, LeaderElector> leases = new LinkedHashMap<>();

    private final BooleanSupplier aside;

    /** The names of the Leases that this process has asked for, and not got. */
    private final Set<String> asked = ConcurrentHashMap.newKeySet();

    /** The Lease that the process is about to ask for. */
    private final AtomicReference<@Nullable Choice> chosen = new AtomicReference<>();

    /** The next look for a Lease to ask for; none while this process does not look. */
    private final AtomicReference<Timer.Cancellable> next = new AtomicReference<>(NONE);

    /** The name of the Lease that is being given away. */
    private final AtomicReference<@Nullable String> leaving = new AtomicReference<>();

    /** A Lease that the process prepares for before it asks for it. It is the only one until it is asked for or given up. */
    private final class Choice implements LeadershipListener.Asking {

        private final String lease;

        Choice(String lease) {
            this.lease = lease;
        }

        /** Nothing comes of it if things have changed since. */
        @Override
        public void ask() {
            if (chosen.compareAndSet(this, null) && spread().maySpare(lease)) {
                asked.add(lease);
                byLease(lease).take(step -> step.wish(true));
            }
        }

        @Override
        public void giveUp() {
            chosen.compareAndSet(this, null);
        }

        boolean makesSense() {
            return spread().maySpare(lease) && !byLease(lease).standsAside();
        }
    }

    /**
     * Sends nothing before the electors are started.
     *
     * @param config how to compete; each Lease's name is this one's, a dash and the controller's name
     * @param controllers the controllers' names
     * @param period how often to look for a Lease to ask for, such as {@link #PERIOD}
     */
    public LeaseBalance(
            LeaderElectionConfig config, Collection<String> controllers, Duration period, ElectionParts parts) {
        this(config, controllers, period, parts, () -> false);
    }

    /** As the other, by a process that leaves all Leases to others while it stands aside, but those that it holds. */
    LeaseBalance(
            LeaderElectionConfig config,
            Collection<String> controllers,
            Duration period,
            ElectionParts parts,
            BooleanSupplier aside) {
        this.config = config;
        this.period = period;
        this.parts = parts;
        this.aside = aside;
        for (String controller : controllers) {
            LeaderElectionConfig own = config.withSuffix("-" + controller).withDivided(config.divided());
            LeaderElector elector = LeaderElector.of(own, parts.withThreadsOf(controller), this);
            electors.put(controller, elector);
            leases.put(elector.first().config().leaseName(), elector.first());
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

    /** Begins to look for Leases to ask for, if there are any; electors are started one by one, by whoever has them. */
    public void start() {
        if (!electors.isEmpty()) {
            lookAfter(Objects.requireNonNull(next.get()), FIRST, SOON_JITTER);
        }
    }

    /** Asks for no more Leases, and takes back what it has asked for: soon, and unless that fails. */
    public void stop() {
        next.getAndSet(NONE).cancel();
        chosen.set(null);
        leases.values().forEach(elector -> elector.take(step -> step.wish(false)));
    }

    boolean standsAside() {
        return aside.getAsBoolean();
    }

    /** Plans a look in the place of another, unless that has been replaced already. */
    private void lookAfter(Timer.Cancellable replaced, Duration least, Duration jitter) {
        double chance = parts.random().getAsDouble();
        Duration delay = least.plusNanos((long) (jitter.toNanos() * chance));
        Timer.Cancellable planned = parts.timer().schedule(delay, this::look);
        (next.compareAndSet(replaced, planned) ? replaced : planned).cancel();
    }

    private void look() {
        Timer.Cancellable current = Objects.requireNonNull(next.get());
        if (current == NONE) {
            return;
        }
        if (leases.values().stream().allMatch(elector -> elector.held() == null)) {
            // No elector has read its Lease yet: the controllers are still coming up.
            lookAfter(current, FIRST, SOON_JITTER);
            return;
        }
        lookAfter(current, period, Duration.ofNanos((long) (period.toNanos() * JITTER)));
        Choice before = chosen.get();
        if (before != null && before.makesSense()) {
            return;
        }
        String wish = spread().wish(parts.random(), lease -> !byLease(lease).standsAside());
        Choice choice = wish == null ? null : new Choice(wish);
        if (chosen.compareAndSet(before, choice) && choice != null) {
            byLease(choice.lease).beforeAsking(choice);
        }
    }

    /** This process has taken a Lease. Whoever got what it has asked for may need more. */
    void acquired(String lease) {
        Timer.Cancellable current = Objects.requireNonNull(next.get());
        if (asked.remove(lease) && current != NONE) {
            lookAfter(current, SOON, SOON_JITTER);
        }
    }

    private LeaderElector byLease(String name) {
        return Objects.requireNonNull(leases.get(name));
    }

    private BalanceSpread spread() {
        return new BalanceSpread(
                leases.values().stream()
                        .map(LeaderElector::held)
                        .filter(Objects::nonNull)
                        .toList(),
                config.identity());
    }

    /** What this moment adds to a decision of an elector. */
    ElectionState.Moment now(LeaderElector elector) {
        return new ElectionState.Moment(
                parts.clock().nanoTime(),
                parts.clock().now(),
                parts.random().getAsDouble(),
                !electors.isEmpty(),
                elector.standsAside(),
                elector.config().leaseName().equals(leaving.get()),
                spread());
    }

    /** Whether a Lease may be handed over: one at a time. It is, then, until that has ended. */
    boolean beginHandOver(String lease) {
        return leaving.compareAndSet(null, lease);
    }

    /** This process no longer leads by a Lease, or no longer gives it away. */
    void handOverEnded(String lease) {
        leaving.compareAndSet(lease, null);
    }
}
