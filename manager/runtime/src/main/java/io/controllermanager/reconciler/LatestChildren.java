package io.controllermanager.reconciler;

import io.controllermanager.client.ResourceTypes;
import io.controllermanager.readiness.ObjectReadiness;
import io.controllermanager.readiness.Readiness;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1Job;
import java.time.OffsetDateTime;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;

/** Which children are too many where the newest of them are kept. */
final class LatestChildren {

    /** Names that have a slot in them are in the order of the slots, which may have been caught up within one second. */
    private static final Comparator<KubernetesObject> OLDEST_FIRST =
            Comparator.<KubernetesObject, OffsetDateTime>comparing(
                            child -> Objects.requireNonNull(child.getMetadata().getCreationTimestamp()))
                    .thenComparing(
                            child -> Objects.requireNonNull(child.getMetadata().getName()));

    private LatestChildren() {}

    /**
     * The children to delete.
     *
     * @param children of one type, in any order; those that are being deleted, do not match or are not finished do not count
     * @param most how many are to stay
     * @throws IllegalArgumentException if that is negative
     */
    static <C extends KubernetesObject> List<C> surplus(List<C> children, int most, Predicate<C> which) {
        if (most < 0) {
            throw new IllegalArgumentException("keepLatest() must keep a number of children, but is told " + most);
        }
        List<C> counted = children.stream()
                .filter(child -> child.getMetadata().getDeletionTimestamp() == null)
                .filter(child -> isFinished(child) && which.test(child))
                .sorted(OLDEST_FIRST)
                .toList();
        return counted.subList(0, Math.max(0, counted.size() - most));
    }

    private static boolean isFinished(KubernetesObject child) {
        return !(child instanceof V1Job)
                || ObjectReadiness.of(ResourceTypes.JOB.qualifiedKind(), child).state() != Readiness.State.PROGRESSING;
    }
}
