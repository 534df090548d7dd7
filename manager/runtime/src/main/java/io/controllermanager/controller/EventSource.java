package io.controllermanager.controller;

import io.controllermanager.client.ResourceType;
import io.controllermanager.event.EventPredicate;
import io.controllermanager.event.RequestMapper;
import io.controllermanager.informer.Selection;
import io.kubernetes.client.common.KubernetesObject;

/**
 * One type whose events bring keys into a controller's queue.
 *
 * @param <T> the class of the type
 * @param selection the type, which of its objects, and how much of each
 * @param mapper which keys an object concerns
 * @param predicate which events matter
 * @param primary whether it is the type that the controller is for, whose objects are what its keys name
 */
public record EventSource<T extends KubernetesObject>(
        Selection<T> selection, RequestMapper<T> mapper, EventPredicate<T> predicate, boolean primary) {

    /** Objects that the controller owns or watches. */
    public EventSource(Selection<T> selection, RequestMapper<T> mapper, EventPredicate<T> predicate) {
        this(selection, mapper, predicate, false);
    }

    /** The type. */
    public ResourceType<T> type() {
        return selection.type();
    }
}
