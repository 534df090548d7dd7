package io.controllermanager.controller;

import io.controllermanager.client.ResourceType;
import io.controllermanager.event.EventPredicate;
import io.controllermanager.event.RequestMapper;
import io.kubernetes.client.common.KubernetesObject;

/**
 * One type whose events bring keys into a controller's queue.
 *
 * @param <T> the class of the type
 * @param type the type
 * @param mapper which keys an object concerns
 * @param predicate which events matter
 * @param primary whether it is the type that the controller is for, whose objects are what its keys name
 */
public record EventSource<T extends KubernetesObject>(
        ResourceType<T> type, RequestMapper<T> mapper, EventPredicate<T> predicate, boolean primary) {

    /** A type that the controller owns or watches. */
    public EventSource(ResourceType<T> type, RequestMapper<T> mapper, EventPredicate<T> predicate) {
        this(type, mapper, predicate, false);
    }
}
