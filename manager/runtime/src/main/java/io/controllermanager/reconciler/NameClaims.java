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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

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

    /** The same by child, so that an event of one does not look at all that wait. Written while the owner's entry is. */
    private final Map<Child, Set<Request>> owners = new ConcurrentHashMap<>();

    private record Child(ResourceType<?> type, Request key) {}

    void keepIn(KeyMemories memories) {
        waiting = memories.part(this::drop);
    }

    /** From now on a change of the child concerns the owner, which waits for no other. */
    void add(Request owner, ResourceType<?> type, Request child) {
        remove(owner);
        waiting.computeIfAbsent(owner, key -> {
            Child claimed = new Child(type, child);
            owners.compute(claimed, (same, before) -> {
                Set<Request> those = before == null ? ConcurrentHashMap.newKeySet() : before;
                those.add(owner);
                return those;
            });
            return claimed;
        });
    }

    /** The owner waits no more. */
    void remove(Request owner) {
        waiting.computeIfPresent(owner, (key, child) -> {
            drop(owner, child);
            return null;
        });
    }

    private void drop(Request owner, Child child) {
        owners.computeIfPresent(child, (same, those) -> those.remove(owner) && those.isEmpty() ? null : those);
    }

    /** From a child to those that wait for its name. */
    <C extends KubernetesObject> RequestMapper<C> mapper(ResourceType<C> type) {
        return child -> Set.copyOf(owners.getOrDefault(new Child(type, Keys.of(child)), Set.of()));
    }

    /** Whether an object's name has come into other hands, or may have: what is adopted is told by labels and annotations. */
    static <C extends KubernetesObject> boolean mayHaveChangedHands(ResourceEvent<C> event) {
        return !(event instanceof ResourceEvent.Updated<C> updated)
                || !Objects.equals(OwnerLink.controllerUid(updated.before()), OwnerLink.controllerUid(updated.object()))
                || !Objects.equals(
                        updated.before().getMetadata().getAnnotations(),
                        updated.object().getMetadata().getAnnotations())
                || !Objects.equals(
                        updated.before().getMetadata().getLabels(),
                        updated.object().getMetadata().getLabels());
    }
}
