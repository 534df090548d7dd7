package io.controllermanager.informer.internal.partition;

import io.controllermanager.client.internal.request.ResourceVersions;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.informer.Shards;
import io.controllermanager.informer.internal.reflector.Reflector;
import io.kubernetes.client.common.KubernetesObject;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The partitions of an informer of shards. Where the API server filters by shard, or where each shard has namespaces of its
 * own, there is one for each shard that is held; else one for all of them. That is decided at the first shard, and again
 * when none is held any more.
 *
 * @param <T> the objects' class
 */
public final class ShardPartitions<T extends KubernetesObject> extends Partitions<T> {

    private final ShardedSelection<T> selection;
    private final ServerFilter filter;
    private volatile List<ShardPartition<T>> all = List.of();
    private volatile boolean allFilled;

    /** How many hold each shard; another counter if it is held again. */
    private final Map<Integer, AtomicInteger> held = new TreeMap<>();

    private Division division = Division.UNDECIDED;
    private boolean started;

    /** How often the API server has been asked whether it filters. */
    private int asked;

    /** Tells whether the API server filters by shard. */
    @FunctionalInterface
    public interface ServerFilter {

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

    /** None, since it holds no shard; of all namespaces if none is given. */
    public ShardPartitions(ShardedSelection<T> selection, Set<String> namespaces, Parts<T> parts, ServerFilter filter) {
        super(namespaces, parts);
        this.selection = selection;
        this.filter = filter;
        parts.store().addIndexers(selection.index());
    }

    // Shards come and go.

    @Override
    public boolean isHeldWhole() {
        return false;
    }

    @Override
    public void hold(int shard) {
        Objects.checkIndex(shard, selection.shards().count());
        if (held.computeIfAbsent(shard, one -> new AtomicInteger()).incrementAndGet() == 1 && started) {
            switch (division) {
                case UNDECIDED -> decide();
                case ASKING -> {}
                case BY_SERVER, BY_NAMESPACE -> begin(partitionsOf(shard));
                case NONE -> all.forEach(partition -> partition.hold(shard));
            }
            look();
        }
    }

    @Override
    public void drop(int shard) {
        AtomicInteger holders = held.get(shard);
        if (holders == null) {
            throw new IllegalStateException("shard " + shard + " of " + parts.label() + " is not held");
        }
        if (holders.decrementAndGet() > 0) {
            return;
        }
        held.remove(shard);
        List<ShardPartition<T>> staying = new ArrayList<>();
        for (ShardPartition<T> partition : all) {
            if (held.isEmpty() || (division != Division.NONE && partition.holds(shard))) {
                partition.vanish();
                parts.door().afterwards(partition.reflector()::stop);
            } else {
                staying.add(partition);
                if (division == Division.NONE) {
                    partition.drop(shard);
                }
            }
        }
        all = List.copyOf(staying);
        if (held.isEmpty()) {
            undecide();
        }
        look();
    }

    private void undecide() {
        division = Division.UNDECIDED;
        asked++;
    }

    private void decide() {
        if (selection.shards().byNamespace() && namespaces.stream().noneMatch(Objects::isNull)) {
            divide(Division.BY_NAMESPACE);
        } else if (!selection.isFilteredByServer()) {
            divide(Division.NONE);
        } else {
            division = Division.ASKING;
            asked++;
            int question = asked;
            Consumer<Boolean> told = filters -> parts.door().enter(() -> answered(question, filters));
            parts.door().afterwards(() -> filter.ask(namespaces.iterator().next(), told));
        }
    }

    private void answered(int question, boolean filters) {
        if (question == asked && division == Division.ASKING) {
            divide(filters ? Division.BY_SERVER : Division.NONE);
            look();
        }
    }

    /** Makes the partitions of all shards that are held. */
    private void divide(Division decided) {
        division = decided;
        List<ShardPartition<T>> made = new ArrayList<>();
        if (decided == Division.NONE) {
            Set<Integer> shards = new HashSet<>(held.keySet());
            shards.add(ShardedSelection.ANY);
            for (String namespace : namespaces) {
                made.add(partition(new Portion(namespace, null, "some shards"), shards));
            }
        } else {
            held.keySet().forEach(shard -> made.addAll(partitionsOf(shard)));
        }
        begin(made);
    }

