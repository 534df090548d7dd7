package io.controllermanager.reconciler;

import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.Keys;
import io.controllermanager.controller.internal.KeyMemories;
import io.controllermanager.event.RequestMapper;
import io.controllermanager.event.ResourceEvent;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which objects wait for a name that another owner holds: a change of the object of that name concerns them, though they do
 * not own it. Each waits for one child at a time; few do at once.
 *
 * <p>A claim must be made before the cache is read for the last time, or a change in between goes unseen. Safe for use by
 * several threads.
 */
final class NameClaims {

    /** By owner. The description refers to the claims before the controller, which remembers them, is made. */
    private volatile Map<Request, Child> waiting = Map.of();

    private record Child(ResourceType<?> type, Request key) {}

    void keepIn(KeyMemories memories) {
        waiting = memories.part();
    }

    /** From now on a change of the child concerns the owner. */
    void add(Request owner, ResourceType<?> type, Request child) {
        waiting.put(owner, new Child(type, child));
    }

    /** The owner waits no more. */
    void remove(Request owner) {
        waiting.remove(owner);
    }

    /** From a child to those that wait for its name. */
    <C extends KubernetesObject> RequestMapper<C> mapper(ResourceType<C> type) {
        return child -> {
            Child wanted = new Child(type, Keys.of(child));
            Set<Request> owners = new HashSet<>();
            waiting.forEach((owner, claimed) -> {
                if (claimed.equals(wanted)) {
                    owners.add(owner);
                }
            });
            return owners;
        };
    }

    /** Whether an object's name has come into other hands, or may have. */
    static <C extends KubernetesObject> boolean mayHaveChangedHands(ResourceEvent<C> event) {
        return !(event instanceof ResourceEvent.Updated<C> updated)
                || !Objects.equals(controllerUid(updated.before()), controllerUid(updated.object()));
    }

    private static @Nullable String controllerUid(KubernetesObject object) {
        V1OwnerReference controller = OwnerLink.controllerOf(object);
        return controller == null ? null : controller.getUid();
    }
}
