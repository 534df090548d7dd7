package io.controllermanager.reconciler;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.controllermanager.client.ApiDiscovery;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.client.internal.json.MergeDiff;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.controller.ControllerContext;
import io.controllermanager.controller.internal.KeyMemories;
import io.controllermanager.time.Clock;
import io.controllermanager.types.CustomObject;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the status of objects where it differs. An {@link ObjectReconciler} has it in its {@link Reconciliation}; a
 * reconciler of client-java makes one when it is made. It copes with what the installed CRD makes of a status:
 *
 * <ul>
 *   <li>With a status subresource the status is written through that.
 *   <li>Without one it is part of the object and is written with it.
 *   <li>Where the CRD's schema does not know a field, the API server drops it. The answer shows that, and the same is not
 *       written again for ten minutes.
 * </ul>
 *
 * <p>A merge patch says just what differs, in one request, so that fields which others write stay. One that replaces a list,
 * such as conditions, holds only for the resourceVersion it was made from: if others have written meanwhile it is a conflict,
 * and nobody's condition is lost. (Server-side apply would need the CRD to declare the list a map, and leaves fields behind
 * that were once written by update.) The CRD may be replaced at any time. Safe for use by several threads.
 *
 * @param <T> the objects' class
 */
public final class StatusWriter<T extends KubernetesObject> {

    private static final Logger log = LoggerFactory.getLogger(StatusWriter.class);

    /** After so long a dropped field is tried again: the CRD may know it by now. */
    private static final long REMEMBERED = Duration.ofMinutes(10).toNanos();

    private final ResourceClient<T> client;
    private final ApiDiscovery discovery;
    private final Clock clock;
    private final boolean observesGeneration;

    /** Of each object of which the API server dropped fields, those. */
    private final Map<Request, Dropped> dropped;

    private record Dropped(@Nullable String uid, JsonObject patch, long at) {}

    /** Writes through a client: the host's, so that a process that has lost leadership writes nothing. */
    public StatusWriter(ApiClient apiClient, ResourceType<T> type, Clock clock) {
        this(apiClient, type, clock, new KeyMemories());
    }

    /** Remembers among the other things that a controller remembers of its keys. */
    StatusWriter(ApiClient apiClient, ResourceType<T> type, Clock clock, KeyMemories memories) {
        this.client = new ResourceClient<>(apiClient, type);
        this.discovery = new ApiDiscovery(apiClient, clock);
        this.clock = clock;
        this.dropped = memories.part();
        this.observesGeneration = DeclaredClass.hasField(client.type().objectClass(), "observedGeneration");
    }

    /** Writes with what a controller is made with. */
    public static <T extends KubernetesObject> StatusWriter<T> of(ControllerContext context, ResourceType<T> type) {
        return new StatusWriter<>(context.apiClient(), type, context.clock());
    }

    /** As {@link #write(KubernetesObject, Object, List)}, without conditions. */
    public boolean write(T object, Object status) throws ApiException {
        return write(object, status, List.of());
    }

    /**
     * Writes the status if the object does not say this yet.
     *
     * @param object as the caller knows it, from a lister for example; not changed
     * @param status what the status is to say; fields that are null in it are taken away, conditions apart, and {@code
     *     observedGeneration} is filled in where the class has it. Null to leave all but the conditions as it is
     * @param conditions those to set next to others that the status has; see {@link Conditions}
     * @return whether the object has changed
     * @throws ApiException if it cannot be written; 409 if others have written meanwhile, 404 if the object is gone
     */
    public boolean write(T object, @Nullable Object status, List<StatusCondition> conditions) throws ApiException {
        return write(object, status, conditions, false);
    }

