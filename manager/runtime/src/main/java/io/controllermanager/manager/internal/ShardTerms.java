package io.controllermanager.manager.internal;

import io.controllermanager.client.internal.connection.WriteFence;
import io.controllermanager.leaderelection.internal.LeaderElector;
import io.controllermanager.leaderelection.internal.ShardElectors;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;

/**
 * In which term of its Lease each shard of a controller was opened. A Lease that is lost can be taken again before the host
 * has followed the loss: until it has, nothing begins, and what began in the old term writes nothing in the new one. Safe for
 * use by several threads.
 */
final class ShardTerms {

    private final List<LeaderElector> electors;
    private final AtomicLongArray opened;

    /** None has been opened. */
    ShardTerms(ShardElectors electors, int count) {
        this.electors = IntStream.range(0, count).mapToObj(electors::elector).toList();
        this.opened = new AtomicLongArray(count);
        for (int shard = 0; shard < count; shard++) {
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

    /** Whether the term in which a shard was opened lasts. */
    boolean lasts(int shard) {
        return isNow(shard, opened.get(shard));
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
