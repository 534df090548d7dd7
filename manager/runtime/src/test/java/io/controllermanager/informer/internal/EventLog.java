package io.controllermanager.informer.internal;

import io.controllermanager.event.ResourceEvent;
import io.controllermanager.informer.internal.delivery.EventSubscriber;
import io.kubernetes.client.common.KubernetesObject;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps what it is told, in words. */
final class EventLog<T extends KubernetesObject> implements EventSubscriber<T> {

    private final List<String> entries = new CopyOnWriteArrayList<>();
    private final List<ResourceEvent<T>> events = new CopyOnWriteArrayList<>();

    @Override
    public void onEvent(ResourceEvent<T> event) {
        events.add(event);
        String name = event.object().getMetadata().getName();
        if (event instanceof ResourceEvent.Created<T> created) {
            entries.add((created.initial() ? "initial " : "created ") + name);
        } else if (event instanceof ResourceEvent.Updated<T>) {
            entries.add("updated " + name);
        } else if (event instanceof ResourceEvent.Deleted<T> deleted) {
            entries.add((deleted.finalStateUnknown() ? "vanished " : "deleted ") + name);
        }
    }

    List<String> entries() {
        return List.copyOf(entries);
    }

    List<ResourceEvent<T>> events() {
        return List.copyOf(events);
    }
}
