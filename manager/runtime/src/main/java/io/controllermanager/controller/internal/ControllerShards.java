package io.controllermanager.controller.internal;

import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.controller.internal.KeyMemories.Deletion;
import io.controllermanager.informer.Shards;
import io.controllermanager.workqueue.internal.WorkQueue;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * All shards of a controller, and which of them a key belongs to. By uid it is that of the object that bears the name, or bore
 * it last. The queue gives out keys while any of them is open and no operator has paused the controller. Safe for use by several
 * threads.
 */
final class ControllerShards {

    final List<Shard> all;
    private final ControllerParts parts;
    private final Shards shards;
    private final WorkQueue<Request> queue;
    final Runnable opening;
    private volatile boolean paused;

    /** Whether keys are given out. Written under the monitor, as is what follows. */
    volatile boolean givingOut;

    /** By the monotonic clock, since when keys are given out; when they were last, if they are not. */
    volatile long givingOutSince;

    /**
     * Makes all of them, by their numbers.
     *
     * @param opening told when one is opened, before keys are given out
     */
    ControllerShards(ControllerParts parts, WorkQueue<Request> queue, Runnable opening) {
        this.parts = parts;
        this.shards = parts.shards();
        this.queue = queue;
        this.opening = opening;
        this.all = IntStream.range(0, shards.count())
                .mapToObj(number -> new Shard(number, this, parts, queue))
                .toList();
        queue.pause(true);
    }

    /** Only then a deleted object's shard cannot be told from its key. */
    private boolean byUid() {
        return shards.divide() && shards.by() == Shards.By.UID;
    }

    /** The key's shard; null if none is known, which can be where keys are divided by uid, or it cannot be worked on. */
    @Nullable
    Shard of(Request key) {
        if (!parts.served().test(key)) {
            return null;
        }
        if (!shards.divide()) {
            return all.get(0);
        }
        if (byUid()) {
            String uid = parts.uids().apply(key);
            Deletion deletion = deletion(key);
            if (uid == null && deletion != null) {
                uid = deletion.uid;
            } else if (deletion != null && !deletion.uid.equals(uid)) {
                // What is found may be older than a deletion of that very object: only another object's is forgotten.
                parts.memories().dealtWith(key, deletion);
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
            parts.memories().deleted(Keys.of(object), metadata.getUid());
        }
    }

    /** The deletion that is remembered of a key, null for none. */
    @Nullable
    Deletion deletion(Request key) {
        // Asked for each key that a worker takes.
        return byUid() ? parts.memories().deletion(key) : null;
    }

    boolean anyIsOpen() {
        return all.stream().anyMatch(Shard::isOpen);
    }

    synchronized void pause(boolean newPaused) {
        paused = newPaused;
        all.forEach(shard -> shard.pause(newPaused));
        turned();
    }

    /** A shard was opened or closed. */
    synchronized void turned() {
        boolean gives = !paused && anyIsOpen();
        if (gives && !givingOut) {
            givingOutSince = parts.clock().nanoTime();
        }
        givingOut = gives;
        queue.pause(!gives);
    }
}
