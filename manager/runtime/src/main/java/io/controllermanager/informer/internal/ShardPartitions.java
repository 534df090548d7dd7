package io.controllermanager.informer.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.client.Registration;
import io.controllermanager.client.internal.request.ResourceVersions;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.informer.Shards;
import io.kubernetes.client.common.KubernetesObject;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The partitions of an informer of shards. Where the API server filters by shard, or where each shard has namespaces of its
 * own, there is one for each shard that is held; else one for all of them. That is decided at the first shard, and again
 * when none is held any more.
 *
 * @param <T> the objects' class
 */
final class ShardPartitions<T extends KubernetesObject> implements Partitions<T> {

    private final ShardedSelection<T> selection;
    private final List<@Nullable String> namespaces;
    private final InformerParts<T> parts;
    private final ServerFilter filter;
    private final Object lock;
    private volatile List<ShardPartition<T>> all = List.of();
    private volatile boolean allFilled;

    /** By shard. */
    @GuardedBy("lock")
    private final Map<Integer, Holding> held = new TreeMap<>();

    @GuardedBy("lock")
    private Division division = Division.UNDECIDED;

    @GuardedBy("lock")
    private boolean started;

    /** How often the API server has been asked whether it filters. */
    @GuardedBy("lock")
    private int asked;

    /** Tells whether the API server filters by shard. */
    @FunctionalInterface
    interface ServerFilter {

        /**
         * Tells it at once, or later on another thread.
         *
         * @param namespace one whose objects are listed, null for all
         */
        void ask(@Nullable String namespace, Consumer<Boolean> told);
    }

    private enum Division {
        UNDECIDED,
        ASKING,
        /** A partition for each shard, the API server filters. */
        BY_SERVER,
        /** A partition for each of the configured namespaces of a shard. */
        BY_NAMESPACE,
        /** A partition for all shards. */
        NONE
    }

    /** That a shard is held; another one if it is held again. */
    private static final class Holding {
        private int holders;
    }

    ShardPartitions(
            ShardedSelection<T> selection, Set<String> namespaces, InformerParts<T> parts, ServerFilter filter) {
        this.selection = selection;
        this.namespaces = new ArrayList<>(namespaces);
        if (namespaces.isEmpty()) {
            this.namespaces.add(null);
        }
        this.parts = parts;
        this.filter = filter;
        this.lock = parts.lock();
        parts.store().addIndexers(ShardIndex.of(selection));
    }

    // Shards come and go.

    void hold(int shard) {
        Objects.checkIndex(shard, selection.shards().count());
        synchronized (lock) {
            Holding holding = held.computeIfAbsent(shard, one -> new Holding());
            holding.holders++;
            if (holding.holders == 1 && started) {
                add(shard);
                look();
            }
        }
        parts.waiters().look();
    }

    void drop(int shard) {
        List<ShardPartition<T>> ending = new ArrayList<>();
        synchronized (lock) {
            Holding holding = held.get(shard);
            if (holding == null) {
                throw new IllegalStateException("shard " + shard + " of " + parts.label() + " is not held");
            }
            holding.holders--;
            if (holding.holders > 0) {
                return;
            }
            held.remove(shard);
            for (ShardPartition<T> partition : all) {
                if (held.isEmpty() || (division != Division.NONE && partition.holds(shard))) {
                    ending.add(partition);
                } else if (division == Division.NONE) {
                    partition.drop(shard);
                }
            }
            ending.forEach(ShardPartition::vanish);
            all = all.stream().filter(partition -> !ending.contains(partition)).toList();
            if (held.isEmpty()) {
                undecide();
            }
            look();
        }
        ending.forEach(partition -> partition.partition().reflector().stop());
        parts.waiters().look();
    }

    private void undecide() {
        synchronized (lock) {
            division = Division.UNDECIDED;
            asked++;
        }
    }

    private void add(int shard) {
        synchronized (lock) {
            switch (division) {
                case UNDECIDED -> decide();
                case ASKING -> {}
                case BY_SERVER, BY_NAMESPACE -> begin(partitionsOf(shard));
                case NONE -> all.forEach(partition -> partition.hold(shard));
            }
        }
    }

    private void decide() {
        synchronized (lock) {
            if (selection.shards().byNamespace() && !namespaces.contains(null)) {
                divide(Division.BY_NAMESPACE);
            } else if (!selection.isFilteredByServer()) {
                divide(Division.NONE);
            } else {
                division = Division.ASKING;
                asked++;
                int question = asked;
                filter.ask(namespaces.get(0), filters -> answered(question, filters));
            }
        }
    }

    private void answered(int question, boolean filters) {
        synchronized (lock) {
            if (question != asked || division != Division.ASKING) {
                return;
            }
            divide(filters ? Division.BY_SERVER : Division.NONE);
            look();
        }
        parts.waiters().look();
    }

    /** Makes the partitions of all shards that are held. */
    private void divide(Division decided) {
        synchronized (lock) {
            division = decided;
            List<ShardPartition<T>> made = new ArrayList<>();
            if (decided == Division.NONE) {
                Set<Integer> shards = new HashSet<>(held.keySet());
                shards.add(ShardedSelection.ANY);
                for (String namespace : namespaces) {
                    made.add(partition(new Portion(namespace, null, "some shards"), shards, false));
                }
            } else {
                held.keySet().forEach(shard -> made.addAll(partitionsOf(shard)));
            }
            begin(made);
        }
    }

