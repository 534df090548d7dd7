package io.controllermanager.reconciler;

import io.controllermanager.client.internal.Keys;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What was recorded last about each object in an Event, so that what says the same is not recorded again. Safe for use by
 * several threads.
 */
final class Warnings {

    private final Map<Request, Warning> last = new ConcurrentHashMap<>();

    private record Warning(@Nullable String uid, String reason, String message) {}

    /** Whether it has not been recorded yet, or something else has been since. From now on it has. */
    boolean isNew(KubernetesObject object, String reason, String message) {
        Warning warning = new Warning(object.getMetadata().getUid(), reason, message);
        return !Objects.equals(last.put(Keys.of(object), warning), warning);
    }

    /** All is well with the object, or it is gone. */
    void forget(Request object) {
        last.remove(object);
    }
}
