package io.controllermanager.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.testing.failover.ChaosRun;
import io.controllermanager.testing.failover.Round;
import io.controllermanager.testing.failover.Timings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ten of the things that may befall replicas, in an order that is the same each time; {@code benchmarks/run-failover-chaos}
 * does it a hundred times, with longer leases.
 */
class FailoverIT {

    private static final Logger log = LoggerFactory.getLogger(FailoverIT.class);

    private static final int ROUNDS = 10;
    /** One whose first ten are of many kinds: processes, network, API server, the Lease, a clock and a Go program. */
    private static final long SEED = 16981;

    /** With the logs of all, and the audit log; it stays where a test has failed. */
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    @Test
    void onlyTheLeaderWritesWhateverHappens() throws Exception {
        List<Round> rounds = new ArrayList<>();
        try (ChaosRun run = ChaosRun.start(
                Path.of(System.getProperty("controller-manager.jar")),
                Manifests.configDirectory(),
                directory,
                Timings.SHORT,
                SEED,
                "")) {
            run.run(ROUNDS, round -> {
                log.atInfo().addKeyValue("round", round).log("Survived");
                rounds.add(round);
            });
            rounds.add(run.finish());
        }

        assertThat(rounds).allSatisfy(round -> assertThat(round.violations()).isEmpty());
        assertThat(rounds).as("rounds after which another led").anyMatch(round -> round.handOver() != null);
        assertThat(rounds.stream().mapToInt(Round::writes).sum())
                .as("writes that were judged")
                .isGreaterThan(500);
        assertThat(rounds.stream().mapToInt(Round::reconciles).sum())
                .as("reconciles that were judged")
                .isGreaterThan(500);
    }
}
