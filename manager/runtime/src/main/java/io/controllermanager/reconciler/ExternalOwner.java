package io.controllermanager.reconciler;

import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.client.internal.request.MetadataPatch;
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
    private final ResourceClient<T> client;

    ExternalOwner(LiveReconciliation<T> reconciliation, ResourceClient<T> client) {
        this.reconciliation = reconciliation;
        this.client = client;
    }

    @Override
    public Request key() {
        return Keys.of(reconciliation.object());
    }

    @Override
    public String identity() {
        ResourceType<T> type = client.type();
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
        reconciliation.goOnWith(client.patch(
                metadata.getNamespace(), metadata.getName(), MetadataPatch.annotation(metadata, name, value)));
    }

    @Override
    public void confirm(String name) throws ApiException {
        V1ObjectMeta metadata = reconciliation.object().getMetadata();
        T newest = client.get(metadata.getNamespace(), metadata.getName());
        if (newest != null
                && Objects.equals(metadata.getUid(), newest.getMetadata().getUid())
                && !Objects.equals(annotation(name), annotation(newest, name))) {
            throw new ApiException(409, "the cache is behind what " + name + " records");
        }
    }

    @Override
    public void comesAgain(Duration after) {
        if (after.compareTo(Duration.ZERO) > 0) {
            reconciliation.comesAgain(reconciliation.context().clock().now().plus(after));
        }
    }
}
