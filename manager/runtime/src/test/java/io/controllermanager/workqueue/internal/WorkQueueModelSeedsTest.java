package io.controllermanager.workqueue.internal;

import static io.controllermanager.workqueue.internal.WorkQueueModelTest.FLOWS;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@link WorkQueueModelTest} with all seeds, at length. They are fixed; {@code -Dworkqueue.seed=N} runs one of one's own.
 */
@Tag("deep")
class WorkQueueModelSeedsTest {

    private static final int STEPS = 150_000;

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
}
