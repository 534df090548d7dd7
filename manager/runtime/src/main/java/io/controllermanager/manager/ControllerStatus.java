package io.controllermanager.manager;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a controller is at one moment.
 *
 * @param name its name
 * @param state where it is in its life
 * @param detail what it waits for or why it failed, null if there is nothing to say
 * @param watches the types whose events it receives, each once, the one that it is for first
 * @param workers how many keys it reconciles at once
 * @param activeWorkers how many are being reconciled
 * @param queueDepth keys ready to be reconciled
 * @param delayed keys that wait for their time
 * @param failing keys whose last reconcile failed and is to be retried; one that ended in a terminal error is done until
 *     its object changes
 * @param reconciles how many reconciles have ended since the start of the process
 * @param errors how many of them failed
 * @param lastError the newest failure, null if there was none
 */
public record ControllerStatus(
        String name,
        ControllerState state,
        @Nullable String detail,
        List<String> watches,
        int workers,
        int activeWorkers,
        int queueDepth,
        int delayed,
        int failing,
        long reconciles,
        long errors,
        @Nullable ReconcileFailure lastError) {

    public ControllerStatus {
        watches = List.copyOf(watches);
    }
}
