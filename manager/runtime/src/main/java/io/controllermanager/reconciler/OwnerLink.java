package io.controllermanager.reconciler;

import io.controllermanager.client.ResourceType;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Who controls an object; as in client-go's {@code metav1.IsControlledBy} the uid decides. */
final class OwnerLink {

    private OwnerLink() {}

    /** What makes the owner the controller of an object. */
    static V1OwnerReference to(KubernetesObject owner, ResourceType<?> type) {
        return new V1OwnerReference()
                .apiVersion(type.apiVersion())
                .kind(type.kind())
                .name(owner.getMetadata().getName())
                .uid(owner.getMetadata().getUid())
                .controller(true)
                .blockOwnerDeletion(true);
    }

    static boolean isControlledBy(KubernetesObject object, KubernetesObject owner) {
        String uid = controllerUid(object);
        return uid != null && uid.equals(owner.getMetadata().getUid());
    }

    /** The owner that controls the object, null if none does. */
    static @Nullable V1OwnerReference controllerOf(KubernetesObject object) {
        List<V1OwnerReference> owners = object.getMetadata().getOwnerReferences();
        return owners == null
                ? null
                : owners.stream()
                        .filter(owner -> Boolean.TRUE.equals(owner.getController()))
                        .findFirst()
                        .orElse(null);
    }

    /** The uid of that owner. */
    static @Nullable String controllerUid(KubernetesObject object) {
        V1OwnerReference controller = controllerOf(object);
        return controller == null ? null : controller.getUid();
    }
}
