package io.controllermanager.controller.internal;

import io.kubernetes.client.common.KubernetesObject;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The annotations by which operators pause a single object and have it reconciled. The value of the first is a list with commas;
 * spaces and case do not matter. Each element of it is {@code true}, for all controllers; {@code including-deletion}, for all
 * controllers and also while the object is being deleted; or a controller's name. Any other element pauses nothing.
 *
 * @param paused the name of the annotation that pauses
 * @param reconcileAt the name of the one of which each change has the object reconciled
 * @param clusterApi whether {@code cluster.x-k8s.io/paused} pauses as well: as there, whatever its value, and including deletion
 */
public record OperatorAnnotations(String paused, String reconcileAt, boolean clusterApi) {

    /** The names that apply unless others are set. */
    public static final OperatorAnnotations DEFAULTS =
            new OperatorAnnotations("controller-manager.io/paused", "controller-manager.io/reconcile-at", false);

    private static final String CLUSTER_API = "cluster.x-k8s.io/paused";
    private static final String ALL = "true";
    private static final String INCLUDING_DELETION = "including-deletion";

    /** {@code false} names no controller either, but says what it means. */
    private static final List<String> WORDS = List.of(ALL, INCLUDING_DELETION, "false");

    /** The annotation that pauses an object for a controller, as {@code name=value}; null if none does. */
    @Nullable
    String pausedBy(@Nullable KubernetesObject object, String controller) {
        Map<String, String> annotations = of(object);
        String value = annotations.get(paused);
        if (value != null && pauses(value, controller, isBeingDeleted(object))) {
            return paused + "=" + value;
        }
        String foreign = clusterApi ? annotations.get(CLUSTER_API) : null;
        return foreign == null ? null : CLUSTER_API + "=" + foreign;
    }

    /** Whether a value of the annotation pauses an object for a controller. */
    static boolean pauses(String value, String controller, boolean deleted) {
        return elements(value)
                .anyMatch(element -> element.equals(INCLUDING_DELETION)
                        || (!deleted && (element.equals(ALL) || element.equals(controller))));
    }

    /** What of the annotation's value means nothing where there are these controllers; empty if all has a meaning. */
    List<String> unknown(KubernetesObject object, List<String> controllers) {
        String value = of(object).get(paused);
        return value == null
                ? List.of()
                : elements(value)
                        .filter(element -> !WORDS.contains(element) && !controllers.contains(element))
                        .toList();
    }

    /** Whether an object has the annotation that has it reconciled. */
    boolean asks(KubernetesObject object) {
        return of(object).containsKey(reconcileAt);
    }

    /** Whether one of the annotations has changed, or whether the object is paused for a controller. */
    boolean differ(KubernetesObject before, KubernetesObject after, String controller) {
        return !Objects.equals(of(before).get(reconcileAt), of(after).get(reconcileAt))
                || !Objects.equals(pausedBy(before, controller), pausedBy(after, controller));
    }

    private static Stream<String> elements(String value) {
        return Stream.of(value.toLowerCase(Locale.ROOT).split(",", -1)).map(String::strip);
    }

    private static Map<String, String> of(@Nullable KubernetesObject object) {
        Map<String, String> annotations = object == null || object.getMetadata() == null
                ? null
                : object.getMetadata().getAnnotations();
        return annotations == null ? Map.of() : annotations;
    }

    private static boolean isBeingDeleted(@Nullable KubernetesObject object) {
        return object != null && object.getMetadata().getDeletionTimestamp() != null;
    }
}
