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
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The object that is reconciled, whose annotations are records. What is written holds only for a state that was read, so that a
 * cache that is behind leads to nothing, and a write that was long on its way puts nothing back.
 */
record LiveOwner<T extends KubernetesObject>(LiveReconciliation<T> reconciliation, ResourceClient<T> client)
        implements Owner {

    private static final int CONFLICT = 409;

    /** As often as others may write the object between what is done and the record of it; after that it is done again. */
    private static final int ATTEMPTS = 5;

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
    public Instant created() {
        return Objects.requireNonNull(reconciliation.object().getMetadata().getCreationTimestamp())
                .toInstant();
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

    @Override
    public void confirm(String name) throws ApiException {
        goOn(newest(reconciliation.object(), name));
    }

    @Override
    public void annotate(String name, @Nullable String value) throws ApiException {
        goOn(write(reconciliation.object(), name, value));
    }

    @Override
    public void note(String name, @Nullable String value) throws ApiException {
        T before = reconciliation.object();
        T written = null;
        for (int left = ATTEMPTS; written == null; left--) {
            try {
                written = write(before, name, value);
            } catch (ApiException e) {
                if (e.getCode() != CONFLICT || left == 1) {
                    throw e;
                }
                before = newest(reconciliation.object(), name);
            }
        }
        goOn(written);
    }

    /** The status would tell of a spec that the reconciler has not seen. */
    private void goOn(T newer) throws ApiException {
        V1ObjectMeta known = reconciliation.object().getMetadata();
        demand(Objects.equals(known.getGeneration(), newer.getMetadata().getGeneration())
                && Objects.equals(
                        known.getDeletionTimestamp(), newer.getMetadata().getDeletionTimestamp()));
        reconciliation.goOnWith(newer);
    }

    private T newest(T known, String name) throws ApiException {
        V1ObjectMeta metadata = known.getMetadata();
        T newest = client.get(metadata.getNamespace(), metadata.getName());
        demand(newest != null
                && Objects.equals(metadata.getUid(), newest.getMetadata().getUid())
                && Objects.equals(annotation(known, name), annotation(newest, name)));
        return Objects.requireNonNull(newest);
    }

    /** Otherwise the reconcile is tried again, which does not count as failed. */
    private static void demand(boolean same) throws ApiException {
        if (!same) {
            throw new ApiException(CONFLICT, "the object has changed meanwhile");
        }
    }

    private T write(T before, String name, @Nullable String value) throws ApiException {
        V1ObjectMeta metadata = before.getMetadata();
        return client.patch(
                metadata.getNamespace(), metadata.getName(), MetadataPatch.annotation(metadata, name, value));
    }

    @Override
    public void comesAgain(Duration after) {
        if (after.compareTo(Duration.ZERO) > 0) {
            reconciliation.comesAgain(reconciliation.context().clock().now().plus(after));
        }
    }

    @Override
    public void warn(String reason, String message) {
        reconciliation.warn(reason, message);
    }
}
