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
 * @param relation what its objects are to the controller
 */
public record EventSource<T extends KubernetesObject>(
        Selection<T> selection, RequestMapper<T> mapper, EventPredicate<T> predicate, Relation relation) {

    /** What objects are to the keys that they bring. */
    public enum Relation {
        /** The controller is for them: its keys name them. */
        PRIMARY,
        /** Their controlling owner is what the key names. */
        OWNED,
        /** The key names something in their own namespace. */
        NEIGHBOUR,
        /** The key may name anything. */
        WATCHED,
        /** The key names the object that they were made for, which may live in another namespace, while they may live in none. */
        ELSEWHERE
    }

    /** Objects that the controller watches. */
    public EventSource(Selection<T> selection, RequestMapper<T> mapper, EventPredicate<T> predicate) {
        this(selection, mapper, predicate, Relation.WATCHED);
    }

    /** Whether it is the type that the controller is for, whose objects are what its keys name. */
    public boolean primary() {
        return relation == Relation.PRIMARY;
    }

    /** The type. */
    public ResourceType<T> type() {
        return selection.type();
    }
}
