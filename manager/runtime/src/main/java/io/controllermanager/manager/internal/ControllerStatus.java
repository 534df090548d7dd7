package io.controllermanager.manager.internal;

import io.controllermanager.client.ResourceType;
import io.controllermanager.controller.internal.ControllerSnapshot;
import io.controllermanager.controller.internal.ControllerSnapshot.Failure;
import io.controllermanager.controller.internal.ControllerSnapshot.ReconcileTimes;
import io.controllermanager.controller.internal.ControllerSnapshot.StuckReconcile;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
 * @param stuck reconciles that did not end when they were interrupted, the oldest first
 * @param lastError the newest failure, null if there was none
 * @param depthByPriority keys ready to be reconciled by priority, the highest first
 * @param longestWait how long the key has been ready that is next at its priority, at the priority where that is longest;
 *     null where that is not known
 * @param times how long the reconciles of the last minutes took, null if none has ended lately
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
        List<StuckReconcile> stuck,
        @Nullable Failure lastError,
        Map<Integer, Integer> depthByPriority,
        @Nullable Duration longestWait,
        @Nullable ReconcileTimes times) {

    public ControllerStatus {
        watches = List.copyOf(watches);
        stuck = List.copyOf(stuck);
        depthByPriority = Collections.unmodifiableMap(new LinkedHashMap<>(depthByPriority));
    }

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
                false, workers, 0, 0, 0, List.of(), 0, 0, 0, 0, 0, null, Map.of(), null, null, null);
    }
}
