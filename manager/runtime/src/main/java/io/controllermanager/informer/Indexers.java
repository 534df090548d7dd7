package io.controllermanager.informer;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The usual functions for {@link Informer#addIndexers}; an index by namespace is always there. */
public final class Indexers {

    private Indexers() {}

    /** By the uids of all owners. */
    public static <T extends KubernetesObject> Function<T, List<String>> ownerUids() {
        return object -> {
            List<V1OwnerReference> owners = object.getMetadata().getOwnerReferences();
            return owners == null
                    ? List.of()
                    : owners.stream().map(V1OwnerReference::getUid).toList();
        };
    }

    /** By the value of a label; objects without it are not in the index. */
    public static <T extends KubernetesObject> Function<T, List<String>> label(String key) {
        return object -> {
            V1ObjectMeta metadata = object.getMetadata();
            String value =
                    metadata.getLabels() == null ? null : metadata.getLabels().get(key);
            return value == null ? List.of() : List.of(value);
        };
    }

    /**
     * By one field's value; objects without it are not in the index.
     *
     * @param value gives the value, null for none
     */
    public static <T extends KubernetesObject> Function<T, List<String>> field(Function<T, @Nullable String> value) {
        return object -> {
            String found = value.apply(object);
            return found == null ? List.of() : List.of(found);
        };
    }
}
