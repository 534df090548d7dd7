package io.controllermanager.informer.internal;

import io.kubernetes.client.common.KubernetesObject;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Which shards' objects a list that is under way will have: fewer, if some are dropped meanwhile. One that is held again by
 * the end of the list is not among them, since some of its objects may have been left out. Read by any thread, written with
 * the informer's lock held.
 *
 * @param <T> the objects' class
 */
final class ShardReading<T extends KubernetesObject> implements Predicate<T> {

    private final ShardedSelection<T> selection;
    private volatile Set<Integer> shards;

    ShardReading(ShardedSelection<T> selection, Set<Integer> shards) {
        this.selection = selection;
        this.shards = Set.copyOf(shards);
    }

    Set<Integer> shards() {
        return shards;
    }

    @Override
    public boolean test(T object) {
        return shards.contains(selection.shardOf(object));
    }

    void drop(int shard) {
        shards = without(shards, shard);
    }

    static Set<Integer> without(Set<Integer> shards, int shard) {
        return shards.stream().filter(other -> other != shard).collect(Collectors.toUnmodifiableSet());
    }
}
