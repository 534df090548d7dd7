package io.controllermanager.manager.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.informer.internal.partition.ShardedSelection;
import io.kubernetes.client.common.KubernetesObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** An informer that holds of the objects that a test puts there those of some shards, and fills when the test says so. */
final class FakeShardedInformer<T extends KubernetesObject> extends FakeInformer<T> {

    private final ShardedSelection<T> selection;
    private final Map<String, T> server = new LinkedHashMap<>();
    private final Map<Integer, Integer> holds = new TreeMap<>();
    private final Set<Integer> filled = ConcurrentHashMap.newKeySet();
    private boolean fills = true;
    private volatile Runnable beforeDrop = () -> {};

    FakeShardedInformer(ShardedSelection<T> selection) {
        super(selection.selection().type());
        this.selection = selection;
        synced(true);
    }

    private static String key(KubernetesObject object) {
        return object.getMetadata().getNamespace() + "/" + object.getMetadata().getName();
    }

    @Override
    synchronized void put(T object) {
        server.put(key(object), object);
        if (filled.contains(selection.shardOf(object))) {
            super.put(object);
        }
    }

    synchronized void delete(T object) {
        server.remove(key(object));
        if (filled.contains(selection.shardOf(object))) {
            cache.delete(object);
            subscribers.forEach(subscriber -> subscriber.onEvent(new ResourceEvent.Deleted<>(object, false)));
        }
    }

    /** Whether shards are filled as soon as they are held. */
    synchronized void fills(boolean newFills) {
        fills = newFills;
        if (fills) {
            List.copyOf(holds.keySet()).forEach(this::fill);
        }
    }

    private void fill(int shard) {
        if (filled.add(shard)) {
            for (T object : server.values()) {
                if (selection.shardOf(object) == shard) {
                    cache.add(object);
                    subscribers.forEach(subscriber -> subscriber.onEvent(new ResourceEvent.Created<>(object, true)));
                }
            }
            progress.forEach(Runnable::run);
        }
    }

    /** What dropping a shard waits for. */
    void beforeDrop(Runnable newBeforeDrop) {
        beforeDrop = newBeforeDrop;
    }

    synchronized Set<Integer> held() {
        return Set.copyOf(holds.keySet());
    }

    @Override
    public boolean isHeldWhole() {
        return false;
    }

    @Override
    public synchronized void hold(int shard) {
        holds.merge(shard, 1, Integer::sum);
        if (fills) {
            fill(shard);
        }
    }

    @Override
    public void drop(int shard) {
        beforeDrop.run();
        dropNow(shard);
    }

    private synchronized void dropNow(int shard) {
        if (holds.merge(shard, -1, Integer::sum) == 0) {
            holds.remove(shard);
            filled.remove(shard);
            cache.list().stream()
                    .filter(object -> selection.shardOf(object) == shard)
                    .forEach(cache::delete);
        }
    }

    @Override
    public Registration whenPassed(int shard, Map<String, String> versions, Runnable told) {
        return when(() -> filled.contains(shard) && hasPassed(versions), told);
    }

    @Override
    public List<T> list(int shard) {
        return getIndexer().list().stream()
                .filter(object -> filled.contains(shard) && selection.shardOf(object) == shard)
                .toList();
    }

    @Override
    public int size(int shard) {
        return list(shard).size();
    }
}
