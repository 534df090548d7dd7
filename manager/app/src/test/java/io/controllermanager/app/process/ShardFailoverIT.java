package io.controllermanager.app.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.app.support.Manifests;
import io.controllermanager.testing.failover.ChaosRun;
import io.controllermanager.testing.failover.Round;
import io.controllermanager.testing.failover.Timings;
import io.controllermanager.testing.failover.Work;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ten of the things that may befall replicas that share the shards of one controller, before two API servers of which one
 * filters by shards; {@code benchmarks/run/shard-chaos} does it a hundred times, with more Foos and longer leases.
 */
@Tag("system")
class ShardFailoverIT {

    private static final Logger log = LoggerFactory.getLogger(ShardFailoverIT.class);

    private static final int ROUNDS = 10;
    private static final Work WORK = new Work(16, 200, 600);

    /** One whose first ten are of many kinds: processes, network, API servers and a Lease. */
    private static final long SEED = 28676;

    /** With the logs of all, and the audit logs; it stays where a test has failed. */
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    @Test
    void noFooIsWrittenByTwoAndNoneIsLeftWhateverHappens() throws Exception {
        List<Round> rounds = new ArrayList<>();
        Image image = Image.shared();
        try (ChaosRun run = ChaosRun.start(
                image.java(), image.jar(), Manifests.configDirectory(), directory, Timings.SHORT, WORK, SEED)) {
            run.run(ROUNDS, round -> {
                log.atInfo().addKeyValue("round", round).log("Survived");
                rounds.add(round);
            });
            rounds.add(run.finish());
        }

        assertThat(rounds)
                .as("rounds, see %s", directory)
                .allSatisfy(round -> assertThat(round.violations()).isEmpty());
        assertThat(rounds.stream().mapToInt(Round::writes).sum())
                .as("writes that were judged, besides the two that each Foo needs at first")
                .isGreaterThan(2 * WORK.foos() + 300);
        assertThat(rounds.stream().mapToInt(Round::moves).sum())
                .as("shards that changed hands")
                .isGreaterThan(ROUNDS);
    }
}
