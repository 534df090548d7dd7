package io.controllermanager.controller;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a controller's work stands at one moment.
 *
 * @param running whether its workers take keys
 * @param workers how many keys it reconciles at once
 * @param activeWorkers how many are being reconciled now, stuck ones included
 * @param stuck reconciles that did not end when they were interrupted, the oldest first
 * @param queueDepth keys ready to be reconciled
 * @param delayed keys that wait for their time
 * @param failing keys whose last reconcile failed
 * @param reconciles how many reconciles have ended since the controller was made
 * @param errors how many of them failed
 * @param lastFailure the newest failure, null if there was none
 */
public record ControllerSnapshot(
        boolean running,
        int workers,
        int activeWorkers,
        List<StuckReconcile> stuck,
        int queueDepth,
        int delayed,
        int failing,
        long reconciles,
        long errors,
        @Nullable Failure lastFailure) {

    public ControllerSnapshot {
        stuck = List.copyOf(stuck);
    }

    /**
     * A reconcile that failed.
     *
     * @param key the object's {@code namespace/name}, or just the name of one that lives in no namespace
     * @param message what went wrong, in one line
     * @param at when
     */
    public record Failure(String key, String message, Instant at) {}

    /**
     * A reconcile that goes on although its thread was interrupted. Its key is not reconciled again before it ends; a
     * replacement has taken its worker's place.
     *
     * @param key the object's {@code namespace/name}, or just the name of one that lives in no namespace
     * @param thread the name of the thread
     * @param since when the reconcile began
     */
    public record StuckReconcile(String key, String thread, Instant since) {}
}
