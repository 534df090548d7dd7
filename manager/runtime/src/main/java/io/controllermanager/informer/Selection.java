package io.controllermanager.informer;

import io.controllermanager.client.ResourceType;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.util.labels.EqualityMatcher;
import io.kubernetes.client.util.labels.LabelSelector;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What an informer holds: objects of which type, namespaces, labels and fields, and how much of each. Equal selections
 * share one informer. As controller-runtime's {@code cache.ByObject}.
 *
 * @param <T> the objects' class
 * @param type the type
 * @param namespaces the namespaces, empty for all, null for those that the factory is set to
 * @param labelSelector as in a URL, empty for all
 * @param fieldSelector as in a URL, empty for all; the API server knows {@code metadata.name} and {@code
 *     metadata.namespace} of every type, and few fields more
 * @param transform what is done to each object before it is stored, null for nothing. Given an object of its own, it may
 *     change that and return it; it must keep the metadata's name, namespace, uid and resourceVersion. The same function
 *     object each time, such as one in a constant, or nothing will be shared.
 */
public record Selection<T extends KubernetesObject>(
        ResourceType<T> type,
        @Nullable Set<String> namespaces,
        String labelSelector,
        String fieldSelector,
        @Nullable UnaryOperator<T> transform) {

    public Selection {
        namespaces = namespaces == null ? null : Set.copyOf(namespaces);
        if (namespaces != null && namespaces.contains("")) {
            throw new IllegalArgumentException("namespaces must not hold an empty name; an empty set means all");
        }
    }

    /** All objects of a type in the namespaces that the factory is set to, whole. */
    public static <T extends KubernetesObject> Selection<T> of(ResourceType<T> type) {
        return new Selection<>(type, null, "", "", null);
    }

    /** The metadata of a type's objects; the API server sends nothing else. */
    public static Selection<PartialObjectMetadata> metadataOf(ResourceType<?> type) {
        return of(PartialObjectMetadata.of(type));
    }

    /** The same in these namespaces only, each of which is listed by itself; empty for all. */
    public Selection<T> inNamespaces(Set<String> newNamespaces) {
        return new Selection<>(type, newNamespaces, labelSelector, fieldSelector, transform);
    }

    /** The same with the objects whose labels match only. */
    public Selection<T> labelled(LabelSelector selector) {
        return new Selection<>(type, namespaces, selector.toString(), fieldSelector, transform);
    }

    /** The same with the objects only that have all these labels. */
    public Selection<T> labelled(Map<String, String> labels) {
        return labelled(LabelSelector.and(new TreeMap<>(labels)
                .entrySet().stream()
                        .map(label -> EqualityMatcher.equal(label.getKey(), label.getValue()))
                        .toArray(EqualityMatcher[]::new)));
    }

    /** The same with the objects whose fields match only, such as {@code spec.nodeName=node-1}. */
    public Selection<T> fields(String selector) {
        return new Selection<>(type, namespaces, labelSelector, selector, transform);
    }

    /** The same with less of each object. */
    public Selection<T> transform(UnaryOperator<T> newTransform) {
        return new Selection<>(type, namespaces, labelSelector, fieldSelector, newTransform);
    }

    /** The type and, if not all of it is selected, what is. */
    @Override
    public String toString() {
        return type
                + (labelSelector.isEmpty() ? "" : " with labels " + labelSelector)
                + (fieldSelector.isEmpty() ? "" : " with fields " + fieldSelector)
                + (type.objectClass() == PartialObjectMetadata.class ? " (metadata)" : "")
                + (transform == null ? "" : " (in part)");
    }
}
