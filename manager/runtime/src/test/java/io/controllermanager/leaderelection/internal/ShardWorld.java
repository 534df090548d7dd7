package io.controllermanager.leaderelection.internal;

import io.controllermanager.leaderelection.internal.ElectionState.Moment;
import io.controllermanager.leaderelection.internal.ElectionState.Phase;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.models.V1Lease;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Replicas that share the Leases of many shards, in one thread: each has an {@link ElectionState} for each Lease and a clock
 * of its own, and asks for Leases and grants them as {@link LeaseBalance} does. As in {@link ElectionWorld}, requests, answers
 * and what watches tell are lost, late, twice and out of order, while there is disorder; replicas are suspended, cut off,
 * stopped, killed and started, and Leases are deleted. After each event it is checked that no two replicas can prove to hold
 * its shard.
 */
final class ShardWorld {

    private static final double SLOWEST = 0.83;
    private static final double FASTEST = 1.19;

    private record Entry(long at, long number, Runnable action) {}

    private final Random random;
    private final ElectionMutant mutant;
    private final PriorityQueue<Entry> entries =
            new PriorityQueue<>(Comparator.comparingLong(Entry::at).thenComparingLong(Entry::number));
    private final List<Replica> replicas = new ArrayList<>();
    private final @Nullable V1Lease[] stored;
    private final int[] createsUnderWay;
    private long version;
    private long now;
    private long numbers;
    private boolean disorder;

    /** How many events replicas have had. */
    long events;

    /** What was found wrong, null if nothing was. */
    @Nullable
    String violation;

    /** Kinds of things that have happened. */
    final Set<String> happened = new TreeSet<>();

    int moves;

    ShardWorld(long seed, int count, int shards, ElectionMutant mutant) {
        this.random = new Random(seed);
        this.mutant = mutant;
        this.stored = new V1Lease[shards];
        this.createsUnderWay = new int[shards];
        for (int i = 0; i < count; i++) {
            Replica replica = new Replica("r" + i);
            replicas.add(replica);
            replica.start();
        }
        after(1, this::disturb);
    }

    /** Lets time pass; ends at the first violation. */
    void run(double seconds, boolean withDisorder) {
        disorder = withDisorder;
        long end = now + (long) (seconds * 1e9);
        while (violation == null && Objects.requireNonNull(entries.peek()).at() <= end) {
            Entry next = entries.remove();
            now = next.at();
            next.action().run();
        }
        now = end;
    }

    /** How many shards each replica holds provably, as it says itself. */
    List<Integer> shares() {
        return replicas.stream().map(Replica::leads).toList();
    }

    private void after(double seconds, Runnable action) {
        entries.add(new Entry(now + (long) (seconds * 1e9), numbers++, action));
    }

    private boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    private void disturb() {
        after(random.nextDouble() * 6, this::disturb);
        if (!disorder) {
            return;
        }
        Replica one = replicas.get(random.nextInt(replicas.size()));
        switch (random.nextInt(10)) {
            case 0 -> one.cutUntil = now + (long) (random.nextDouble() * 25e9);
            case 1 -> one.suspend(random.nextDouble() * 30);
            case 2 -> one.slowUntil = now + (long) (random.nextDouble() * 25e9);
            case 3 -> one.kill();
            case 4 -> one.stop();
            case 5 -> delete(random.nextInt(stored.length));
            default -> one.cutUntil = now;
        }
    }

    // The Leases as etcd has them

    /** Only where every replica has seen the holder: anything else is outside of the guarantee. */
    private void delete(int shard) {
        V1Lease lease = stored[shard];
        if (lease != null
                && createsUnderWay[shard] == 0
                && replicas.stream().allMatch(replica -> replica.knowsHolder(shard, lease))) {
            happened.add("deleted");
            V1Lease last = versioned(lease);
            stored[shard] = null;
            replicas.forEach(replica -> replica.watched(shard, step -> step.deleted(last)));
        }
    }

    private V1Lease store(int shard, V1Lease lease) {
        V1Lease written = versioned(lease);
        stored[shard] = written;
        replicas.forEach(replica -> replica.watched(shard, step -> step.seen(written)));
        return written;
    }

    private V1Lease versioned(V1Lease lease) {
        V1Lease copy = Leases.preferring(lease, Leases.preferredHolder(lease));
        Objects.requireNonNull(copy.getMetadata()).setResourceVersion(String.valueOf(++version));
        return copy;
    }

    private static String version(V1Lease lease) {
        return String.valueOf(Objects.requireNonNull(lease.getMetadata()).getResourceVersion());
    }

