package io.controllermanager.workqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.workqueue.internal.WorkQueueMutantsTest.Mutant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@link WorkQueueMutantsTest} with the other seeds: each bug is found with any, and at the same step each time. */
@Tag("deep")
class WorkQueueMutantSeedsTest {

    private static final long[] SEEDS = {2, 3};

    static Stream<Mutant> mutants() {
        return WorkQueueMutantsTest.mutants();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("mutants")
    void isFound(Mutant mutant) {
        for (long seed : SEEDS) {
            mutant.isFoundWith(seed);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("mutants")
    void isFoundAtTheSameStepEachTime(Mutant mutant) {
        List<String> messages = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> new ModelRun(7, mutant.queues(), mutant.flows()).run(WorkQueueMutantsTest.STEPS))
                    .satisfies(e -> messages.add(Objects.requireNonNull(e.getMessage())));
        }
        assertThat(messages.get(1)).isEqualTo(messages.get(0));
    }
}
