package io.controllermanager.informer;

import io.controllermanager.event.ResourceEvent;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.informer.ResourceEventHandler;

/**
 * Tells a handler written for client-java.
 *
 * @param <T> the object's class
 * @param handler the handler
 */
record HandlerSubscriber<T extends KubernetesObject>(ResourceEventHandler<T> handler) implements EventSubscriber<T> {

    @Override
    public void onEvent(ResourceEvent<T> event) {
        if (event instanceof ResourceEvent.Created<T> created) {
            handler.onAdd(created.object());
        } else if (event instanceof ResourceEvent.Updated<T> updated) {
            handler.onUpdate(updated.before(), updated.object());
        } else if (event instanceof ResourceEvent.Deleted<T> deleted) {
            handler.onDelete(deleted.object(), deleted.finalStateUnknown());
        }
    }
}
