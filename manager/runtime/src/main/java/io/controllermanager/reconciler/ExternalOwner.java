package io.controllermanager.reconciler;

import com.google.gson.JsonObject;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.controller.ControllerContext;
import io.controllermanager.external.internal.Owner;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The object that is reconciled, for what it has outside: its annotations hold the record. */
final class ExternalOwner<T extends KubernetesObject> implements Owner {

    private final LiveReconciliation<T> reconciliation;
    private final ResourceType<T> type;
    private final ControllerContext context;
    private @Nullable Duration comesAgain;

    ExternalOwner(LiveReconciliation<T> reconciliation, ResourceType<T> type, ControllerContext context) {
        this.reconciliation = reconciliation;
        this.type = type;
        this.context = context;
    }

    @Override
    public Request key() {
        return Keys.of(reconciliation.object());
    }

    @Override
    public String identity() {
        return type.group() + "/" + type.kind() + "/" + Keys.shown(key());
    }

    @Override
    public @Nullable String annotation(String name) {
        return annotation(reconciliation.object(), name);
    }

    private static @Nullable String annotation(KubernetesObject object, String name) {
        V1ObjectMeta metadata = object.getMetadata();
        return metadata.getAnnotations() == null
                ? null
                : metadata.getAnnotations().get(name);
    }

    /** Holds for the state of the object that is known, so that a cache that is behind leads to nothing. */
    @Override
    public void annotate(String name, @Nullable String value) throws ApiException {
        V1ObjectMeta metadata = reconciliation.object().getMetadata();
        JsonObject annotations = new JsonObject();
        annotations.addProperty(name, value);
        JsonObject part = new JsonObject();
        part.addProperty("resourceVersion", metadata.getResourceVersion());
        part.addProperty("uid", metadata.getUid());
        part.add("annotations", annotations);
        JsonObject patch = new JsonObject();
        patch.add("metadata", part);
        reconciliation.goOnWith(
                client().patch(metadata.getNamespace(), metadata.getName(), new Patch.Merge(patch.toString())));
    }

    @Override
    public void confirm(String name) throws ApiException {
        V1ObjectMeta metadata = reconciliation.object().getMetadata();
        T newest = client().get(metadata.getNamespace(), metadata.getName());
        if (newest != null
                && Objects.equals(metadata.getUid(), newest.getMetadata().getUid())
                && !Objects.equals(annotation(name), annotation(newest, name))) {
            throw new ApiException(409, "the cache is behind what " + name + " records");
        }
    }

    @Override
    public void comesAgain(Duration after) {
        boolean sooner = comesAgain == null || after.compareTo(comesAgain) < 0;
        if (sooner && after.compareTo(Duration.ZERO) > 0) {
            comesAgain = after;
        }
    }

    /** When the object is to come again at the latest, null if nothing asks for that. */
    @Nullable
    Duration comesAgain() {
        return comesAgain;
    }

    private ResourceClient<T> client() {
        return new ResourceClient<>(context.apiClient(), type);
    }
}
