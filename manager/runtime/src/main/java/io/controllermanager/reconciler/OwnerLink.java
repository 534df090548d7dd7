package io.controllermanager.reconciler;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.json.ApiJson;
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

    /**
     * An object's owners with this one among them, or without it if it is no owner that the garbage collector is to know.
     *
     * @param present those that it has so far, not changed; null for none
     */
    static JsonArray owners(
            @Nullable JsonElement present, KubernetesObject owner, ChildRules<?> rules, ResourceType<?> ownerType) {
        JsonArray owners = new JsonArray();
        if (present instanceof JsonArray list) {
            list.asList().stream()
                    .filter(one -> !one.getAsJsonObject()
                            .get("uid")
                            .getAsString()
                            .equals(owner.getMetadata().getUid()))
                    .forEach(owners::add);
        }
        if (!rules.linked(ownerType)) {
            owners.add(ApiJson.tree(to(owner, ownerType)));
        }
        return owners;
    }

    static boolean isControlledBy(KubernetesObject object, KubernetesObject owner) {
        String uid = controllerUid(object);
        return uid != null && uid.equals(owner.getMetadata().getUid());
    }

    /** Whether the owner is one of the object's, so that the garbage collector deletes that with it. */
    static boolean isOwnedBy(KubernetesObject object, KubernetesObject owner) {
        List<V1OwnerReference> owners = object.getMetadata().getOwnerReferences();
        String uid = owner.getMetadata().getUid();
        return owners != null && owners.stream().anyMatch(one -> one.getUid().equals(uid));
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
