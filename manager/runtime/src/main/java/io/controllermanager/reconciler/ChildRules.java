package io.controllermanager.reconciler;

import io.controllermanager.client.ResourceType;
import io.controllermanager.informer.Selection;
import io.kubernetes.client.common.KubernetesObject;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How a controller treats the children of one type.
 *
 * @param <C> the children's class
 * @param selection which objects they are
 * @param end what becomes of them when their owner is deleted
 * @param namespaces those in which they may live besides their owner's, empty for any; null for their owner's alone
 * @param adopts which objects that have no controller become children though nothing shows that they were made for their owner;
 *     null if not even those do that show it
 */
record ChildRules<C extends KubernetesObject>(
        Selection<C> selection,
        End end,
        @Nullable Set<String> namespaces,
        @Nullable Predicate<KubernetesObject> adopts) {

    /** What becomes of children when their owner is deleted. */
    enum End {
        /** The garbage collector deletes them. */
        COLLECTED,
        /** The controller deletes them, in an order of its own, while its finalizer holds the owner. */
        TORN_DOWN,
        /** They stay. */
        RETAINED
    }

    static <C extends KubernetesObject> ChildRules<C> of(Selection<C> selection) {
        return new ChildRules<>(selection, End.COLLECTED, null, object -> false);
    }

    ChildRules<C> with(Selection<C> newSelection) {
        return new ChildRules<>(newSelection, end, namespaces, adopts);
    }

    ChildRules<C> with(End newEnd) {
        return new ChildRules<>(selection, newEnd, namespaces, adopts);
    }

    ChildRules<C> in(Set<String> newNamespaces) {
        return new ChildRules<>(selection, end, newNamespaces, adopts);
    }

    ChildRules<C> adopting(@Nullable Predicate<KubernetesObject> newAdopts) {
        return new ChildRules<>(selection, end, namespaces, newAdopts);
    }

    ResourceType<C> type() {
        return selection.type();
    }

    /**
     * Whether a label and an annotation tie children to their owner in place of an owner reference. The garbage collector takes
     * what refers to an owner that is deleted in the foreground while finalizers still hold it; and no reference can name an
     * owner in another namespace.
     */
    boolean linked(ResourceType<?> ownerType) {
        return end != End.COLLECTED || reachesFurther(ownerType);
    }

    /** Whether children may live where their owner does not. */
    boolean reachesFurther(ResourceType<?> ownerType) {
        return ownerType.scope() == ResourceType.Scope.NAMESPACED
                && (namespaces != null || type().scope() == ResourceType.Scope.CLUSTER);
    }

    /** Whether the controller's finalizer has to see to their end. */
    boolean tornDown(ResourceType<?> ownerType) {
        return linked(ownerType) && end != End.RETAINED;
    }
}
