package io.controllermanager.controller.internal;

import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.informer.Shards;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which shard each key of a controller belongs to. By uid it is that of the object that bears the name, or bore it last.
 * Safe for use by several threads.
 */
final class KeyShards {

    /** The key belongs to no shard, as far as this process knows. */
    static final int UNKNOWN = -1;

    /** Of how many deleted objects the uid is remembered; the one that was asked for longest ago gives way. */
    private static final int MOST_DELETED = 10_000;

    private final Shards shards;
    private final Function<Request, @Nullable String> uids;
    private final Predicate<Request> served;

    private final Map<Request, Deletion> deleted = Collections.synchronizedMap(new BoundedMap<>(MOST_DELETED));

    /** That the object of a key is gone; another one each time. */
    static final class Deletion {

        private final String uid;

        private Deletion(String uid) {
            this.uid = uid;
        }
    }

    /**
     * With a way to look up the objects.
     *
     * @param uids the uid of the object that bears the name now, null if this process has none; asked only by uid
     * @param served whether a key can be worked on; one that cannot is of no shard
     */
    KeyShards(Shards shards, Function<Request, @Nullable String> uids, Predicate<Request> served) {
        this.shards = shards;
        this.uids = uids;
        this.served = served;
    }

    int count() {
        return shards.count();
    }

    /** Only then a deleted object's shard cannot be told from its key. */
    private boolean byUid() {
        return shards.divide() && shards.by() == Shards.By.UID;
    }

    /** The key's shard, from 0, or {@link #UNKNOWN}. */
    int of(Request key) {
        if (!served.test(key)) {
            return UNKNOWN;
        }
        if (!shards.divide()) {
            return 0;
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
            return uid == null ? UNKNOWN : shards.of(key.getNamespace(), key.getName(), uid);
        }
        // A key of no namespace comes from a mapper: one process must have it.
        String namespace =
                shards.byNamespace() ? Objects.requireNonNullElse(key.getNamespace(), "") : key.getNamespace();
        return shards.of(namespace, key.getName(), null);
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
}
