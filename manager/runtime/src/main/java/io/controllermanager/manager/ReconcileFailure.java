package io.controllermanager.manager;

import io.controllermanager.controller.ControllerSnapshot;
import java.time.Instant;

/**
 * A reconcile that failed.
 *
 * @param key the object's {@code namespace/name}
 * @param message the error's class and message
 * @param at when
 */
public record ReconcileFailure(String key, String message, Instant at) {

    static ReconcileFailure of(ControllerSnapshot.Failure failure) {
        return new ReconcileFailure(failure.key(), failure.message(), failure.at());
    }
}
