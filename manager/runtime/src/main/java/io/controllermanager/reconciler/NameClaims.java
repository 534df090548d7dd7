package io.controllermanager.reconciler;

import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.controller.internal.KeyMemories;
import io.controllermanager.event.RequestMapper;
import io.controllermanager.event.ResourceEvent;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

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

    /** From now on a change of the child concerns the owner, which waits for no other. */
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
            Child changed = new Child(type, Keys.of(child));
            return waiting.entrySet().stream()
                    .filter(claim -> claim.getValue().equals(changed))
                    .map(Map.Entry::getKey)
                    .collect(Collectors.toSet());
        };
    }

    /** Whether an object's name has come into other hands, or may have. */
    static <C extends KubernetesObject> boolean mayHaveChangedHands(ResourceEvent<C> event, ChildLink link) {
        return !(event instanceof ResourceEvent.Updated<C> updated)
                || !Objects.equals(OwnerLink.controllerUid(updated.before()), OwnerLink.controllerUid(updated.object()))
                || !Objects.equals(link.shownOwnerOf(updated.before()), link.shownOwnerOf(updated.object()));
    }
}
