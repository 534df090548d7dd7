package io.controllermanager.controller.internal;

import io.controllermanager.time.Clock;
import io.controllermanager.workqueue.internal.WorkQueue;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Stream;

/**
 * Which shards of a controller's keys are worked on here, and what is remembered of the others' keys. A controller that is not
 * divided has one shard, whose gate is always open: that one's workers stop instead. Safe for use by several threads.
 */
final class ShardGates {

    final KeyShards keys;
    private final WorkQueue<Request> queue;
    private final List<StandbyKeys> standby;

    /** How often each shard was opened or closed: odd while it is open. */
    private final AtomicIntegerArray turns;

    /** All shards are closed at first, if there is more than one. */
    ShardGates(KeyShards keys, WorkQueue<Request> queue, Clock clock) {
        this.keys = keys;
        this.queue = queue;
        int most = StandbyKeys.MOST / keys.count();
        this.standby = Stream.generate(() -> new StandbyKeys(clock, most))
                .limit(keys.count())
                .toList();
        this.turns = new AtomicIntegerArray(keys.count());
        if (divide()) {
            standby.forEach(StandbyKeys::begin);
        } else {
            turns.set(0, 1);
        }
    }

    boolean divide() {
        return keys.count() > 1;
    }

    /** The key's shard, {@link KeyShards#UNKNOWN} if it has none. */
    int of(Request key) {
        return keys.of(key);
    }

    /** Whether keys of the shard are worked on. Those of no shard never are. */
    boolean isOpen(int shard) {
        return shard >= 0 && turns.get(shard) % 2 == 1;
    }

    /** Another number after each opening and closing. */
    int turns(int shard) {
        return turns.get(shard);
    }

    /** Queues a key, or remembers it if its shard is not worked on. One of no shard is dropped. */
    void enqueue(Request key, int priority) {
        int shard = of(key);
        if (shard >= 0 && !standby.get(shard).take(key, priority)) {
            queue.add(key, priority);
        }
    }

    /** Keeps a key that a worker has taken and may not work on: remembered where its shard is closed, else in the queue. */
    void setAside(Request key, int shard) {
        if (shard >= 0 && !standby.get(shard).take(key, WorkQueue.NORMAL_PRIORITY)) {
            queue.addAgain(key);
        }
    }

    /** Remembers a shard's keys from now on instead of queueing them. */
    void standBy(int shard) {
        standby.get(shard).begin();
    }

    /** Queues what was remembered of a shard, and its keys from now on. */
    void takeOver(int shard) {
        standby.get(shard).end(queue::add);
    }

    /** Lets reconciles of a shard begin. Open first: what is queued now must not be set aside for ever. */
    void open(int shard) {
        if (!isOpen(shard)) {
            turns.incrementAndGet(shard);
        }
        takeOver(shard);
    }

    /** Lets none begin; whoever has found it open before may still go on. Remembers first: what is set aside must stay. */
    void close(int shard) {
        standBy(shard);
        if (isOpen(shard)) {
            turns.incrementAndGet(shard);
        }
    }
}