    private void begin(List<ShardPartition<T>> made) {
        List<ShardPartition<T>> more = new ArrayList<>(all);
        more.addAll(made);
        all = List.copyOf(more);
        made.forEach(partition -> partition.reflector().start(""));
    }

    private List<ShardPartition<T>> partitionsOf(int shard) {
        Shards shards = selection.shards();
        List<ShardPartition<T>> made = new ArrayList<>();
        for (String namespace : namespaces) {
            if (division == Division.BY_SERVER) {
                String title = "shard " + shard + " of " + shards.count();
                made.add(partition(new Portion(namespace, shards.selector(shard), title), Set.of(shard)));
            } else if (shards.of(namespace, "", null) == shard) {
                made.add(partition(Portion.of(namespace), Set.of(shard)));
            }
        }
        return made;
    }

    private ShardPartition<T> partition(Portion portion, Set<Integer> shards) {
        return new ShardPartition<>(
                this, parts, selection, portion, new ShardSet<>(selection, shards), division != Division.NONE);
    }

    /** An object was deleted and made again with a uid of another shard: the newer one counts. See {@link Partition#claim}. */
    public boolean claim(Partition<T> asking, String key, T object, List<ResourceEvent<T>> events) {
        if (selection.shards().by() != Shards.By.UID || division == Division.NONE) {
            return true;
        }
        List<Partition<T>> older = new ArrayList<>();
        T there = parts.store().current(key);
        int shard = there == null ? ShardedSelection.ANY : selection.shardOf(there);
        for (ShardPartition<T> rival : all) {
            if (rival != asking && (rival.ownWrites() > 0 || rival.holds(shard))) {
                T known = rival.known(key);
                if (known != null
                        && !rival.isRestored()
                        && ResourceVersions.number(known) > ResourceVersions.number(object)) {
                    return false;
                }
                if (known != null) {
                    older.add(rival);
                }
            }
        }
        older.forEach(rival -> rival.giveUp(key, events));
        return true;
    }

    // How far it has come.

    @Override
    public void look() {
        allFilled = started && held.keySet().stream().allMatch(this::isFilled);
        if (allFilled && !parts.processor().hasSynced()) {
            parts.processor().synced();
        }
    }

    private boolean isFilled(int shard) {
        return division != Division.UNDECIDED
                && division != Division.ASKING
                && all.stream()
                        .filter(partition -> partition.holds(shard))
                        .allMatch(partition -> partition.isFilled(shard));
    }

    @Override
    public BooleanSupplier passes(int shard, Map<String, String> versions) {
        AtomicInteger holding = held.get(shard);
        return () -> holding != null && held.get(shard) == holding && isFilled(shard) && hasPassed(shard, versions);
    }

    private boolean hasPassed(int shard, Map<String, String> versions) {
        return all.stream()
                .filter(partition -> partition.holds(shard))
                .allMatch(partition -> partition.hasPassed(shard, versions));
    }

    @Override
    public boolean hasPassed(Map<String, String> versions) {
        return held.keySet().stream().allMatch(shard -> hasPassed(shard, versions));
    }

    @Override
    public boolean areFilled() {
        return allFilled;
    }

    @Override
    public List<T> list(int shard) {
        return parts.store().byIndex(ShardedSelection.INDEX, Integer.toString(shard));
    }

    @Override
    public int size(int shard) {
        return parts.store().count(ShardedSelection.INDEX, Integer.toString(shard));
    }

    // What an informer asks of its partitions.

    @Override
    public void start() {
        started = true;
        if (!held.isEmpty()) {
            decide();
        }
        look();
    }

    @Override
    public List<Reflector<T>> end() {
        List<Reflector<T>> ending = super.end();
        all = List.of();
        started = false;
        allFilled = false;
        undecide();
        return ending;
    }

    @Override
    public List<ShardPartition<T>> now() {
        return all;
    }

    @Override
    public List<Reflector<T>> lists() {
        return all.stream().flatMap(ShardPartition::lists).toList();
    }

    @Override
    public String extent() {
        return " (" + parts.door().ask(held::size) + " of " + selection.shards().count() + " shards)";
    }
}
