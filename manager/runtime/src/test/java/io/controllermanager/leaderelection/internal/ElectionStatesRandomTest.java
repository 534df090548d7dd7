package io.controllermanager.leaderelection.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever happens, in whatever order, never do two processes lead. */
class ElectionStatesRandomTest {

    @Test
    void neverDoTwoLead() {
        check(1, 4, 400_000);
    }

    @Tag("deep")
    @ParameterizedTest
    @ValueSource(longs = {2, 3, 4, 5, 6, 7, 8, 9})
    void neverDoTwoLeadInMillionsOfEvents(long seed) {
        check(seed, 3 + (int) (seed % 4), 3_000_000);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void eachBugIsFound(ElectionMutant mutant) {
        ElectionWorld world = new ElectionWorld(8, 4, mutant);
        world.run(200_000);

        assertThat(world.violation).isNotNull();
    }

    private static void check(long seed, int processes, long events) {
        ElectionWorld world = new ElectionWorld(seed, processes, ElectionMutant.NONE);
        world.run(events);

        if (world.violation != null) {
            ElectionWorld again = new ElectionWorld(seed, processes, ElectionMutant.NONE);
            again.historyFrom = world.transitions - 300;
            again.run(events);
            throw new AssertionError(again.violation + "\n" + String.join("\n", again.history));
        }
        // Not by leading never, nor by leaving anything out.
        assertThat(world.acquisitions).isGreaterThan((int) (events / 1_000));
        assertThat(world.happened)
                .contains(
                        "labelled",
                        "deleted",
                        "patched",
                        "restored",
                        "restored to another term",
                        "paused",
                        "killed",
                        "told twice",
                        "answer lost",
                        "Turn",
                        "Read",
                        "Stored",
                        "Refused",
                        "Failed",
                        "Seen",
                        "Deleted",
                        "WatchInterrupted",
                        "TIME_PASSED",
                        "RETRY_NOW",
                        "RESIGN",
                        "STOP",
                        "ASK",
                        "HandOver",
                        "REFUSE",
                        "Release",
                        "END");
    }
}
