package io.controllermanager.controller.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.informer.Shards;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
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

    @GuardedBy("deleted")
    private final Map<Request, String> deleted = new LinkedHashMap<>(16, 0.75f, true);

    /**
     * With a way to look up the objects.
     *
     * @param uids the uid of the object that bears the name now, null if this process has none; asked only by uid
     */
    KeyShards(Shards shards, Function<Request, @Nullable String> uids) {
        this.shards = shards;
        this.uids = uids;
    }

    int count() {
        return shards.count();
    }

    /** The key's shard, from 0, or {@link #UNKNOWN}. */
    int of(Request key) {
        if (!shards.divide()) {
            return 0;
        }
        if (shards.by() == Shards.By.UID) {
            String uid = uids.apply(key);
            uid = uid == null ? uidOfDeleted(key) : uid;
            return uid == null ? UNKNOWN : shards.of(key.getNamespace(), key.getName(), uid);
        }
        // A key of no namespace comes from a mapper: one process must have it.
        String namespace = shards.by() == Shards.By.NAMESPACE
                ? Objects.requireNonNullElse(key.getNamespace(), "")
                : key.getNamespace();
        return shards.of(namespace, key.getName(), null);
    }

    /** An object of the type that the controller is for is gone; its key is still to be found. */
    void deleted(KubernetesObject object) {
        V1ObjectMeta metadata = object.getMetadata();
        if (!shards.divide() || shards.by() != Shards.By.UID || metadata == null || metadata.getUid() == null) {
            return;
        }
        synchronized (deleted) {
            deleted.put(new Request(metadata.getNamespace(), metadata.getName()), metadata.getUid());
            if (deleted.size() > MOST_DELETED) {
                var oldest = deleted.keySet().iterator();
                oldest.next();
                oldest.remove();
            }
        }
    }

    private @Nullable String uidOfDeleted(Request key) {
        synchronized (deleted) {
            return deleted.get(key);
        }
    }
}
