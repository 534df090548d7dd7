package io.controllermanager.leaderelection.internal;

import io.controllermanager.leaderelection.internal.ElectionState.Moment;
import io.controllermanager.leaderelection.internal.ElectionState.Phase;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ObjectMetaBuilder;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Processes that compete for one Lease, in one thread: each is an {@link ElectionState} with a clock of its own. Requests,
 * answers and what watches tell are lost, late, twice and out of order; processes are paused, cut off, stopped, killed and
 * started; the Lease is edited and deleted; etcd is restored. All within what the guarantee allows.
 *
 * <p>Two things are checked at the true time, which no process knows: never do two lead, and who has been told to lead has
 * been told of the loss before another is told to lead.
 */
final class ElectionWorld {

    private static final LeaderElectionConfig CONFIG = ElectionConfigs.of("ns", "lease");
    private static final long STEP = 1_000_000;
    private static final double SLOWEST = 0.83;
    private static final double FASTEST = 1.19;

    private record Entry(long at, long number, Runnable action) {}

    private record Answer(String kind, ElectionStep.Event event) {}

    private final Random random;
    private final ElectionMutant mutant;
    private final PriorityQueue<Entry> entries =
            new PriorityQueue<>(Comparator.comparingLong(Entry::at).thenComparingLong(Entry::number));
    private final List<Process> processes = new ArrayList<>();
    private long now;
    private long numbers;

    // etcd
    private @Nullable V1Lease stored;
    private long version;
    private @Nullable V1Lease backup;
    private int restores;
    private long quietUntil;
    private long noPatchUntil;
    private int createsUnderWay;

    /** What was found wrong, null if nothing was. */
    @Nullable
    String violation;

    /** Kinds of things that have happened. */
    final Set<String> happened = new TreeSet<>();

    long transitions;
    int acquisitions;

    /** From which transition on the history is written. */
    long historyFrom = Long.MAX_VALUE;

    final List<String> history = new ArrayList<>();

    ElectionWorld(long seed, int count, ElectionMutant mutant) {
        this.random = new Random(seed);
        this.mutant = mutant;
        for (int i = 0; i < count; i++) {
            Process process = new Process("p" + i);
            processes.add(process);
            process.start();
        }
        after(1, this::disturb);
    }

    /** Lets so many transitions happen; ends at the first violation. */
    void run(long count) {
        while (transitions < count && violation == null) {
            Entry next = Objects.requireNonNull(entries.poll());
            now = next.at();
            next.action().run();
        }
    }

    private void note(Supplier<String> what) {
        if (transitions >= historyFrom) {
            history.add(String.format("%d %.3f %s", transitions, now / 1e9, what.get()));
        }
    }

    private void after(double seconds, Runnable action) {
        entries.add(new Entry(now + (long) (seconds * 1e9), numbers++, action));
    }

    private boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    /** One of the things that happen to processes and the Lease, and then the next. */
    private void disturb() {
        after(random.nextDouble() * 3, this::disturb);
        Process one = processes.get(random.nextInt(processes.size()));
        switch (random.nextInt(24)) {
            case 0, 1 -> one.cutUntil = now + (long) (random.nextDouble() * 25e9);
            case 2, 3 -> one.pause(random.nextDouble() * 30);
            case 4 -> one.slowUntil = now + (long) (random.nextDouble() * 25e9);
            case 5 -> one.kill();
            case 6 -> one.event("STOP", ElectionStep::stop);
            case 7 -> one.event("RESIGN", ElectionStep::resign);
            case 8 -> one.event("RETRY_NOW", ElectionStep::retryNow);
            case 9 -> one.event("ASK", step -> step.wish(true));
            case 10 -> one.aside = !one.aside;
            case 11 -> {
                String why = chance(0.5) ? "cut" : null;
                one.event("WatchInterrupted", step -> step.watchInterrupted(why));
            }
            case 12 -> label();
            case 13 -> delete();
            case 14, 15 -> backup = stored;
            case 16 -> restore();
            case 17 -> patch(chance(0.5) ? 1 : 60);
            default -> one.cutUntil = now;
        }
    }

    // The Lease as etcd has it

    /** A label is set by hand: the version changes, what the Lease says does not. */
    private void label() {
        if (stored != null && now > quietUntil) {
            happened.add("labelled");
            note(() -> "labelled");
            store(stored);
        }
    }

    /** Only where every process that competes has seen the holder lead: anything else is outside of the guarantee. */
    private void delete() {
        V1Lease lease = stored;
        if (lease != null
                && createsUnderWay == 0
                && processes.stream().allMatch(process -> process.knowsHolder(lease))) {
            happened.add("deleted");
            note(() -> "deleted");
            V1Lease last = withVersion(lease, version += STEP);
            stored = null;
            processes.forEach(process -> process.watched("Deleted", step -> step.deleted(last)));
        }
    }