    private void begin(List<ShardPartition<T>> made) {
        List<ShardPartition<T>> more = new ArrayList<>(all);
        more.addAll(made);
        all = List.copyOf(more);
        made.forEach(partition -> partition.partition().reflector().start(""));
    }

    private List<ShardPartition<T>> partitionsOf(int shard) {
        synchronized (lock) {
            Shards shards = selection.shards();
            List<ShardPartition<T>> made = new ArrayList<>();
            for (String namespace : namespaces) {
                if (division == Division.BY_SERVER) {
                    String title = "shard " + shard + " of " + shards.count();
                    String selector = shards.selector(shard);
                    made.add(partition(new Portion(namespace, selector, title), Set.of(shard), true));
                } else if (shards.of(namespace, "", null) == shard) {
                    made.add(partition(Portion.of(namespace), Set.of(shard), true));
                }
            }
            return made;
        }
    }

    private ShardPartition<T> partition(Portion portion, Set<Integer> shards, boolean isShared) {
        return new ShardPartition<>(
                selection,
                portion,
                shards,
                isShared,
                selection.shards().by() == Shards.By.UID && isShared ? this::settle : Partition.Rivals.none(),
                parts,
                this::look);
    }

    /** An object was deleted and made again with a uid of another shard: the newer one counts. */
    private boolean settle(Partition<T> asking, String key, T object, List<ResourceEvent<T>> events) {
        List<Partition<T>> older = new ArrayList<>();
        T there = parts.store().current(key);
        int shard = there == null ? ShardedSelection.ANY : selection.shardOf(there);
        for (ShardPartition<T> rival : all) {
            if (rival.partition() != asking && (rival.partition().ownWrites() > 0 || rival.holds(shard))) {
                T known = rival.partition().known(key);
                if (known != null
                        && !rival.partition().isRestored()
                        && ResourceVersions.number(known) > ResourceVersions.number(object)) {
                    return false;
                }
                if (known != null) {
                    older.add(rival.partition());
                }
            }
        }
        older.forEach(rival -> rival.giveUp(key, events));
        return true;
    }

    // How far it has come.

    /** Notes whether all is filled, after each change. */
    private void look() {
        synchronized (lock) {
            allFilled = started && held.keySet().stream().allMatch(this::isFilled);
            if (allFilled && !parts.processor().hasSynced()) {
                parts.processor().synced();
            }
        }
    }

    private boolean isFilled(int shard) {
        synchronized (lock) {
            return (division == Division.NONE || division == Division.BY_SERVER || division == Division.BY_NAMESPACE)
                    && all.stream()
                            .filter(partition -> partition.holds(shard))
                            .allMatch(partition -> partition.isFilled(shard));
        }
    }

    /** Whether a shard has come as far as another process had written, which is so if nothing is known of that. */
    private boolean hasPassed(int shard, Map<String, String> written) {
        for (ShardPartition<T> partition : all) {
            if (partition.holds(shard)
                    && partition.passed(shard)
                            < Math.max(
                                    wanted(partition, shard, written),
                                    wanted(partition, ShardedSelection.ANY, written))) {
                return false;
            }
        }
        return true;
    }

    private long wanted(ShardPartition<T> partition, int shard, Map<String, String> written) {
        return ResourceVersions.number(
                written.get(ShardPartition.label(parts, selection, partition.namespace(), shard)));
    }

    Registration whenPassed(int shard, Map<String, String> written, Runnable told) {
        Holding holding;
        synchronized (lock) {
            holding = held.get(shard);
        }
        return parts.waiters()
                .add(
                        () -> {
                            synchronized (lock) {
                                return holding != null
                                        && held.get(shard) == holding
                                        && isFilled(shard)
                                        && hasPassed(shard, written);
                            }
                        },
                        told);
    }

    List<T> list(int shard) {
        return parts.store().byIndex(ShardIndex.NAME, ShardIndex.value(shard));
    }

    int size(int shard) {
        return parts.store().count(ShardIndex.NAME, ShardIndex.value(shard));
    }

    // What an informer asks of its partitions.

    @Override
    public void start() {
        synchronized (lock) {
            started = true;
            if (!held.isEmpty()) {
                decide();
            }
            look();
        }
    }

    @Override
    public List<Reflector<T>> end() {
        synchronized (lock) {
            List<Partition<T>> ending = now();
            all.forEach(ShardPartition::end);
            all = List.of();
            started = false;
            allFilled = false;
            undecide();
            return ending.stream().map(Partition::reflector).toList();
        }
    }

    @Override
    public List<Partition<T>> now() {
        return all.stream().map(ShardPartition::partition).toList();
    }

    @Override
    public List<Reflector<T>> lists() {
        return all.stream().flatMap(ShardPartition::lists).toList();
    }

    @Override
    public boolean areFilled() {
        return allFilled;
    }

    @Override
    public void written(WriteAnswers.Answer<T> answer, @Nullable T stored) {
        synchronized (lock) {
            all.forEach(partition -> partition.written(answer, stored));
        }
    }

    @Override
    public boolean hasPassed(Map<String, String> written) {
        synchronized (lock) {
            return held.keySet().stream().allMatch(shard -> hasPassed(shard, written));
        }
    }

    @Override
    public String extent() {
        synchronized (lock) {
            return " (" + held.size() + " of " + selection.shards().count() + " shards)";
        }
    }
}
