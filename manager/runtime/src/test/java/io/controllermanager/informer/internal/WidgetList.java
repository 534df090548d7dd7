package io.controllermanager.informer.internal;

import io.kubernetes.client.common.KubernetesListObject;
import io.kubernetes.client.openapi.models.V1ListMeta;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Widgets, as client-java wants a list. */
final class WidgetList implements KubernetesListObject {

    private @Nullable String apiVersion;
    private @Nullable String kind;
    private V1ListMeta metadata = new V1ListMeta();
    private List<Widget> items = new ArrayList<>();

    @Override
    public @Nullable String getApiVersion() {
        return apiVersion;
    }

    @Override
    public @Nullable String getKind() {
        return kind;
    }

    @Override
    public V1ListMeta getMetadata() {
        return metadata;
    }

    @Override
    public List<Widget> getItems() {
        return items;
    }
}
