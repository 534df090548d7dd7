package io.controllermanager.manager;

import java.time.Instant;

/**
 * A reconcile that failed.
 *
 * @param key the object's {@code namespace/name}
 * @param message the error's class and message
 * @param at when
 */
public record ReconcileFailure(String key, String message, Instant at) {}
