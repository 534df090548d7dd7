package io.controllermanager.manager.internal;

import io.controllermanager.client.ResourceType;
import io.controllermanager.controller.internal.ControllerSnapshot;
import io.controllermanager.controller.internal.ControllerSnapshot.Failure;
import io.controllermanager.controller.internal.ControllerSnapshot.ReconcileTimes;
import io.controllermanager.controller.internal.ControllerSnapshot.StuckReconcile;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a controller is at one moment. What is not said here is as in {@link ControllerSnapshot}.
 *
 * @param name its name
 * @param state where it is in its life
 * @param detail what it waits for or why it failed, null if there is nothing to say
 * @param watches the types whose events it receives, each once, the one that it is for first
 * @param pausedObjects keys that are not reconciled, since their object has an annotation that pauses it
 * @param failing keys whose last reconcile failed and is to be retried; one that ended in a terminal error is done until
 *     its object changes
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
        int pausedObjects,
        int failing,
        long reconciles,
        long errors,
        List<StuckReconcile> stuck,
        @Nullable Failure lastError,
        Map<Integer, Integer> depthByPriority,
        @Nullable Duration longestWait,
        @Nullable ReconcileTimes times) {

    /**
     * The state of a controller.
     *
     * @param work how its work stands, null if it has not been brought up
     */
    public static ControllerStatus of(
            ControllerRegistration registration,
            ControllerState state,
            @Nullable String detail,
            @Nullable ControllerSnapshot work) {
        List<String> watches = registration.descriptor().types().stream()
                .map(ResourceType::toString)
                .toList();
        ControllerSnapshot now = work == null ? noWork(registration.options().workers()) : work;
        return new ControllerStatus(
                registration.name(),
                state,
                detail,
                watches,
                now.workers(),
                now.activeWorkers(),
                now.queueDepth(),
                now.delayed(),
                now.pausedObjects(),
                now.failing(),
                now.reconciles(),
                now.errors(),
                now.stuck(),
                now.lastFailure(),
                now.depthByPriority(),
                now.longestWait(),
                now.times());
    }

    private static ControllerSnapshot noWork(int workers) {
        return new ControllerSnapshot(
                false, workers, 0, 0, 0, List.of(), 0, 0, 0, 0, 0, 0, null, Map.of(), null, null, null);
    }
}
