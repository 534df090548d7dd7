package io.controllermanager.reconciler;

import io.controllermanager.event.EventPredicates;
import io.controllermanager.event.ResourceEvent;
import io.kubernetes.client.common.KubernetesObject;
import java.util.Objects;

/** Which events of a controller's own objects say something new. */
final class OwnEvents {

    private OwnEvents() {}

    /** Whether more than the status may have changed. A resync and a deletion count. */
    static <T extends KubernetesObject> boolean concernsSpec(ResourceEvent<T> event) {
        return !(event instanceof ResourceEvent.Updated<T> update)
                || Objects.equals(
                        update.before().getMetadata().getResourceVersion(),
                        update.object().getMetadata().getResourceVersion())
                || EventPredicates.<T>generationChanged()
                        .or(EventPredicates.labelsChanged())
                        .or(LastSlot.otherAnnotationsChanged())
                        .test(event);
    }

    /** Whether the values of an index have changed. */
    static <T extends KubernetesObject> boolean concernsIndex(Index<T> index, ResourceEvent<T> event) {
        return event instanceof ResourceEvent.Updated<T> update
                && !index.values().apply(update.before()).equals(index.values().apply(update.object()));
    }
}
