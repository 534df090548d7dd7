package io.controllermanager.informer.internal;

import io.kubernetes.client.common.KubernetesObject;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;

/** The index of a store by shard. */
final class ShardIndex {

    static final String NAME = "controller-manager.io/shard";

    private ShardIndex() {}

    static String value(int shard) {
        return Integer.toString(shard);
    }

    static <T extends KubernetesObject> Map<String, Function<T, List<String>>> of(ShardedSelection<T> selection) {
        // The same lists for all objects; the first is of those that belong to no certain shard.
        List<List<String>> values = IntStream.range(
                        ShardedSelection.ANY, selection.shards().count())
                .mapToObj(shard -> List.of(value(shard)))
                .toList();
        return Map.of(NAME, object -> values.get(selection.shardOf(object) - ShardedSelection.ANY));
    }
}
