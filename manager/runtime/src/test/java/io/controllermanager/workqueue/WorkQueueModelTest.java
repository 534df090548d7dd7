package io.controllermanager.workqueue;

import io.controllermanager.time.VirtualTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The real queue against the model, see {@link ModelRun}. The seeds are fixed; {@code -Dworkqueue.seed=N} runs another
 * one. That the runs would find a bug if there were one is shown by {@link WorkQueueMutantsTest}.
 */
class WorkQueueModelTest {

    private static final int STEPS = 150_000;
    private static final int FLOWS = 6;

    @ParameterizedTest
    @ValueSource(longs = {1, 20260101, 987654321})
    void doesWhatTheModelDoes(long seed) {
        new ModelRun(seed, WorkQueueModelTest::queue, key -> "").run(STEPS);
    }

    @ParameterizedTest
    @ValueSource(longs = {2, 20270101})
    void doesWhatTheModelDoesWithFairness(long seed) {
        new ModelRun(seed, WorkQueueModelTest::fairQueue, key -> key % FLOWS).run(STEPS);
    }

    @Test
    void doesWhatTheModelDoesWithASeedOfOnesOwn() {
        long seed = Long.getLong("workqueue.seed", 42);
        new ModelRun(seed, WorkQueueModelTest::queue, key -> "").run(STEPS);
        new ModelRun(seed, WorkQueueModelTest::fairQueue, key -> key % FLOWS).run(STEPS);
    }

    static WorkQueue<Integer> queue(VirtualTime time) {
        return builder(time).build();
    }

    static WorkQueue<Integer> fairQueue(VirtualTime time) {
        return builder(time).fairness(key -> key % FLOWS).build();
    }

    static WorkQueueBuilder<Integer> builder(VirtualTime time) {
        return PriorityWorkQueue.<Integer>named("model").clock(time).timer(time).agingInterval(ModelRun.AGING);
    }
}
