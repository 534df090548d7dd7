package io.controllermanager.informer.internal.partition;

import io.kubernetes.client.common.KubernetesObject;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Some shards, and with them their objects. Read by any thread, changed behind the informer's door.
 *
 * @param <T> the objects' class
 */
final class ShardSet<T extends KubernetesObject> implements Predicate<T> {

    private final ShardedSelection<T> selection;
    private volatile Set<Integer> shards;

    ShardSet(ShardedSelection<T> selection, Set<Integer> shards) {
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

    void add(int shard) {
        shards = Stream.concat(shards.stream(), Stream.of(shard)).collect(Collectors.toUnmodifiableSet());
    }

    void drop(int shard) {
        shards = shards.stream().filter(other -> other != shard).collect(Collectors.toUnmodifiableSet());
    }
}