    /** A duration is set by hand, which is no renewal; so seldom that each process sees some of the holder's own. */
    private void patch(int seconds) {
        V1Lease lease = stored;
        if (lease != null && !Leases.holder(lease).isEmpty() && now > Math.max(noPatchUntil, quietUntil)) {
            noPatchUntil = now + Duration.ofMinutes(5).toNanos();
            happened.add("patched");
            note(() -> "patched " + seconds);
            V1LeaseSpec spec = Objects.requireNonNull(lease.getSpec());
            store(new V1Lease()
                    .metadata(lease.getMetadata())
                    .spec(new V1LeaseSpec()
                            .holderIdentity(spec.getHolderIdentity())
                            .leaseDurationSeconds(seconds)
                            .acquireTime(spec.getAcquireTime())
                            .renewTime(spec.getRenewTime())
                            .leaseTransitions(spec.getLeaseTransitions())));
        }
    }

    /**
     * To a state of the same holder's same term, that nobody else has seen last; or to any that each process can see to be
     * older than what it knows. Anything else is outside of the guarantee.
     */
    private void restore() {
        V1Lease old = backup;
        if (old == null || stored == null) {
            return;
        }
        boolean ofTerm = sameTerm(old, stored) && processes.stream().noneMatch(process -> process.waitsOut(old));
        if (ofTerm || processes.stream().allMatch(process -> process.knowsNewer(old))) {
            happened.add(sameTerm(old, stored) ? "restored" : "restored to another term");
            note(() -> "restored " + ElectionScript.show(old));
            // Who starts meanwhile knows nothing of whoever leads by what was before, and an edit hides that versions
            // go back.
            quietUntil = now + Duration.ofSeconds(20).toNanos();
            restores++;
            createsUnderWay = 0;
            stored = old;
            // Versions go back, but none is given twice.
            version = version(old) / STEP * STEP + restores;
        }
    }

    private static boolean sameTerm(V1Lease one, V1Lease other) {
        V1LeaseSpec a = Objects.requireNonNull(one.getSpec());
        V1LeaseSpec b = Objects.requireNonNull(other.getSpec());
        return Objects.equals(a.getHolderIdentity(), b.getHolderIdentity())
                && Objects.equals(a.getLeaseTransitions(), b.getLeaseTransitions())
                && Objects.equals(a.getAcquireTime(), b.getAcquireTime())
                && !Leases.holder(one).isEmpty();
    }

    private V1Lease store(V1Lease lease) {
        V1Lease written = withVersion(lease, version += STEP);
        stored = written;
        note(() -> "stored " + ElectionScript.show(written));
        processes.forEach(process -> process.watched("Seen", step -> step.seen(written)));
        return written;
    }

    private static V1Lease withVersion(V1Lease lease, long version) {
        V1ObjectMeta metadata = lease.getMetadata();
        return new V1Lease()
                .metadata((metadata == null ? new V1ObjectMetaBuilder() : new V1ObjectMetaBuilder(metadata))
                        .withResourceVersion(String.valueOf(version))
                        .build())
                .spec(lease.getSpec());
    }

    private Answer answer(ElectionTask.Request request, long sentAt) {
        V1Lease lease = request.lease();
        V1Lease current = stored;
        if (lease == null) {
            return new Answer("Read", step -> mutant.read(step, request, current));
        }
        boolean create = isCreate(request);
        boolean fits = create ? current == null : current != null && sameVersion(lease, current);
        if (!fits) {
            return new Answer("Refused", step -> request.task().refused(step, request));
        }
        V1Lease written = store(lease);
        return new Answer("Stored", step -> mutant.stored(step, request, written, sentAt));
    }

    private static boolean isCreate(ElectionTask.Request request) {
        V1Lease lease = request.lease();
        return lease != null && Leases.isUnstored(lease);
    }

    private static boolean sameVersion(V1Lease one, V1Lease other) {
        return version(one) == version(other);
    }

    private static long version(V1Lease lease) {
        return Long.parseLong(Objects.requireNonNull(lease.getMetadata()).getResourceVersion());
    }

    /** One process, through its starts and stops. */
    private final class Process {

        private final String name;
        private final double rate = SLOWEST + random.nextDouble() * (FASTEST - SLOWEST);
        private final long origin = random.nextLong();
        private final Deque<ElectionTask> tasks = new ArrayDeque<>();

        /** What happens to it while it is paused. */
        private final List<Runnable> backlog = new ArrayList<>();

