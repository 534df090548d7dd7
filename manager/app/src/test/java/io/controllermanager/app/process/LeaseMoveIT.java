package io.controllermanager.app.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.app.support.Manifests;
import io.controllermanager.testing.failover.LeaseMoveRun;
import io.controllermanager.testing.failover.LeaseMoveRun.Leases;
import io.controllermanager.testing.failover.Move;
import io.controllermanager.testing.failover.Timings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Rolling updates to other Leases, and back, while replicas are stopped and killed. */
@Tag("deep")
class LeaseMoveIT {

    private static final Logger log = LoggerFactory.getLogger(LeaseMoveIT.class);

    private static final int ROUNDS = 20;

    /** With the logs of all, and the audit log; it stays where a test has failed. */
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    @Test
    void oneReplicaWorksAtATime() throws Exception {
        move(2, List.of(Leases.FOR_EACH), 1);
    }

    @Test
    void oneReplicaWorksAtATimeInManyRounds() throws Exception {
        move(3, List.of(Leases.FOR_EACH, Leases.SHARED, Leases.OTHER_NAME, Leases.NAME_AGAIN), ROUNDS);
    }

    /** Old replicas are killed in every second move of each kind. */
    private void move(int replicas, List<Leases> kinds, int rounds) throws Exception {
        List<Move<Leases>> moves = new ArrayList<>();
        List<String> together;
        Image image = Image.shared();
        try (LeaseMoveRun run = LeaseMoveRun.start(
                image.java(), image.jar(), Manifests.configDirectory(), directory, Timings.SHORT, replicas)) {
            for (int round = 0; round < rounds; round++) {
                for (int kind = 0; kind < kinds.size(); kind++) {
                    run.move(kinds.get(kind), (round + kind) % 2 == 0, move -> {
                        log.atInfo().addKeyValue("move", move).log("Moved");
                        moves.add(move);
                    });
                }
            }
            together = run.finish();
        }

        assertThat(moves)
                .as("moves, see %s", directory)
                .allSatisfy(move -> assertThat(move.violations()).isEmpty())
                .allSatisfy(move -> assertThat(move.work()).isGreaterThan(100));
        assertThat(together).as("the whole run, see %s", directory).isEmpty();
    }
}
