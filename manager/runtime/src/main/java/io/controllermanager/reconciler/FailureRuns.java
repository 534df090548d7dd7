package io.controllermanager.reconciler;

import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.controller.internal.KeyMemories;
import io.controllermanager.time.Clock;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which objects have failed each time of late, since when, and how often their status was told of it. Safe for use by several
 * threads, of which one at a time deals with an object.
 */
final class FailureRuns {

    /** An overload, an election of etcd's or a restart of the API server is over by then, as a rule. */
    static final Duration LASTING = Duration.ofSeconds(30);

    /** A failure that says something else each time must not write each time; a status write may bring its object in again. */
    static final int MOST_REPORTS = 10;

    private final Clock clock;
    private final Map<Request, Run> runs;

    /**
     * One object's failures.
     *
     * @param generation the one that was told of
     * @param reports how often that one was
     */
    private record Run(
            @Nullable String uid, long since, @Nullable Long generation, int reports) {}

    FailureRuns(Clock clock, KeyMemories memories) {
        this.clock = clock;
        this.runs = memories.part();
    }

    /** Notes that an object has failed; returns whether it has done so for long enough to be no passing trouble. */
    boolean lasts(KubernetesObject object) {
        return clock.nanoTime() - run(object, 0).since() >= LASTING.toNanos();
    }

    /** Whether there is room for one more report about this generation of an object that has failed. */
    boolean mayReport(KubernetesObject object) {
        return run(object, 0).reports() < MOST_REPORTS;
    }

    /** Notes a report. */
    void reported(KubernetesObject object) {
        run(object, 1);
    }

    /** An object has succeeded. */
    void end(Request object) {
        runs.remove(object);
    }

    private Run run(KubernetesObject object, int reported) {
        String uid = object.getMetadata().getUid();
        Long generation = object.getMetadata().getGeneration();
        return runs.compute(Keys.of(object), (key, before) -> {
            if (before == null || !Objects.equals(before.uid(), uid)) {
                return new Run(uid, clock.nanoTime(), generation, reported);
            }
            int reports = Objects.equals(before.generation(), generation) ? before.reports() : 0;
            return new Run(uid, before.since(), generation, reports + reported);
        });
    }
}
