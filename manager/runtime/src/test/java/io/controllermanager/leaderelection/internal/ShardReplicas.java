package io.controllermanager.leaderelection.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.informer.Shards;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.models.V1Lease;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Replicas that work for a controller "foo" by different numbers of shards, in virtual time: each does what a host does, works
 * for a shard that it holds once there is no obstacle, and hands over what others ask for or what the anchor disagrees with.
 */
final class ShardReplicas {

    /** What is done wrong on purpose. */
    enum Bug {
        NONE,
        /** Leases are not listed. */
        LISTS_NOTHING,
        /** The anchor is not read: it says what the reader says. */
        BELIEVES_ITSELF,
        /** The order by namespace is told by a word that the version before keeps as it is, since it makes no sense to it. */
        SAYS_WHAT_IS_KEPT
    }

    /**
     * How a replica is configured.
     *
     * @param lease the Lease's name
     * @param former the name of the one before, null for none
     * @param own whether each controller has a Lease of its own
     */
    record Setting(String lease, @Nullable String former, boolean own, Shards shards) {

        static Setting of(Shards shards) {
            return new Setting("cm", null, false, shards);
        }

        private Map<String, Shards> divided() {
            Map<String, Shards> divided = new TreeMap<>();
            if (shards.divide()) {
                divided.put("foo", shards);
            }
            if (own) {
                divided.put(ControllerElectors.EACH, Shards.ONE);
            }
            return divided;
        }

        private ControllerElectors electors(LeaderElectionConfig config, LeaderElector anchor, ElectionParts parts) {
            if (shards.divide()) {
                return ControllerElectors.divided(config, anchor, "foo", shards, LeaseBalance.PERIOD, parts);
            }
            return own
                    ? ControllerElectors.own(
                            new LeaseBalance(config, List.of("foo"), LeaseBalance.PERIOD, parts).elector("foo"),
                            anchor,
                            "foo")
                    : ControllerElectors.shared(anchor, "foo");
        }
    }

    /** Work for one shard. */
    record Work(String replica, int shard, Shards shards) {

        private int count() {
            return shards.count();
        }

        /** By two ways of dividing, any shard may have keys of any other. */
        boolean overlaps(Work other) {
            int count = count();
            if (shards.by() != other.shards.by()) {
                return true;
            }
            return shard * other.count() < (other.shard + 1) * count
                    && other.shard * count < (shard + 1) * other.count();
        }
    }

    final VirtualTime time = new VirtualTime();
    final Map<String, LeaseStore> stores = new TreeMap<>();
    final List<Work> atWork = new ArrayList<>();
    final List<String> clashes = new ArrayList<>();
    private final Bug bug;
    private final DoubleSupplier random;
    int moves;

    ShardReplicas(Bug bug, DoubleSupplier random) {
        this.bug = bug;
        this.random = random;
    }

    LeaseStore store(String lease) {
        return stores.computeIfAbsent(lease, name -> new LeaseStore().among(stores::values));
    }

    /** How many shards each replica works for. */
    Map<String, Integer> numbers() {
        Map<String, Integer> numbers = new TreeMap<>();
        atWork.forEach(work -> numbers.merge(work.replica(), 1, Integer::sum));
        return numbers;
    }

    /** Whether all keys are worked for by that number of shards. */
    boolean covered(int count) {
        return covered(new Shards(count, Shards.By.NAMESPACE));
    }

    boolean covered(Shards shards) {
        return atWork.size() == shards.count()
                && atWork.stream().allMatch(work -> work.shards().equals(shards));
    }

    /** One process of the version before: its order by namespace is the range of today. */
    Replica before(String name, int count) {
        return new Replica(name, Setting.of(new Shards(count, Shards.By.NAMESPACE_RANGE)), true);
    }

    /** One process. */
    final class Replica {

        final String name;
        final Shards shards;
        final LeaderElector anchor;
        final ControllerElectors electors;
        private final List<LeaseStore.Lock> locks = new ArrayList<>();
        private final List<Row> rows = new ArrayList<>();
        private final boolean before;
        private boolean dead;
        Duration drain = Duration.ofMillis(300);
        Duration fill = Duration.ofMillis(100);

        Replica(String name, int count) {
            this(name, new Shards(count, Shards.By.NAMESPACE));
        }

        Replica(String name, Shards shards) {
            this(name, Setting.of(shards));
        }

        Replica(String name, Setting setting) {
            this(name, setting, false);
        }

        private Replica(String name, Setting setting, boolean before) {
            this.name = name;
            this.shards = setting.shards();
            this.before = before;
            LeaderElectionConfig plain = ElectionConfigs.of("ns", setting.lease(), name);
            LeaderElectionConfig config = setting.former() == null ? plain : plain.withFormer("ns", setting.former());
            ElectionParts parts = new ElectionParts(
                    this::lock,
                    time,
                    time,
                    new SimpleMeterRegistry(),
                    thread -> Runnable::run,
                    random,
                    false,
                    () -> {});
            this.anchor = LeaderElector.of(config.withDivided(setting.divided()), parts);
            this.electors = setting.electors(config, anchor, parts);
            for (int shard = 0; shard < shards.count(); shard++) {
                rows.add(new Row(shard, electors.electors().get(shard)));
            }
        }

        private LeaseLock lock(LeaderElectionConfig config) {
            LeaseStore.Lock lock = store(config.leaseName()).lock(name);
            lock.watchable(observer -> {});
            locks.add(lock);
            return new Way(lock, config);
        }

        Replica unwatched() {
            locks.forEach(lock -> lock.unwatchable("missing permission: watch"));
            return this;
        }

