package io.controllermanager.informer.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.client.internal.ApiServerMonitor;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import io.kubernetes.client.common.KubernetesObject;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An informer whose partitions come and go with the shards that are held.
 *
 * @param <T> the objects' class
 */
final class ShardedListWatchInformer<T extends KubernetesObject> extends ListWatchInformer<T> {

    private final ShardPartitions<T> shards;

    /** As {@link ListWatchInformer}; it holds no shard. */
    ShardedListWatchInformer(
            Identity<T> identity,
            ShardedSelection<T> selection,
            SourceFactory<T> sources,
            ShardPartitions.ServerFilter filter,
            @Nullable WriteAnswers<T> writeAnswers,
            @Nullable MutationDetector mutations,
            ApiServerMonitor monitor,
            Clock clock,
            Timer timer,
            MeterRegistry registry) {
        super(
                identity,
                sources,
                writeAnswers,
                mutations,
                monitor,
                clock,
                timer,
                registry,
                parts -> new ShardPartitions<>(selection, identity.namespaces(), parts, filter));
        this.shards = (ShardPartitions<T>) partitions();
    }

    @Override
    public boolean isHeldWhole() {
        return false;
    }

    @Override
    public void hold(int shard) {
        shards.hold(shard);
    }

    @Override
    public void drop(int shard) {
        shards.drop(shard);
    }

    @Override
    public Registration whenFilled(int shard, Runnable told) {
        return whenPassed(shard, Map.of(), told);
    }

    @Override
    public Registration whenPassed(int shard, Map<String, String> versions, Runnable told) {
        return shards.whenPassed(shard, versions, told);
    }

    @Override
    public List<T> list(int shard) {
        return shards.list(shard);
    }

    @Override
    public int size(int shard) {
        return shards.size(shard);
    }
}
