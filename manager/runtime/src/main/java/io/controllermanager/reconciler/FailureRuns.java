package io.controllermanager.reconciler;

import io.controllermanager.client.internal.Keys;
import io.controllermanager.time.Clock;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
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
    private final Map<Request, Run> runs = new ConcurrentHashMap<>();

    /**
     * One object's failures.
     *
     * @param generation the one that was told of
     * @param reports how often that one was
     */
    private record Run(
            @Nullable String uid, long since, @Nullable Long generation, int reports) {}

    FailureRuns(Clock clock) {
        this.clock = clock;
    }

    /** Notes that an object has failed; returns whether it has done so for long enough to be no passing trouble. */
    boolean lasts(KubernetesObject object) {
        return clock.nanoTime() - run(object).since() >= LASTING.toNanos();
    }

    /** Whether there is room for one more report about this generation of an object that has failed. */
    boolean mayReport(KubernetesObject object) {
        return run(object).reports() < MOST_REPORTS;
    }

    /** Notes a report. */
    void reported(KubernetesObject object) {
        Run run = run(object);
        runs.put(Keys.of(object), new Run(run.uid(), run.since(), run.generation(), run.reports() + 1));
    }

    /** An object has succeeded, or is gone. */
    void end(Request object) {
        runs.remove(object);
    }

    private Run run(KubernetesObject object) {
        String uid = object.getMetadata().getUid();
        Long generation = object.getMetadata().getGeneration();
        return runs.compute(Keys.of(object), (key, before) -> {
            if (before == null || !Objects.equals(before.uid(), uid)) {
                return new Run(uid, clock.nanoTime(), generation, 0);
            }
            return Objects.equals(before.generation(), generation)
                    ? before
                    : new Run(uid, before.since(), generation, 0);
        });
    }
}
