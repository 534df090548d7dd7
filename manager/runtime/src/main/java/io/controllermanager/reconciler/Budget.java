package io.controllermanager.reconciler;

import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.controller.PolicyRules;
import io.controllermanager.event.EventChannel;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.informer.Selection;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1PolicyRule;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How many objects that have a value of an index in common may be not ready at a time because of their controller. The
 * description has it before there is a controller, whose {@link BudgetGate} keeps to it.
 *
 * @param <T> the objects' class
 */
final class Budget<T extends KubernetesObject> {

    final Index<T> index;
    final int most;

    /** The objects that count even if they have no slot, under the same values. */
    final Index<T> notReady;

    /** Keys that are brought in though their objects have not changed. */
    final EventChannel<Set<Request>> woken = new EventChannel<>();

    volatile @Nullable BudgetGate<T> gate;

    Budget(Index<T> index, int most, Predicate<T> ready) {
        if (most < 1) {
            throw new IllegalArgumentException("a budget must allow one object at least, but allows " + most);
        }
        this.index = index;
        this.most = most;
        this.notReady = new Index<>(
                "budget: not ready",
                object -> isLeaving(object) || ready.test(object)
                        ? List.of()
                        : index.values().apply(object));
    }

    /**
     * Whether the condition {@code Ready} is True, of whichever generation: a spec that nobody has looked at yet makes nothing
     * unready. A reconcile that failed does not say so either. After an outage of the API server all objects would count, and
     * no slot would be free.
     */
    static boolean saysReady(KubernetesObject object) {
        V1Condition condition = Conditions.of(object, ErrorCondition.TYPE);
        return condition != null && ("True".equals(condition.getStatus()) || ErrorCondition.isOne(condition));
    }

    /** Whether an object does not count unless it has a slot. */
    boolean isReady(T object) {
        return notReady.values().apply(object).isEmpty();
    }

    /** Whether it is being deleted, so that it is not the controller that makes it unready. */
    static boolean isLeaving(KubernetesObject object) {
        return object.getMetadata().getDeletionTimestamp() != null;
    }

    Budget<T> addTo(ControllerDescription<T> description) {
        if (description.budget != null) {
            throw new IllegalArgumentException(
                    "a controller has one budget, but its description has a second one by the index \"" + index.name()
                            + "\"");
        }
        description
                .index(index)
                .index(notReady)
                // The cache of a type that is watched has the objects of all shards.
                .watches(Selection.of(description.type), this::woken, this::countsOtherwise)
                .source(woken, keys -> keys)
                .rights(PolicyRules.of(description.type, "get"));
        return this;
    }

    /** What the controller may do in the host's namespace. */
    static V1PolicyRule hostRight() {
        return PolicyRules.of(ResourceTypes.CONFIG_MAP, "get", "list", "watch", "create", "update");
    }

    private Set<Request> woken(T object) {
        Set<Request> keys = new HashSet<>();
        BudgetGate<T> current = gate;
        if (current != null) {
            index.values().apply(object).forEach(value -> keys.addAll(current.next(value)));
            Request own = Keys.of(object);
            if (current.concerns(own)) {
                keys.add(own);
            }
        }
        return keys;
    }

    /** Any other change leaves as many that are not ready; the slots tell of themselves. */
    private boolean countsOtherwise(ResourceEvent<T> event) {
        return !(event instanceof ResourceEvent.Updated<T> update) || OwnEvents.concernsIndex(notReady, update);
    }

    /** Refuses a budget of a type whose objects do not say whether they are ready. */
    static void checkConditions(String controller, ResourceType<?> type) {
        if (!DeclaredClass.mayHaveConditions(type.objectClass())) {
            throw new IllegalArgumentException("controller \"" + controller + "\" has a budget, but the status of "
                    + type.objectClass().getName() + " has no conditions: say which objects are ready");
        }
    }
}
