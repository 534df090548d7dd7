package io.controllermanager.manager.internal;

import io.controllermanager.client.internal.ScopedFence;
import io.controllermanager.client.internal.WriteFence;
import io.controllermanager.controller.internal.ReconcileTerm;
import io.controllermanager.leaderelection.internal.LeaderElector;
import io.kubernetes.client.extended.controller.reconciler.Result;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * In which term of its Lease each shard of a controller was opened; one that is not divided is one shard. A Lease that is lost
 * can be taken again before the host has followed the loss: until it has, nothing begins, and what began in the old term
 * writes nothing in the new one. Safe for use by several threads.
 */
final class Terms implements ReconcileTerm {

    private final List<LeaderElector> electors;
    private final List<ScopedFence> clients;
    private final AtomicLongArray opened;

    /**
     * No shard has been opened.
     *
     * @param electors who competes for each shard's Lease; none if there is no election, and everything may always run
     * @param clients the fences of those clients that reconciles write with
     */
    Terms(List<LeaderElector> electors, List<ScopedFence> clients) {
        this.electors = electors;
        this.clients = clients;
        this.opened = new AtomicLongArray(electors.size());
        for (int shard = 0; shard < electors.size(); shard++) {
            opened.set(shard, -1);
        }
    }

    /**
     * A shard is about to be opened.
     *
     * @param term the elector's number of the term in which that was prepared
     */
    void open(int shard, long term) {
        opened.set(shard, term);
    }

    @Override
    public boolean lasts(int shard) {
        return electors.isEmpty() || isNow(shard, opened.get(shard));
    }

    @Override
    public @Nullable Result within(int shard, Supplier<@Nullable Result> reconcile) {
        if (electors.isEmpty()) {
            return reconcile.get();
        }
        WriteFence own = fence(shard);
        Supplier<@Nullable Result> fenced = reconcile;
        for (ScopedFence client : clients) {
            Supplier<@Nullable Result> inner = fenced;
            fenced = () -> client.within(own, inner);
        }
        return fenced.get();
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
