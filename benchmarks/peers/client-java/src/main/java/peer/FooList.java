package peer;

import io.kubernetes.client.common.KubernetesListObject;
import io.kubernetes.client.openapi.models.V1ListMeta;
import java.util.ArrayList;
import java.util.List;

/** A list of Foos. */
public final class FooList implements KubernetesListObject {

    private String apiVersion;
    private String kind;
    private V1ListMeta metadata;
    private List<Foo> items = new ArrayList<>();

    @Override
    public V1ListMeta getMetadata() {
        return metadata;
    }

    @Override
    public List<Foo> getItems() {
        return items;
    }

    @Override
    public String getApiVersion() {
        return apiVersion;
    }

    @Override
    public String getKind() {
        return kind;
    }
}
