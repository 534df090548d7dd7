package io.controllermanager.controller.internal;

import io.controllermanager.client.internal.request.BoundedMap;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.informer.Shards;
import io.controllermanager.time.Clock;
import io.controllermanager.workqueue.internal.WorkQueue;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * All shards of a controller, and which of them a key belongs to. By uid it is that of the object that bears the name, or bore
 * it last. The queue gives out keys while any of them is open and no operator has paused the controller. Safe for use by several
 * threads.
 */
final class ControllerShards {

    /** Of how many deleted objects the uid is remembered; the one that was asked for longest ago gives way. */
    private static final int MOST_DELETED = 10_000;

    final List<Shard> all;
    private final Shards shards;
    private final Function<Request, @Nullable String> uids;
    private final Predicate<Request> served;
    private final WorkQueue<Request> queue;
    private final Map<Request, Deletion> deleted = Collections.synchronizedMap(new BoundedMap<>(MOST_DELETED));
    private final Clock clock;
    private volatile boolean paused;

    /** Written under the monitor, as is what follows. */
    private volatile boolean givingOut;

    /** By the monotonic clock, since when keys are given out. */
    private volatile long givingOutSince;

    /** That the object of a key is gone; another one each time. */
    static final class Deletion {

        private final String uid;

        private Deletion(String uid) {
            this.uid = uid;
        }
    }

    /** Makes all of them, by their numbers. */
    ControllerShards(ControllerBuilder parts, WorkQueue<Request> queue, IntFunction<Shard> make) {
        this.shards = parts.shards;
        this.uids = parts.uids;
        this.served = parts.served;
        this.queue = queue;
        this.clock = parts.clock;
        this.all = IntStream.range(0, shards.count()).mapToObj(make).toList();
        queue.pause();
    }

    /** Only then a deleted object's shard cannot be told from its key. */
    private boolean byUid() {
        return shards.divide() && shards.by() == Shards.By.UID;
    }

    /** The key's shard; null if none is known, which can be where keys are divided by uid, or it cannot be worked on. */
    @Nullable
    Shard of(Request key) {
        if (!served.test(key)) {
            return null;
        }
        if (!shards.divide()) {
            return all.get(0);
        }
        if (byUid()) {
            String uid = uids.apply(key);
            Deletion deletion = deletion(key);
            if (uid == null && deletion != null) {
                uid = deletion.uid;
            } else if (deletion != null && !deletion.uid.equals(uid)) {
                // What is found may be older than a deletion of that very object: only another object's is forgotten.
                dealtWith(key, deletion);
            }
            return uid == null ? null : all.get(shards.of(key.getNamespace(), key.getName(), uid));
        }
        // A key of no namespace comes from a mapper: one process must have it.
        String namespace =
                shards.byNamespace() ? Objects.requireNonNullElse(key.getNamespace(), "") : key.getNamespace();
        return all.get(shards.of(namespace, key.getName(), null));
    }

    /** An object of the type that the controller is for is gone; its key is still to be found. */
    void deleted(KubernetesObject object) {
        V1ObjectMeta metadata = object.getMetadata();
        if (byUid() && metadata != null && metadata.getUid() != null) {
            deleted.put(Keys.of(object), new Deletion(metadata.getUid()));
        }
    }

    /** The deletion that is remembered of a key, null for none. */
    @Nullable
    Deletion deletion(Request key) {
        // Asked for each key that a worker takes.
        return byUid() ? deleted.get(key) : null;
    }

    /**
     * Nothing is left to do about a deletion, so that the key is of no shard until there is an object again: that one may be
     * of another shard, which another process has. A later deletion stays.
     */
    void dealtWith(Request key, Deletion deletion) {
        deleted.remove(key, deletion);
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
    boolean isGivingOut() {
        return givingOut;
    }

    /** By the monotonic clock, since when keys are given out; when they were last, if they are not. */
    long givingOutSince() {
        return givingOutSince;
    }
}
