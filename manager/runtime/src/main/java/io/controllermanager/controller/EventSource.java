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
 */
public record EventSource<T extends KubernetesObject>(
        ResourceType<T> type, RequestMapper<T> mapper, EventPredicate<T> predicate) {}