        Replica start() {
            if (electors.anchor() == null) {
                anchor.start(rows.get(0));
                return this;
            }
            anchor.start(new NotingListener(name, new ArrayList<>()));
            rows.forEach(row -> row.elector.standAside(!electors.agreement().agrees()));
            electors.agreement().onAgreement(() -> {
                boolean agrees = electors.agreement().agrees();
                rows.forEach(row -> row.elector.standAside(!agrees));
                if (!agrees) {
                    rows.forEach(Row::handOver);
                }
            });
            electors.electors().get(0).balance().start();
            rows.forEach(row -> row.elector.start(row));
            return this;
        }

        /** Ends the work, and gives all back at once. */
        void stop() {
            rows.forEach(Row::end);
            if (electors.anchor() != null) {
                electors.electors().get(0).balance().stop();
            }
            rows.forEach(row -> row.elector.stop());
            if (electors.anchor() != null) {
                anchor.stop();
            }
            dead = true;
        }

        void kill() {
            cut("gone");
            rows.forEach(Row::end);
            dead = true;
        }

        /** Nothing that it sends arrives any more; null for the end of that. */
        void cut(@Nullable String message) {
            if (!dead) {
                locks.forEach(lock -> lock.failWith(message));
            }
        }

        /** What a host does for one shard. */
        private final class Row implements LeadershipListener {

            private final Work work;
            private final LeaderElector elector;
            private int term;
            private boolean held;
            private boolean handingOver;

            Row(int shard, LeaderElector elector) {
                this.work = new Work(name, shard, shards);
                this.elector = elector;
            }

            @Override
            public void onAcquired() {
                held = true;
                term++;
                int begun = term;
                time.schedule(Duration.ZERO, () -> tryToWork(begun));
            }

            private void tryToWork(int begun) {
                if (dead || !held || term != begun || handingOver) {
                    return;
                }
                String obstacle = electors.agreement().obstacle();
                if (obstacle != null) {
                    time.schedule(Duration.ofMillis(500), () -> tryToWork(begun));
                } else if (held && term == begun && elector.isLeading()) {
                    atWork.stream()
                            .filter(other -> !other.replica().equals(name) && other.overlaps(work))
                            .forEach(other -> clashes.add(work + " beside " + other));
                    atWork.add(work);
                }
            }

            @Override
            public void onLost() {
                end();
            }

            void end() {
                held = false;
                handingOver = false;
                atWork.remove(work);
            }

            @Override
            public boolean onAsked() {
                moves++;
                handOver();
                return true;
            }

            @Override
            public void beforeAsking(Asking asking) {
                time.schedule(fill, asking::ask);
            }

            void handOver() {
                if (held && !handingOver) {
                    handingOver = true;
                    int ending = term;
                    time.schedule(drain, () -> {
                        if (held && term == ending && !dead) {
                            atWork.remove(work);
                            elector.resign();
                        }
                    });
                }
            }
        }

        /** A way to a Lease, with a bug or as a replica of the version before sees it. */
        private final class Way implements LeaseLock {

            private final LeaseStore.Lock lock;
            private final LeaderElectionConfig config;

            Way(LeaseStore.Lock lock, LeaderElectionConfig config) {
                this.lock = lock;
                lock.seenAs(this::seen);
                this.config = config;
            }

            /** That version took "foo/mixed" for another controller. */
            private V1Lease seen(V1Lease lease) {
                return replaced(
                        lease,
                        text -> bug == Bug.SAYS_WHAT_IS_KEPT
                                ? text.replaceAll("foo=1,foo/mixed=(\\d+)", "foo=$1/mixed")
                                : text.replace("foo/mixed", "foo-mixed"));
            }

            private V1Lease written(V1Lease lease) {
                return replaced(
                        lease,
                        text -> bug == Bug.SAYS_WHAT_IS_KEPT
                                ? text.replaceAll("foo=(\\d+)/mixed", "foo=1,foo/mixed=$1")
                                : text.replace("foo-mixed", "foo/mixed"));
            }

            private V1Lease replaced(V1Lease lease, UnaryOperator<String> words) {
                String text = Leases.shards(lease);
                if (!before || text == null) {
                    return lease;
                }
                V1Lease replaced = Objects.requireNonNull(LeaseStore.copy(lease));
                Objects.requireNonNull(replaced.getMetadata()).putAnnotationsItem(Leases.SHARDS, words.apply(text));
                return replaced;
            }

            @Override
            public @Nullable V1Lease get() throws LeaseException {
                V1Lease lease = lock.get();
                if (lease != null) {
                    lease = seen(lease);
                }
                if (lease != null
                        && bug == Bug.BELIEVES_ITSELF
                        && !config.divided().isEmpty()) {
                    Objects.requireNonNull(lease.getMetadata())
                            .putAnnotationsItem(
                                    Leases.SHARDS,
                                    Divisions.NONE
                                            .replacedBy(Map.of("foo", shards))
                                            .text());
                }
                return lease;
            }

            @Override
            public List<V1Lease> list() throws LeaseException {
                return bug == Bug.LISTS_NOTHING
                        ? List.of()
                        : lock.list().stream().map(this::seen).toList();
            }

            @Override
            public V1Lease create(V1Lease lease) throws LeaseException {
                return seen(lock.create(written(lease)));
            }

            @Override
            public V1Lease update(V1Lease lease) throws LeaseException {
                return seen(lock.update(written(lease)));
            }

            @Override
            public Registration watch(Consumer<ElectionStep.Event> observer) {
                return lock.watch(observer);
            }
        }
    }
}
