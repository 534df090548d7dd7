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
 * Ten of the things that may befall replicas, in an order that is the same each time, and a look at whether the judge would
 * have seen a mistake; {@link FailoverChaosIT} and {@code benchmarks/run/failover-chaos} do it a hundred times, with longer
 * leases.
 */
@Tag("system")
class FailoverIT {

    private static final Logger log = LoggerFactory.getLogger(FailoverIT.class);

    private static final int ROUNDS = 10;

    /** How often a leader is suspended at most until one of its writes comes too late. */
    private static final int SUSPENSIONS = 20;

    /** One whose first ten are of many kinds: processes, network, API server, the Lease, a clock and a Go program. */
    private static final long SEED = 28676;

    /** With the logs of all, and the audit log; it stays where a test has failed. */
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    @Test
    void onlyTheLeaderWritesWhateverHappens() throws Exception {
        List<Round> rounds = new ArrayList<>();
        Image image = Image.shared();
        try (ChaosRun run = ChaosRun.start(
                image.java(),
                image.jar(),
                Manifests.configDirectory(),
                directory,
                Timings.SHORT,
                Work.UNDIVIDED,
                SEED)) {
            do {
                run.run(rounds.isEmpty() ? ROUNDS : 1, round -> {
                    log.atInfo().addKeyValue("round", round).log("Survived");
                    rounds.add(round);
                });
            } while (!areEnough(rounds));
            rounds.add(run.finish());
            assertThat(rounds)
                    .as("rounds, see %s", directory)
                    .allSatisfy(round -> assertThat(round.violations()).isEmpty());

            run.takeFencesAway();
            assertThat(findsAWriteOfASuspendedLeader(run))
                    .as("a write is found without fences")
                    .isTrue();
        }

        assertThat(rounds).as("rounds after which another led").anyMatch(round -> round.handOver() != null);
    }

    /** Whether so much was judged that a mistake would show. A slow machine takes more rounds for that. */
    private static boolean areEnough(List<Round> rounds) {
        return rounds.stream().mapToInt(Round::writes).sum() > 500
                && rounds.stream().mapToInt(Round::reconciles).sum() > 500;
    }

    /** Whether a write is under way when a process is suspended is up to chance. */
    private static boolean findsAWriteOfASuspendedLeader(ChaosRun run) throws Exception {
        for (int i = 0; i < SUSPENSIONS; i++) {
            if (run.suspend().violations().stream().anyMatch(violation -> violation.contains("was received"))) {
                return true;
            }
        }
        return false;
    }
}
