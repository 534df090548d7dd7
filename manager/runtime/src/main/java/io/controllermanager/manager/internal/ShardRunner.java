package io.controllermanager.manager.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.controller.internal.Controller;
import io.controllermanager.controller.internal.ControllerShards;
import io.controllermanager.informer.internal.HostInformer;
import io.controllermanager.informer.internal.store.Waiters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Does the work of one shard on its controller's workers, as {@link PooledRunner} does that of a whole controller. What
 * changes anything is called by one thread and never blocks, but for {@link #drain}.
 */
final class ShardRunner implements CatchUp.Caches {

    private final int shard;
    private final PooledRunner runner;
    private final Requeue requeue;

    /** Those that hold the shard for this. */
    private List<HostInformer<?>> holding = List.of();

    ShardRunner(int shard, PooledRunner runner, Requeue requeue) {
        this.shard = shard;
        this.runner = runner;
        this.requeue = requeue;
    }

    private @Nullable ControllerShards shards() {
        Controller controller = runner.controller();
        return controller == null ? null : controller.shards();
    }

    /** Has the caches hold the shard's objects, if they do not. */
    void hold() {
        if (holding.isEmpty()) {
            holding = runner.shardedInformers();
            holding.forEach(informer -> informer.hold(shard));
        }
    }

    /**
     * Drops the shard's objects soon, in the background: that takes longer the more there are, and other shards may have to
     * be closed meanwhile. Those who hold a shard are counted, so that it may be held again before.
     */
    void drop() {
        List<HostInformer<?>> dropped = holding;
        holding = List.of();
        if (!dropped.isEmpty()) {
            HostLoop.background("controller-manager-drop-" + shard, () -> dropped.forEach(one -> one.drop(shard)));
        }
    }

    @Override
    public Registration whenFilled(Runnable told) {
        List<Function<Runnable, Registration>> caches = new ArrayList<>();
        holding.forEach(informer -> caches.add(one -> informer.whenFilled(shard, one)));
        return Waiters.all(caches, told);
    }

    @Override
    public Registration whenPassed(Map<String, String> versions, Runnable told) {
        List<Function<Runnable, Registration>> caches = new ArrayList<>();
        for (HostInformer<?> informer : runner.informers()) {
            caches.add(one -> informer.whenPassed(shard, versions, one));
        }
        caches.add(one -> runner.whenOthersPassed(versions, one));
        return Waiters.all(caches, told);
    }

    boolean isOpen() {
        ControllerShards shards = shards();
        return shards != null && shards.isOpen(shard);
    }

    /**
     * Lets reconciles begin, and has everything of the shard looked at. Opened first, so that no key is lost in between.
     *
     * @param term the elector's number of the term in which this was prepared
     */
    void open(long term) {
        runner.open(shard, term);
        requeue.begin(runner.replays(shard));
    }

    /** Lets no more reconciles begin; those that run go on. */
    void close() {
        requeue.end();
        ControllerShards shards = shards();
        if (shards != null) {
            shards.close(shard);
        }
    }

    /** Ends everything at once. */
    void interrupt() {
        close();
        ControllerShards shards = shards();
        if (shards != null) {
            shards.interrupt(shard);
        }
    }

    /** Waits for running reconciles once this is closed, and interrupts them at the limit; returns whether all have ended. */
    boolean drain(Duration limit) throws InterruptedException {
        ControllerShards shards = shards();
        return shards == null || shards.drain(shard, limit);
    }

    boolean hasEnded() {
        ControllerShards shards = shards();
        return shards == null || !shards.isReconciling(shard);
    }

    boolean hasGivenUp() {
        ControllerShards shards = shards();
        return shards != null && shards.hasGivenUp(shard);
    }

    /** Whether what the caches hold is still to be queued. */
    boolean isRequeueing() {
        return requeue.isUnderWay();
    }

    /** How many objects are held. */
    int objects() {
        return runner.objects(shard);
    }
}
