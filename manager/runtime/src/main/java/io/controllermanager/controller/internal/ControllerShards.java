package io.controllermanager.controller.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.time.Clock;
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

    private final Clock clock;

    @GuardedBy("this")
    private boolean paused;

    /** By the monotonic clock, since when keys are given out. Written under the monitor. */
    private volatile long givingOutSince;

    @GuardedBy("this")
    private boolean givingOut;

    /** Makes all of them, by their numbers. */
    ControllerShards(KeyShards keys, WorkQueue<Request> queue, Clock clock, IntFunction<Shard> make) {
        this.keys = keys;
        this.queue = queue;
        this.clock = clock;
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
        boolean before = givingOut;
        givingOut = !paused && all.stream().anyMatch(Shard::isOpen);
        if (givingOut && !before) {
            givingOutSince = clock.nanoTime();
            queue.resume();
        } else if (!givingOut) {
            queue.pause();
        }
    }

    /** Whether keys are given out. */
    synchronized boolean isGivingOut() {
        return givingOut;
    }

    /** By the monotonic clock, since when keys are given out; when they were last, if they are not. */
    long givingOutSince() {
        return givingOutSince;
    }
}
