package io.controllermanager.event;

import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.request.Keys;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The usual ways from an object to the keys it concerns. */
public final class RequestMappers {

    private RequestMappers() {}

    /** The object's own key. */
    public static <T extends KubernetesObject> RequestMapper<T> self() {
        return object -> {
            V1ObjectMeta metadata = object.getMetadata();
            return metadata == null ? Set.of() : Set.of(new Request(metadata.getNamespace(), metadata.getName()));
        };
    }

    /** Always the same key, for objects that concern one other object whatever happens to them. */
    public static <T extends KubernetesObject> RequestMapper<T> always(Request request) {
        Set<Request> requests = Set.of(request);
        return object -> requests;
    }

    /**
     * The key of the object's controlling owner, if that is of the given type. The owner's version does not matter, its
     * group and kind do, as in client-go's {@code metav1.GetControllerOf} and controller-runtime's {@code
     * EnqueueRequestForOwner} with {@code OnlyControllerOwner}.
     */
    public static <T extends KubernetesObject> RequestMapper<T> controllingOwner(ResourceType<?> owner) {
        return object -> owners(object, owner, reference -> Boolean.TRUE.equals(reference.getController()));
    }

    /** The keys of all the object's owners of the given type, whether they control it or not. */
    public static <T extends KubernetesObject> RequestMapper<T> anyOwner(ResourceType<?> owner) {
        return object -> owners(object, owner, reference -> true);
    }

    /** The key in the object's own namespace that is named by the value of one of its labels; none without the label. */
    public static <T extends KubernetesObject> RequestMapper<T> label(String label) {
        return object -> {
            V1ObjectMeta metadata = object.getMetadata();
            String name = metadata == null || metadata.getLabels() == null
                    ? null
                    : metadata.getLabels().get(label);
            return name == null || name.isEmpty() ? Set.of() : Set.of(new Request(metadata.getNamespace(), name));
        };
    }

    /**
     * The key that one of the object's annotations gives: {@code namespace/name}, or just the name of what lives in no
     * namespace; none without the annotation. For owners in other namespaces, which owner references cannot name.
     */
    public static <T extends KubernetesObject> RequestMapper<T> annotation(String annotation) {
        return object -> {
            V1ObjectMeta metadata = object.getMetadata();
            String key = metadata == null || metadata.getAnnotations() == null
                    ? null
                    : metadata.getAnnotations().get(annotation);
            return key == null || key.isEmpty() ? Set.of() : Set.of(Keys.parse(key));
        };
    }

    private static Set<Request> owners(
            KubernetesObject object, ResourceType<?> owner, Predicate<V1OwnerReference> matters) {
        V1ObjectMeta metadata = object.getMetadata();
        if (metadata == null || metadata.getOwnerReferences() == null) {
            return Set.of();
        }
        String namespace = owner.scope() == ResourceType.Scope.NAMESPACED ? metadata.getNamespace() : null;
        return metadata.getOwnerReferences().stream()
                .filter(reference -> matters.test(reference) && owner.isTypeOf(reference))
                .map(reference -> new Request(namespace, reference.getName()))
                .collect(Collectors.toUnmodifiableSet());
    }
}
