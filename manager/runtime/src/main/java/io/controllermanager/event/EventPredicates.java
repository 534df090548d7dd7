package io.controllermanager.event;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.util.labels.LabelSelector;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The usual conditions on events, those of controller-runtime's {@code pkg/predicate}. Those that end in {@code Changed}
 * are about updates only: an object that was created or deleted, and an event from outside Kubernetes, always pass.
 */
public final class EventPredicates {

    private EventPredicates() {}

    /** Skips updates that change nothing: a resync delivers the object once more with the same resourceVersion. */
    public static <T extends KubernetesObject> EventPredicate<T> resourceVersionChanged() {
        return onUpdate(update -> changed(update, V1ObjectMeta::getResourceVersion));
    }

    /**
     * Skips updates that leave {@code metadata.generation} as it was: those of the status, labels or annotations. The
     * beginning of a deletion counts as a change of generation, as it is for the API server. Updates of objects that
     * carry no generation (ConfigMaps, Secrets and others) pass, since nothing can be told of them.
     */
    public static <T extends KubernetesObject> EventPredicate<T> generationChanged() {
        return onUpdate(update -> {
            V1ObjectMeta metadata = update.object().getMetadata();
            return metadata == null || metadata.getGeneration() == null || changed(update, V1ObjectMeta::getGeneration);
        });
    }

    /** Skips updates that leave the labels as they were. */
    public static <T extends KubernetesObject> EventPredicate<T> labelsChanged() {
        return onUpdate(update -> changed(update, metadata -> orEmpty(metadata.getLabels())));
    }

    /** Skips updates that leave the annotations as they were. */
    public static <T extends KubernetesObject> EventPredicate<T> annotationsChanged() {
        return onUpdate(update -> changed(update, metadata -> orEmpty(metadata.getAnnotations())));
    }

    /**
     * Only objects whose labels the selector matches. An update passes if either state matches: a controller wants to know
     * of an object that has left its selection. (controller-runtime looks at the new state alone.)
     */
    public static <T extends KubernetesObject> EventPredicate<T> labels(LabelSelector selector) {
        return event -> matches(selector, event.object())
                || (event instanceof ResourceEvent.Updated<T> update && matches(selector, update.before()));
    }

    private static boolean matches(LabelSelector selector, KubernetesObject object) {
        return selector.test(orEmpty(
                object.getMetadata() == null ? null : object.getMetadata().getLabels()));
    }

    /** Only objects of these namespaces; one that lives in no namespace never passes. */
    public static <T extends KubernetesObject> EventPredicate<T> namespaces(Set<String> namespaces) {
        Set<String> wanted = Set.copyOf(namespaces);
        return event -> {
            V1ObjectMeta metadata = event.object().getMetadata();
            return metadata != null && metadata.getNamespace() != null && wanted.contains(metadata.getNamespace());
        };
    }

    /** Lets through what both let through. */
    public static <T> EventPredicate<T> and(EventPredicate<T> one, EventPredicate<T> other) {
        return one.and(other);
    }

    /** Lets through what the predicate does not. */
    public static <T> EventPredicate<T> not(EventPredicate<T> predicate) {
        return event -> !predicate.test(event);
    }

    /** Lets through what one of both lets through. */
    public static <T> EventPredicate<T> or(EventPredicate<T> one, EventPredicate<T> other) {
        return one.or(other);
    }

    private static <T> EventPredicate<T> onUpdate(Predicate<ResourceEvent.Updated<T>> predicate) {
        return event -> !(event instanceof ResourceEvent.Updated<T> update) || predicate.test(update);
    }

    private static boolean changed(
            ResourceEvent.Updated<? extends KubernetesObject> update, Function<V1ObjectMeta, @Nullable Object> part) {
        V1ObjectMeta before = update.before().getMetadata();
        V1ObjectMeta after = update.object().getMetadata();
        return before == null || after == null || !Objects.equals(part.apply(before), part.apply(after));
    }

    /** The API server does not tell an empty map from none. */
    private static Map<String, String> orEmpty(@Nullable Map<String, String> map) {
        return map == null ? Map.of() : map;
    }
}
