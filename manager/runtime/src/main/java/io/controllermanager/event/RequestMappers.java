package io.controllermanager.event;

import io.controllermanager.client.ResourceType;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The usual ways from an object to the keys it concerns. */
public final class RequestMappers {

    private RequestMappers() {}

    /** The object's own key. */
    public static <T extends KubernetesObject> RequestMapper<T> self() {
        return object -> Set.of(new Request(
                object.getMetadata().getNamespace(), object.getMetadata().getName()));
    }

    /**
     * The key of the object's controlling owner, if that is of the given type. The owner's version does not matter, its
     * group and kind do, as in client-go's {@code metav1.GetControllerOf} and controller-runtime's {@code
     * EnqueueRequestForOwner}.
     */
    public static <T extends KubernetesObject> RequestMapper<T> controllingOwner(ResourceType<?> owner) {
        return object -> {
            V1ObjectMeta metadata = object.getMetadata();
            V1OwnerReference reference = controllerOf(metadata);
            if (reference == null
                    || !owner.kind().equals(reference.getKind())
                    || !owner.group().equals(groupOf(reference.getApiVersion()))) {
                return Set.of();
            }
            String namespace = owner.scope() == ResourceType.Scope.NAMESPACED ? metadata.getNamespace() : null;
            return Set.of(new Request(namespace, reference.getName()));
        };
    }

    private static @Nullable V1OwnerReference controllerOf(V1ObjectMeta metadata) {
        List<V1OwnerReference> references = metadata.getOwnerReferences();
        if (references == null) {
            return null;
        }
        for (V1OwnerReference reference : references) {
            if (Boolean.TRUE.equals(reference.getController())) {
                return reference;
            }
        }
        return null;
    }

    private static String groupOf(String apiVersion) {
        int slash = apiVersion.indexOf('/');
        return slash < 0 ? "" : apiVersion.substring(0, slash);
    }
}
