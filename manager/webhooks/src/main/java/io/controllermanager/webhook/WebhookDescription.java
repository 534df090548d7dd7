package io.controllermanager.webhook;

import io.controllermanager.client.ResourceType;
import io.controllermanager.informer.Selection;
import io.controllermanager.reconciler.Index;
import io.kubernetes.client.common.KubernetesObject;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** What a webhook reads from caches; its rights follow. Used by one thread. */
public final class WebhookDescription {

    private final Set<Selection<?>> selections = new LinkedHashSet<>();
    private final List<IndexedSelection<?>> indexes = new ArrayList<>();

    /**
     * An index over the objects of a cache.
     *
     * @param <R> their class
     * @param selection the cache
     * @param index by what they are found
     */
    public record IndexedSelection<R extends KubernetesObject>(Selection<R> selection, Index<R> index) {}

    /** Objects of a type are read. */
    public <R extends KubernetesObject> WebhookDescription reads(ResourceType<R> type) {
        return reads(Selection.of(type));
    }

    /** Some objects of a type are read, or a part of each. */
    public <R extends KubernetesObject> WebhookDescription reads(Selection<R> selection) {
        selections.add(selection);
        return this;
    }

    /**
     * Objects of a type are read by an index.
     *
     * @throws IllegalArgumentException if another index has its name
     */
    public <R extends KubernetesObject> WebhookDescription reads(ResourceType<R> type, Index<R> index) {
        return reads(Selection.of(type), index);
    }

    /**
     * As {@link #reads(ResourceType, Index)}, for some objects of a type.
     *
     * @throws IllegalArgumentException if another index has its name
     */
    public <R extends KubernetesObject> WebhookDescription reads(Selection<R> selection, Index<R> index) {
        if (indexes.stream().anyMatch(other -> other.index().name().equals(index.name()))) {
            throw new IllegalArgumentException("there are two indexes called \"" + index.name() + "\"");
        }
        selections.add(selection);
        indexes.add(new IndexedSelection<>(selection, index));
        return this;
    }

    /** The caches. */
    public Set<Selection<?>> selections() {
        return Set.copyOf(selections);
    }

    /** The indexes, each with its cache. */
    public List<IndexedSelection<?>> indexes() {
        return List.copyOf(indexes);
    }
}