    private ElectionStep.Event answer(int shard, ElectionTask.Request request, long sentAt) {
        V1Lease lease = request.lease();
        V1Lease current = stored[shard];
        if (lease == null) {
            return step -> mutant.read(step, request, current);
        }
        boolean fits = Leases.isUnstored(lease)
                ? current == null
                : current != null && version(lease).equals(version(current));
        if (!fits) {
            return step -> request.task().refused(step, request);
        }
        V1Lease written = store(shard, lease);
        return step -> mutant.stored(step, request, written, sentAt);
    }

    /** One process, through its starts and stops. */
    private final class Replica {

        private final String name;
        private final double rate = SLOWEST + random.nextDouble() * (FASTEST - SLOWEST);
        private final long origin = random.nextLong();
        private final Elector[] electors = new Elector[stored.length];
        private final List<Runnable> backlog = new ArrayList<>();
        private final Set<String> asked = new TreeSet<>();
        private String identity = "";
        private int starts;
        private boolean up;
        private boolean stopping;
        private @Nullable String leaving;
        private long cutUntil;
        private long slowUntil;
        private long suspendedUntil;
        private int looks;

        Replica(String name) {
            this.name = name;
        }

        private void start() {
            // Whoever starts has never seen the holder of a Lease that is missing.
            boolean unknown = IntStream.range(0, stored.length).anyMatch(this::isMissing);
            if (replicas.size() > 1 && unknown) {
                after(1, this::start);
                return;
            }
            starts++;
            identity = name + "-" + starts;
            up = true;
            stopping = false;
            leaving = null;
            asked.clear();
            for (int shard = 0; shard < electors.length; shard++) {
                electors[shard] = new Elector(shard);
            }
            Arrays.asList(electors).forEach(elector -> elector.work(new ElectionTask.Attempt()));
            look(10 + random.nextDouble() * 2);
        }

        /** In quiet times it is enough that nobody leads or is about to: with all of them down, one has to be the first. */
        private boolean isMissing(int shard) {
            boolean led = replicas.stream().anyMatch(other -> other.up && other.electors[shard].isLeading());
            return stored[shard] == null && (disorder || led || createsUnderWay[shard] > 0);
        }

        long nanos() {
            return origin + (long) (now * rate);
        }

        int leads() {
            return up ? (int) Arrays.stream(electors).filter(Elector::isLeading).count() : 0;
        }

        boolean knowsHolder(int shard, V1Lease lease) {
            V1Lease known = up ? electors[shard].state.known.present() : null;
            return !up
                    || Leases.holder(lease).isEmpty()
                    || (known != null && Leases.holder(known).equals(Leases.holder(lease)));
        }

        private double delay() {
            return disorder && (now < slowUntil || chance(0.02)) ? random.nextDouble() * 8 : random.nextDouble() * 0.05;
        }

        private boolean loses() {
            return disorder && (now < cutUntil || chance(0.03));
        }

        void suspend(double seconds) {
            if (now >= suspendedUntil) {
                happened.add("suspended");
                suspendedUntil = now + (long) (seconds * 1e9);
                after(seconds, () -> {
                    List<Runnable> missed = List.copyOf(backlog);
                    backlog.clear();
                    missed.forEach(Runnable::run);
                });
            }
        }

        void kill() {
            if (up) {
                happened.add("killed");
                end();
            }
        }

        private void end() {
            up = false;
            starts++;
            after(random.nextDouble() * 20, this::start);
        }

        void stop() {
            soon(0, () -> {
                if (!stopping) {
                    happened.add("stopped");
                    stopping = true;
                    looks++;
                    Arrays.asList(electors).forEach(elector -> elector.take(ElectionStep::stop));
                }
            });
        }

        /** Does something once this process runs, if it has not been started anew until then. */
        private void soon(double seconds, Runnable action) {
            int start = starts;
            Runnable[] task = new Runnable[1];
            task[0] = () -> {
                if (starts != start || !up) {
                    return;
                }
                if (now < suspendedUntil) {
                    backlog.add(task[0]);
                } else {
                    action.run();
                }
            };
            after(seconds, task[0]);
        }

        void watched(int shard, ElectionStep.Event event) {
            if (!up || loses()) {
                return;
            }
            soon(delay(), () -> electors[shard].take(event));
            if (disorder && chance(0.03)) {
                soon(delay(), () -> electors[shard].take(event));
            }
        }

        // The balance

        private BalanceSpread spread() {
            return new BalanceSpread(
                    Arrays.stream(electors)
                            .map(elector -> elector.state.holding(nanos()))
                            .filter(Objects::nonNull)
                            .toList(),
                    identity);
        }

        private void look(double seconds) {
            int look = ++looks;
            soon(seconds, () -> {
                if (look == looks && !stopping) {
                    look(10 + random.nextDouble() * 2);
                    String wish = spread().wish(random::nextDouble, any -> true);
                    if (wish != null) {
                        soon(random.nextDouble() * 3, () -> ask(wish));
                    }
                }
            });
        }

