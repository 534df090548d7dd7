package io.controllermanager.manager.internal;

import io.controllermanager.client.internal.connection.ScopedFence;
import io.controllermanager.client.internal.connection.WriteFence;
import io.controllermanager.controller.internal.ReconcileTerm;
import io.controllermanager.leaderelection.internal.LeaderElector;
import io.kubernetes.client.extended.controller.reconciler.Result;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * In which term of its Lease each shard of a controller was opened; one that is not divided is one shard. A Lease that is lost
 * can be taken again before the host has followed the loss: until it has, nothing begins, and what began in the old term
 * writes nothing in the new one. Safe for use by several threads.
 */
final class Terms implements ReconcileTerm {

    private final List<LeaderElector> electors;
    private final ScopedFence shared;
    private final ScopedFence own;
    private final AtomicLongArray opened;
    private final IntConsumer lapses;

    /**
     * No shard has been opened; with the fences of the client that controllers share, and of this one's own.
     *
     * @param lapses told, on any thread, of each shard that a worker has closed, since its Lease is not held for certain
     */
    Terms(List<LeaderElector> electors, ScopedFence shared, ScopedFence own, IntConsumer lapses) {
        this.electors = electors;
        this.shared = shared;
        this.own = own;
        this.lapses = lapses;
        this.opened = new AtomicLongArray(
                LongStream.generate(() -> -1).limit(electors.size()).toArray());
    }

    @Override
    public void lapsed(int shard) {
        lapses.accept(shard);
    }

    @Override
    public void open(int shard, long term) {
        opened.set(shard, term);
    }

    @Override
    public boolean lasts(int shard) {
        return isNow(shard, opened.get(shard));
    }

    @Override
    public @Nullable Result within(int shard, Supplier<@Nullable Result> reconcile) {
        WriteFence begun = fence(shard);
        return shared.within(begun, () -> own.within(begun, reconcile));
    }

    /** Decides about the writes of what begins now. */
    WriteFence fence(int shard) {
        long term = opened.get(shard);
        LeaderElector elector = electors.get(shard);
        return () -> {
            elector.checkWrite();
            if (!isNow(shard, term)) {
                throw new WriteFence.WriteRefusedException("this process ("
                        + elector.config().identity() + ") has lost "
                        + elector.config().lease()
                        + " since this reconcile began, and has taken it anew");
            }
        };
    }

    private boolean isNow(int shard, long term) {
        return term >= 0 && electors.get(shard).term() == term;
    }
}