        private @Nullable ElectionState state;
        private String identity = "";
        private int starts;
        private boolean working;
        private boolean aside;
        private boolean leaving;
        private long cutUntil;
        private long slowUntil;
        private long pausedUntil;
        private long noticesUntil;
        private @Nullable Long alarmAt;

        /** Whether its listener was told last that it leads. */
        private boolean toldToLead;

        Process(String name) {
            this.name = name;
        }

        /** As a new process, or as the same one that is started again. */
        private void start() {
            // Whoever starts has never seen the holder of a Lease that is missing.
            boolean unknown = stored == null && processes.stream().anyMatch(process -> process.state != null);
            if (unknown || state != null || now < quietUntil) {
                after(1, this::start);
                return;
            }
            starts++;
            if (identity.isEmpty() || chance(0.5)) {
                identity = name + "-" + starts;
            }
            state = new ElectionState(ElectionConfigs.withIdentity(CONFIG, identity));
            tasks.clear();
            working = false;
            leaving = false;
            alarmAt = null;
            work(new ElectionTask.Attempt());
        }

        private long nanos() {
            return origin + (long) (now * rate);
        }

        private boolean isLeading() {
            return state != null && state.isLeading(nanos());
        }

        /** Whether it is another's Lease that this process has seen last, and saw like this. */
        private boolean waitsOut(V1Lease lease) {
            V1Lease known = state == null ? null : state.known.lease();
            return known != null
                    && !Leases.holder(lease).equals(identity)
                    && Objects.equals(known.getSpec(), lease.getSpec());
        }

        private boolean knowsNewer(V1Lease lease) {
            V1Lease known = state == null ? null : state.known.lease();
            return state == null || (known != null && version(known) > version(lease));
        }

        private boolean knowsHolder(V1Lease lease) {
            V1Lease known = state == null ? null : state.known.present();
            return state == null || Leases.holder(lease).isEmpty() || (known != null && sameTerm(known, lease));
        }

        /** Local seconds, as true ones. */
        private double trueSeconds(long localNanos) {
            return Math.max(0, localNanos / rate / 1e9);
        }

        /** Mostly short, now and then long. */
        private double delay() {
            return now < slowUntil || chance(0.03) ? random.nextDouble() * 8 : random.nextDouble() * 0.1;
        }

        void pause(double seconds) {
            if (now >= pausedUntil) {
                happened.add("paused");
                pausedUntil = now + (long) (seconds * 1e9);
                after(seconds, () -> {
                    List<Runnable> missed = List.copyOf(backlog);
                    backlog.clear();
                    missed.forEach(Runnable::run);
                });
            }
        }

        void kill() {
            if (state != null) {
                happened.add("killed");
                state = null;
                identity = "";
                toldToLead = false;
                starts++;
                after(random.nextDouble() * 20, this::start);
            }
        }

        /** Does something once this process runs, if it has not been started anew until then. */
        private void soon(double seconds, Runnable action) {
            int start = starts;
            Runnable[] task = new Runnable[1];
            task[0] = () -> {
                if (starts != start || state == null) {
                    return;
                }
                if (now < pausedUntil) {
                    backlog.add(task[0]);
                } else {
                    action.run();
                }
            };
            after(seconds, task[0]);
        }

        void event(String kind, ElectionStep.Event event) {
            boolean twice = kind.equals("STOP") && state != null && state.phase == Phase.STOPPING;
            if (!twice) {
                soon(0, () -> take(kind, event));
            }
        }

        /** The watch tells of a change: mostly soon, now and then late, twice or never. */
        void watched(String kind, ElectionStep.Event event) {
            if (now < cutUntil || state == null || chance(0.05)) {
                return;
            }
            soon(delay(), () -> take(kind, event));
            if (chance(0.05)) {
                happened.add("told twice");
                soon(delay(), () -> take(kind, event));
            }
        }

        private void take(String kind, ElectionStep.Event event) {
            ElectionState before = state;
            if (before == null) {
                return;
            }
            transitions++;
            happened.add(kind);
            Moment moment = new Moment(
                    nanos(),
                    VirtualTime.START.plusNanos(now),
                    random.nextDouble(),
                    true,
                    aside,
                    leaving,
                    new BalanceSpread(leases(random.nextInt(4)), identity));
            ElectionStep after = mutant.next(before, event, moment);
            state = after;
            note(() -> identity + " " + kind + " -> " + ElectionScript.show(after) + ", knows "
                    + (after.known.lease() == null ? "nothing" : ElectionScript.show(after.known.lease())));
            checkLeaders();
            if (!Objects.equals(after.changesAt(), alarmAt)) {
                alarmAt = after.changesAt();
                alarm(alarmAt);
            }
            after.commands.forEach(this::execute);
            if (after.request != null) {
                working = true;
                send(after.request);
            }
        }

