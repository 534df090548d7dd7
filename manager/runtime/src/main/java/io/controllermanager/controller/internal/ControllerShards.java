package io.controllermanager.controller.internal;

import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;

/**
 * Opens and closes the shards of a {@link Controller} one by one, while its workers go on. All are closed at first. One thread
 * opens and closes a shard; all else may be called by any.
 */
public final class ControllerShards {

    private final ShardGates gates;
    private final WorkerPool pool;

    ControllerShards(ShardGates gates, WorkerPool pool) {
        this.gates = gates;
        this.pool = pool;
    }

    /** The shard of a key, from 0; negative if none is known, which can be where keys are divided by uid. */
    public int of(Request key) {
        return gates.of(key);
    }

    /** Whether reconciles of the shard may begin. */
    public boolean isOpen(int shard) {
        return gates.isOpen(shard);
    }

    /**
     * Lets reconciles of a shard begin, and queues what was remembered of its keys. Whoever calls this has every cached object
     * of the shard looked at afterwards.
     */
    public void open(int shard) {
        gates.open(shard);
        // Whoever waits for the end of the shard's reconciles need not any more.
        pool.gaveBack();
    }

    /**
     * When this returns, no reconcile of the shard begins any more; its keys are remembered as on a standby. Keys of it that
     * are queued are set aside as workers come to them. Keys of other shards do not notice.
     */
    public void close(int shard) {
        gates.close(shard);
        pool.all().forEach(Worker::passEntry);
    }

    /**
     * Waits until none of the reconciles of a shard runs that has been closed. Ends early if it is opened again.
     *
     * @param limit how long they may go on before they are interrupted; zero interrupts them at once and does not wait
     * @return whether every one has ended, or none has to any more
     */
    public boolean drain(int shard, Duration limit) throws InterruptedException {
        int closed = gates.turns(shard);
        return pool.drain(shard, limit, () -> gates.turns(shard) == closed && !gates.isOpen(shard));
    }

    /** Interrupts the reconciles of a shard that has been closed, and returns without waiting for them. */
    public void interrupt(int shard) {
        pool.interrupt(shard);
    }

    /** Whether a reconcile of the shard runs, one that was interrupted and does not end included. */
    public boolean isReconciling(int shard) {
        return pool.isReconciling(shard);
    }

    /** Whether a reconcile of the shard runs on though it was told to end. */
    public boolean hasGivenUp(int shard) {
        return pool.all().stream().anyMatch(worker -> worker.isReconciling(shard) && worker.isGivenUp());
    }
}
