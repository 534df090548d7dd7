package io.controllermanager.reconciler;

import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.Keys;
import io.controllermanager.event.RequestMapper;
import io.controllermanager.event.ResourceEvent;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which objects wait for a name that another owner holds: a change of the object of that name concerns them, though they do
 * not own it.
 *
 * <p>A claim must be made before the cache is read for the last time, or a change in between goes unseen. Safe for use by
 * several threads.
 */
final class NameClaims {

    private final Map<Request, Child> childByOwner = new HashMap<>();
    private final Map<Child, Set<Request>> ownersByChild = new HashMap<>();

    private record Child(ResourceType<?> type, Request key) {}

    /** From now on a change of the child concerns the owner, which waits for one child at a time. */
    synchronized void add(Request owner, ResourceType<?> type, Request child) {
        remove(owner);
        Child wanted = new Child(type, child);
        childByOwner.put(owner, wanted);
        ownersByChild.computeIfAbsent(wanted, key -> new HashSet<>()).add(owner);
    }

    /** The owner waits no more. */
    synchronized void remove(Request owner) {
        Child child = childByOwner.remove(owner);
        if (child != null) {
            ownersByChild.computeIfPresent(child, (key, owners) -> {
                owners.remove(owner);
                return owners.isEmpty() ? null : owners;
            });
        }
    }

    synchronized Set<Request> ownersOf(ResourceType<?> type, Request child) {
        return Set.copyOf(ownersByChild.getOrDefault(new Child(type, child), Set.of()));
    }

    /** From a child to those that wait for its name. */
    <C extends KubernetesObject> RequestMapper<C> mapper(ResourceType<C> type) {
        return child -> ownersOf(type, Keys.of(child));
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
