package io.controllermanager.reconciler;

import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.informer.Informer;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The indexes of a controller's own objects. The description refers to them before there is an informer: that one is made when
 * the controller starts, and followed before its first event. Safe for use by several threads once all indexes are added.
 *
 * @param <T> the objects' class
 */
final class OwnIndexes<T extends KubernetesObject> {

    private final String controller;
    private final List<Index<T>> indexes = new ArrayList<>();
    private volatile @Nullable Informer<T> informer;

    OwnIndexes(String controller) {
        this.controller = controller;
    }

    /**
     * Adds one.
     *
     * @throws IllegalArgumentException if there is another of that name
     */
    void add(Index<T> index) {
        if (indexes.contains(index)) {
            return;
        }
        if (indexes.stream().anyMatch(other -> other.name().equals(index.name()))) {
            throw new IllegalArgumentException(
                    "controller \"" + controller + "\" has two indexes called \"" + index.name() + "\"");
        }
        indexes.add(index);
    }

    void follow(Informer<T> newInformer) {
        newInformer.addIndexers(indexes.stream().collect(Collectors.toMap(this::key, Index::values)));
        informer = newInformer;
    }

    /**
     * The objects under a value, none before there is an informer.
     *
     * @throws IllegalArgumentException if the description does not have the index
     */
    List<T> find(Index<T> index, String value) {
        if (!indexes.contains(index)) {
            throw new IllegalArgumentException("index \"" + index.name()
                    + "\" is not in the description of controller \"" + controller + "\": add index(...)");
        }
        Informer<T> current = informer;
        return current == null ? List.of() : current.snapshot().byIndex(key(index), value);
    }

    /** The keys of the objects under one of the values. */
    Set<Request> keys(Index<T> index, List<String> values) {
        return values.stream()
                .flatMap(value -> find(index, value).stream())
                .map(Keys::of)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** The informer may be shared with other controllers. */
    private String key(Index<T> index) {
        return controller + "/" + index.name();
    }
}