        private void alarm(@Nullable Long at) {
            if (at != null) {
                soon(trueSeconds(at - nanos()) + 1e-6, () -> take("TIME_PASSED", ElectionStep::timePassed));
            }
        }

        private void checkLeaders() {
            if (isLeading()) {
                for (Process other : processes) {
                    if (other != this && other.isLeading()) {
                        violation = identity + " and " + other.identity + " lead after " + transitions;
                    }
                }
            }
        }

        private void execute(ElectionCommand command) {
            happened.add(
                    command instanceof ElectionCommand.Simple simple
                            ? simple.name()
                            : command.getClass().getSimpleName());
            if (command instanceof ElectionCommand.Work work) {
                work(work.task());
            } else if (command == ElectionCommand.Simple.TELL_ACQUIRED) {
                notice(this::acquired);
            } else if (command == ElectionCommand.Simple.TELL_LOST) {
                leaving = false;
                notice(() -> toldToLead = false);
            } else if (command instanceof ElectionCommand.Release release) {
                Runnable task =
                        () -> work(new ElectionTask.Release(release.stop(), chance(0.9), Map.of("n", "1"), null));
                if (mutant == ElectionMutant.RELEASED_BEFORE_THE_LOSS_WAS_TOLD) {
                    task.run();
                } else {
                    notice(task);
                }
            } else if (command instanceof ElectionCommand.HandOver wish) {
                leaving = true;
                if (chance(0.5)) {
                    soon(random.nextDouble() * 5, () -> take("RESIGN", ElectionStep::resign));
                } else {
                    notice(() -> {
                        leaving = false;
                        take("REFUSE", step -> step.refuse(wish.asker()));
                    });
                }
            } else if (command == ElectionCommand.Simple.END) {
                state = null;
                starts++;
                after(random.nextDouble() * 10, this::start);
            }
        }

        /** Another process has one Lease, this one so many. */
        private List<BalanceSpread.Held> leases(int own) {
            return Stream.concat(Stream.of("another"), Collections.nCopies(own, identity).stream())
                    .map(holder -> new BalanceSpread.Held("any", holder, null))
                    .toList();
        }

        private void acquired() {
            toldToLead = true;
            acquisitions++;
            if (pausedLately()) {
                // Its loss is told next.
                return;
            }
            for (Process other : processes) {
                if (other != this && other.toldToLead && !other.pausedLately()) {
                    violation = identity + " is told to lead before " + other.identity + " is told of its loss";
                }
            }
        }

        /** What it is told may still be of before the pause. */
        private boolean pausedLately() {
            return now - pausedUntil < Duration.ofSeconds(1).toNanos();
        }

        /** Notices are given one after the other. */
        private void notice(Runnable notice) {
            noticesUntil = Math.max(now, noticesUntil) + (long) (random.nextDouble() * 0.1e9);
            soon((noticesUntil - now) / 1e9, notice);
        }

        // The request thread

        private void work(ElectionTask task) {
            tasks.add(task);
            soon(0, this::workOn);
        }

        private void workOn() {
            while (!working && !tasks.isEmpty()) {
                ElectionTask task = tasks.remove();
                take("Turn", task::turn);
            }
        }

        private void send(ElectionTask.Request request) {
            long sentAt = nanos();
            int start = starts;
            int restoresBefore = restores;
            boolean[] answered = {false};
            boolean create = isCreate(request);
            createsUnderWay += create ? 1 : 0;
            if (now >= cutUntil && !chance(0.03)) {
                // It may come to the API server after this process has given it up, and after it was killed.
                after(delay(), () -> {
                    if (restores != restoresBefore) {
                        return;
                    }
                    createsUnderWay -= create ? 1 : 0;
                    Answer answer = answer(request, sentAt);
                    if (start == starts && now >= cutUntil && !chance(0.03)) {
                        soon(delay(), () -> answered(answer, answered));
                    } else {
                        happened.add("answer lost");
                    }
                });
            } else {
                createsUnderWay -= create ? 1 : 0;
            }
            // A few requests have no time limit that is worth the name.
            long limit = Duration.ofSeconds(chance(0.95) ? 5 : 30).toNanos();
            soon(
                    trueSeconds(limit),
                    () -> answered(
                            new Answer("Failed", step -> request.task().failed(step, request, "timeout", null)),
                            answered));
        }

        private void answered(Answer answer, boolean[] already) {
            if (!already[0]) {
                already[0] = true;
                working = false;
                take(answer.kind(), answer.event());
                workOn();
            }
        }
    }
}
