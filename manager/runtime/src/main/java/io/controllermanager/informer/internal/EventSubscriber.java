package io.controllermanager.informer.internal;

import io.controllermanager.event.ResourceEvent;

/**
 * Receives the events of one informer in order, on a thread of its own: a slow subscriber delays neither the store nor
 * other subscribers. What it throws is logged and counted, and does not end delivery.
 *
 * @param <T> the object's class
 */
@FunctionalInterface
public interface EventSubscriber<T> {

    /** Called once per event. */
    void onEvent(ResourceEvent<T> event);
}
