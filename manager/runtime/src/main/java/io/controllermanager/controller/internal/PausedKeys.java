package io.controllermanager.controller.internal;

import io.controllermanager.client.internal.request.BoundedMap;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.event.ResourceEvent;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which keys of a controller are paused by an annotation of their object. A worker that takes one lets it go: it is in no queue,
 * and the change of its object that ends the pause brings it back. The object itself says whether it is paused, so that a new
 * leader and a new process know as well. What is remembered is for the count alone. Safe for use by several threads.
 */
final class PausedKeys {

    private static final Logger log = LoggerFactory.getLogger(Controller.class);

    /** Of how many objects it is remembered what was warned of. */
    private static final int MOST_WARNED = 1000;

    private final ControllerParts parts;
    private final Map<Request, Boolean> paused;
    private final Map<Request, String> warned = Collections.synchronizedMap(new BoundedMap<>(MOST_WARNED));

    PausedKeys(ControllerParts parts) {
        this.parts = parts;
        this.paused = parts.memories().part();
    }

    private @Nullable String pausedBy(@Nullable KubernetesObject object) {
        return parts.annotations().pausedBy(object, parts.descriptor().name());
    }

    /** The annotation that pauses a key, as {@code name=value}; null if it is not paused. */
    @Nullable
    String pausedBy(Request key) {
        return pausedBy(parts.objects().apply(key));
    }

    /** Whether a key is paused that a worker has taken. What an event says meanwhile of a newer object is noted after this. */
    boolean holds(Request key) {
        return paused.compute(key, (same, before) -> pausedBy(same) == null ? null : true) != null;
    }

    /**
     * Sees an event of an object that the controller is for.
     *
     * @param ours whether this process works on it: a paused object is counted where it would be reconciled
     * @return whether the event matters whatever the controller's predicate says
     */
    boolean see(ResourceEvent<? extends KubernetesObject> event, boolean ours) {
        KubernetesObject object = event.object();
        Request key = Keys.of(object);
        if (ours && !(event instanceof ResourceEvent.Deleted<?>)) {
            warn(key, parts.annotations().unknown(object, parts.controllers()));
            if (pausedBy(object) != null) {
                paused.put(key, true);
                return false;
            }
        }
        paused.remove(key);
        return event instanceof ResourceEvent.Updated<? extends KubernetesObject> update
                ? parts.annotations()
                        .differ(update.before(), object, parts.descriptor().name())
                : event instanceof ResourceEvent.Created<?>
                        && parts.annotations().asks(object);
    }

    private void warn(Request key, List<String> unknown) {
        String all = String.join(", ", unknown);
        if (!unknown.isEmpty() && !all.equals(warned.put(key, all))) {
            log.atWarn()
                    .addKeyValue("controller", parts.descriptor().name())
                    .addKeyValue("namespace", key.getNamespace())
                    .addKeyValue("name", key.getName())
                    .log(
                            "Controller {}: \"{}\" in the annotation {} of {} pauses nothing: it is neither true nor"
                                    + " including-deletion, nor the name of a controller of this process",
                            parts.descriptor().name(),
                            all,
                            parts.annotations().paused(),
                            Keys.shown(key));
        }
    }

    /** How many there are. */
    int count() {
        return paused.size();
    }
}