    /** As the other; on request without the condition that tells of a failure. */
    boolean write(T object, @Nullable Object status, List<StatusCondition> conditions, boolean recovered)
            throws ApiException {
        V1ObjectMeta metadata = object.getMetadata();
        Request key = Keys.of(object);
        JsonObject before = statusOf(object);
        JsonObject after = wanted(before, status, conditions, recovered, metadata.getGeneration());
        JsonObject patch = MergeDiff.between(before, after);
        if (!patch.isEmpty() && metadata.getGeneration() != null && !discovery.hasStatusSubresource(client.type())) {
            // There a write of the status makes a new generation, which it could never tell.
            after = wanted(before, status, conditions, recovered, null);
            patch = MergeDiff.between(before, after);
        }
        if (patch.isEmpty()) {
            dropped.remove(key);
            return false;
        }
        Dropped last = dropped.get(key);
        if (last != null
                && Objects.equals(last.uid(), metadata.getUid())
                && last.patch().equals(timeless(patch))
                && clock.nanoTime() - last.at() < REMEMBERED) {
            return false;
        }
        JsonObject body = new JsonObject();
        if (MergeDiff.replacesList(patch)) {
            JsonObject precondition = new JsonObject();
            precondition.addProperty("resourceVersion", metadata.getResourceVersion());
            body.add("metadata", precondition);
        }
        body.add("status", patch);
        JsonObject missing = send(key, body, patch, after);
        if (missing.isEmpty()) {
            dropped.remove(key);
            return true;
        }
        dropped.put(key, new Dropped(metadata.getUid(), timeless(missing), clock.nanoTime()));
        log.atDebug().log("The installed CRD of {} does not keep {}", client.type(), missing.keySet());
        return !missing.equals(patch);
    }

    /** The time of a condition that is never kept would make each patch another one. */
    private static JsonObject timeless(JsonObject patch) {
        JsonObject copy = patch.deepCopy();
        Conditions.list(copy).forEach(condition -> condition.getAsJsonObject().remove("lastTransitionTime"));
        return copy;
    }

    /** Forgets an object that is gone. */
    public void forget(Request object) {
        dropped.remove(object);
    }

    static JsonObject statusOf(KubernetesObject object) {
        // Of most objects without the rest, of which nothing is looked at.
        JsonElement status = object instanceof CustomObject<?, ?> own
                ? ApiJson.tree(own.status())
                : ApiJson.tree(object).getAsJsonObject().get("status");
        return status instanceof JsonObject present ? present : new JsonObject();
    }

    private JsonObject wanted(
            JsonObject before,
            @Nullable Object status,
            List<StatusCondition> conditions,
            boolean recovered,
            @Nullable Long generation) {
        JsonObject wanted =
                status == null ? before.deepCopy() : ApiJson.tree(status).getAsJsonObject();
        if (!wanted.has("conditions") && before.has("conditions")) {
            wanted.add("conditions", before.get("conditions"));
        }
        if (recovered && wanted.has("conditions")) {
            wanted.add("conditions", Conditions.withoutFailure(Conditions.list(wanted)));
        }
        if (!conditions.isEmpty()) {
            wanted.add("conditions", Conditions.merge(Conditions.list(wanted), conditions, generation, clock.now()));
        }
        if (observesGeneration && generation != null) {
            wanted.addProperty("observedGeneration", generation);
        }
        return wanted;
    }

    /** Returns what the API server did not keep. */
    private JsonObject send(Request key, JsonObject body, JsonObject patch, JsonObject wanted) throws ApiException {
        boolean subresource = discovery.hasStatusSubresource(client.type());
        JsonObject missing = patch;
        try {
            missing = patch(key, body, patch, wanted, subresource);
            if (subresource || !missing.equals(patch)) {
                return missing;
            }
        } catch (ApiException e) {
            if (e.getCode() != 404 || !subresource) {
                throw e;
            }
        }
        // Either the object is gone or discovery remembers an older CRD: a write of the object leaves the status alone
        // where there is a subresource, and a write to one that is not there finds nothing.
        discovery.invalidate(client.type());
        boolean now = discovery.hasStatusSubresource(client.type());
        return now == subresource && !subresource ? missing : patch(key, body, patch, wanted, now);
    }

    private JsonObject patch(Request key, JsonObject body, JsonObject patch, JsonObject wanted, boolean subresource)
            throws ApiException {
        Patch merge = new Patch.Merge(body.toString());
        T answer = subresource
                ? client.patchStatus(key.getNamespace(), key.getName(), merge)
                : client.patch(key.getNamespace(), key.getName(), merge);
        JsonObject missing = MergeDiff.between(statusOf(answer), wanted);
        missing.keySet().retainAll(patch.keySet());
        return missing;
    }
}