        private void ask(String wish) {
            if (!stopping && spread().maySpare(wish)) {
                asked.add(wish);
                electors[Integer.parseInt(wish)].take(step -> step.wish(true));
            }
        }

        /** One Lease. */
        private final class Elector {

            private final int shard;
            private final String name;
            private final Deque<ElectionTask> tasks = new ArrayDeque<>();
            private ElectionState state;
            private boolean working;
            private long noticesUntil;
            private @Nullable Long alarmAt;

            Elector(int shard) {
                this.shard = shard;
                this.name = String.valueOf(shard);
                this.state = new ElectionState(ElectionConfigs.of("ns", name, identity));
            }

            boolean isLeading() {
                return state.isLeading(nanos());
            }

            void take(ElectionStep.Event event) {
                events++;
                Moment moment = new Moment(
                        nanos(),
                        VirtualTime.START.plusNanos(now),
                        random.nextDouble(),
                        true,
                        false,
                        name.equals(leaving),
                        spread());
                ElectionStep next = mutant.next(state, event, moment);
                state = next;
                checkHolders();
                if (!Objects.equals(next.changesAt(), alarmAt)) {
                    alarmAt = next.changesAt();
                    alarm(alarmAt);
                }
                next.commands.forEach(this::execute);
                if (next.request != null) {
                    working = true;
                    send(next.request);
                }
            }

            private void checkHolders() {
                if (isLeading()) {
                    for (Replica other : replicas) {
                        if (other != Replica.this && other.up && other.electors[shard].isLeading()) {
                            violation =
                                    identity + " and " + other.identity + " hold shard " + shard + " after " + events;
                        }
                    }
                }
            }

            private void alarm(@Nullable Long at) {
                if (at != null) {
                    double seconds = Math.max(0, (at - nanos()) / rate / 1e9);
                    soon(seconds + 1e-6, () -> take(ElectionStep::timePassed));
                }
            }

            private void execute(ElectionCommand command) {
                if (command instanceof ElectionCommand.Work work) {
                    work(work.task());
                } else if (command == ElectionCommand.Simple.TELL_ACQUIRED) {
                    if (asked.remove(name) && !stopping) {
                        look(0.05 + random.nextDouble() * 0.2);
                    }
                } else if (command == ElectionCommand.Simple.TELL_LOST) {
                    leaving = name.equals(leaving) ? null : leaving;
                } else if (command instanceof ElectionCommand.Release release) {
                    notice(() -> work(new ElectionTask.Release(release.stop(), true, Map.of(), null)));
                } else if (command instanceof ElectionCommand.HandOver) {
                    if (leaving == null) {
                        leaving = name;
                        moves++;
                        notice(() -> soon(random.nextDouble() * 2, () -> take(ElectionStep::resign)));
                    }
                } else if (command == ElectionCommand.Simple.END) {
                    boolean ended = Arrays.stream(electors)
                            .allMatch(elector -> elector.state.phase == Phase.STOPPING && !elector.working);
                    if (ended && up) {
                        end();
                    }
                }
            }

            private void notice(Runnable notice) {
                noticesUntil = Math.max(now, noticesUntil) + (long) (random.nextDouble() * 0.05e9);
                soon((noticesUntil - now) / 1e9, notice);
            }

            void work(ElectionTask task) {
                tasks.add(task);
                soon(0, this::workOn);
            }

            private void workOn() {
                while (!working && !tasks.isEmpty()) {
                    ElectionTask task = tasks.remove();
                    take(task::turn);
                }
            }

            private void send(ElectionTask.Request request) {
                long sentAt = nanos();
                int start = starts;
                boolean[] answered = {false};
                V1Lease lease = request.lease();
                int create = lease != null && Leases.isUnstored(lease) ? 1 : 0;
                if (!loses()) {
                    createsUnderWay[shard] += create;
                    // It may come to the API server after this process has given it up, and after it was killed.
                    after(delay(), () -> {
                        createsUnderWay[shard] -= create;
                        ElectionStep.Event answer = answer(shard, request, sentAt);
                        if (start == starts && !loses()) {
                            soon(delay(), () -> answered(answer, answered));
                        } else {
                            happened.add("answer lost");
                        }
                    });
                }
                soon(5 / rate, () -> answered(step -> request.task().failed(step, request, "timeout", null), answered));
            }

            private void answered(ElectionStep.Event answer, boolean[] already) {
                if (!already[0]) {
                    already[0] = true;
                    working = false;
                    take(answer);
                    workOn();
                }
            }
        }
    }

    /** Who holds which share by what etcd says. */
    Map<String, Long> storedShares() {
        Map<String, Long> shares = new TreeMap<>();
        IntStream.range(0, stored.length)
                .mapToObj(shard -> stored[shard])
                .filter(Objects::nonNull)
                .map(Leases::holder)
                .forEach(holder -> shares.merge(holder, 1L, Long::sum));
        return shares;
    }
}
