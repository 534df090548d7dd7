package io.controllermanager.controller.internal;

import io.controllermanager.workqueue.internal.WorkQueue;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * All shards of a controller, and which of them a key belongs to. The queue gives out keys while any of them is open and no
 * operator has paused the controller. Safe for use by several threads.
 */
final class ControllerShards {

    final KeyShards keys;
    final List<Shard> all;
    private final WorkQueue<Request> queue;

    private volatile boolean paused;

    /** Makes all of them, by their numbers. */
    ControllerShards(KeyShards keys, WorkQueue<Request> queue, IntFunction<Shard> make) {
        this.keys = keys;
        this.queue = queue;
        this.all = IntStream.range(0, keys.count()).mapToObj(make).toList();
        queue.pause();
    }

    /** The key's shard; null if none is known, which can be where keys are divided by uid, or it cannot be worked on. */
    @Nullable
    Shard of(Request key) {
        int number = keys.of(key);
        return number == KeyShards.UNKNOWN ? null : all.get(number);
    }

    /** Queues a key, or has its shard remember it if that is closed. One of no shard is dropped. */
    void enqueue(Request key, int priority) {
        Shard shard = of(key);
        if (shard != null && !shard.remembers(key, priority)) {
            queue.add(key, priority);
        }
    }

    /**
     * Gives back a key that was taken and is not reconciled. While the queue gives out keys of other shards, a closed shard's
     * is remembered instead; false then, as what is known of it here is outdated by the time that it comes.
     */
    boolean putBack(Request key, Shard shard) {
        boolean others = all.stream().anyMatch(Shard::isOpen);
        if (others && shard.remembers(key, WorkQueue.NORMAL_PRIORITY)) {
            return false;
        }
        queue.addAgain(key);
        return true;
    }

    synchronized void pause(boolean newPaused) {
        paused = newPaused;
        all.forEach(shard -> shard.pause(newPaused));
        turned();
    }

    /** A shard was opened or closed. */
    synchronized void turned() {
        if (isGivingOut()) {
            queue.resume();
        } else {
            queue.pause();
        }
    }

    /** Whether keys are given out. */
    boolean isGivingOut() {
        return !paused && all.stream().anyMatch(Shard::isOpen);
    }
}
