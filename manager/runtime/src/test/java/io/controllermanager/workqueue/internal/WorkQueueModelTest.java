package io.controllermanager.workqueue.internal;

import io.controllermanager.time.internal.VirtualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The real queue against the model, see {@link ModelRun}, with one seed of each kind and not for long; {@link
 * WorkQueueModelSeedsTest} has all of them at length. That the runs would find a bug if there were one is shown by {@link
 * WorkQueueMutantsTest}.
 */
class WorkQueueModelTest {

    private static final int STEPS = 50_000;
    static final int FLOWS = 6;

    @ParameterizedTest
    @ValueSource(longs = 1)
    void doesWhatTheModelDoes(long seed) {
        new ModelRun(seed, WorkQueueModelTest::queue, key -> "").run(STEPS);
    }

    @ParameterizedTest
    @ValueSource(longs = 2)
    void doesWhatTheModelDoesWithFairness(long seed) {
        new ModelRun(seed, WorkQueueModelTest::fairQueue, key -> key % FLOWS).run(STEPS);
    }

    static WorkQueue<Integer> queue(VirtualTime time) {
        return builder(time).build();
    }

    static WorkQueue<Integer> fairQueue(VirtualTime time) {
        return builder(time).fairness(key -> key % FLOWS).build();
    }

    static WorkQueueBuilder<Integer> builder(VirtualTime time) {
        return WorkQueue.<Integer>named("model")
                .clock(time)
                .timer(time)
                .meterRegistry(new SimpleMeterRegistry())
                .agingInterval(ModelRun.AGING);
    }
}
