package io.controllermanager.informer.internal.delivery;

import io.controllermanager.event.ResourceEvent;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.informer.ResourceEventHandler;

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

    /** Tells a handler of client-java's. */
    static <T extends KubernetesObject> EventSubscriber<T> of(ResourceEventHandler<T> handler) {
        return event -> {
            if (event instanceof ResourceEvent.Created<T> created) {
                handler.onAdd(created.object());
            } else if (event instanceof ResourceEvent.Updated<T> updated) {
                handler.onUpdate(updated.before(), updated.object());
            } else if (event instanceof ResourceEvent.Deleted<T> deleted) {
                handler.onDelete(deleted.object(), deleted.finalStateUnknown());
            }
        };
    }
}
