package io.controllermanager.reconciler;

import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.controller.internal.KeyMemories;
import io.controllermanager.time.Clock;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reports objects that have been on their way for too long. The time runs from when {@code Ready} became False, by that
 * condition's {@code lastTransitionTime}, which outlives the process. It begins anew with a new generation, which the condition
 * does not show: a process that comes later goes by the condition.
 */
final class ProgressDeadline {

    static final String EXCEEDED = "ProgressDeadlineExceeded";

    private final @Nullable Duration deadline;
    private final Clock clock;
    private final Map<Request, Wait> waiting;

    private record Wait(@Nullable String uid, @Nullable Long generation, Instant since) {}

    ProgressDeadline(@Nullable Duration deadline, Clock clock, KeyMemories memories) {
        this.deadline = deadline;
        this.clock = clock;
        this.waiting = memories.part();
    }

    static Duration checked(Duration deadline) {
        if (deadline.isZero() || deadline.isNegative()) {
            throw new IllegalArgumentException("progressDeadline must be positive, but is " + deadline);
        }
        return deadline;
    }

    /**
     * The outcome, or what is told instead of one that has lasted too long. One that may come to last too long comes again then.
     *
     * @param ready the condition so far, null if there is none
     */
    Outcome check(KubernetesObject object, @Nullable V1Condition ready, Outcome outcome) {
        Request key = Keys.of(object);
        StatusCondition condition = outcome.condition();
        if (deadline == null || condition == null || condition.status().equals("True") || outcome.warning()) {
            waiting.remove(key);
            return outcome;
        }
        V1ObjectMeta metadata = object.getMetadata();
        Wait wait = waiting.compute(
                key,
                (same, before) -> before != null
                                && Objects.equals(before.uid(), metadata.getUid())
                                && Objects.equals(before.generation(), metadata.getGeneration())
                        ? before
                        : new Wait(metadata.getUid(), metadata.getGeneration(), since(metadata, ready)));
        Duration left = deadline.minus(Duration.between(wait.since(), clock.now()));
        if (left.compareTo(Duration.ZERO) > 0) {
            return outcome.againAtLatest(left);
        }
        String message = condition.message() + " (for more than " + deadline.toSeconds() + " s)";
        return outcome.insteadOf(new StatusCondition(condition.type(), condition.status(), EXCEEDED, message));
    }

    private Instant since(V1ObjectMeta metadata, @Nullable V1Condition ready) {
        if (ready != null
                && "False".equals(ready.getStatus())
                && ready.getLastTransitionTime() != null
                && Objects.equals(ready.getObservedGeneration(), metadata.getGeneration())) {
            return ready.getLastTransitionTime().toInstant();
        }
        return clock.now();
    }
}
