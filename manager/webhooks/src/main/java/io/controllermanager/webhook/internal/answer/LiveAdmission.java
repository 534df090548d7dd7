package io.controllermanager.webhook.internal.answer;

import io.controllermanager.informer.Selection;
import io.controllermanager.reconciler.Index;
import io.controllermanager.webhook.Admission;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1UserInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One request of the API server. */
record LiveAdmission<T extends KubernetesObject>(
        Operation operation,
        @Nullable String namespace,
        V1UserInfo user,
        boolean isDryRun,
        @Nullable T before,
        WebhookCaches caches)
        implements Admission<T> {

    @Override
    public <R extends KubernetesObject> @Nullable R find(Selection<R> selection, String name) {
        return caches.find(selection, namespace, name);
    }

    @Override
    public <R extends KubernetesObject> List<R> find(Index<R> index, String value) {
        return caches.find(index, value);
    }
}
