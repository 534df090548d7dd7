package io.controllermanager.app.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.app.support.Manifests;
import io.controllermanager.app.support.Programs;
import io.controllermanager.testing.failover.Move;
import io.controllermanager.testing.failover.Timings;
import io.controllermanager.testing.failover.UpgradeRun;
import io.controllermanager.testing.failover.UpgradeRun.Version;
import io.controllermanager.testing.failover.UpgradeRun.Whole;
import io.controllermanager.testing.failover.Work;
import java.io.IOException;
import java.nio.file.Files;
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
 * Rolling updates from the version that {@code release/upgrade-from} names to this one, and back, first by stops and then by
 * kills: with shards. Where both divide alike, replicas of both work side by side, and never two in one namespace.
 */
@Tag("deep")
class RollingUpgradeIT {

    private static final Logger log = LoggerFactory.getLogger(RollingUpgradeIT.class);

    private static final Work WORK = new Work(4, 8, 100);

    private static final Path RELEASE = Manifests.configDirectory().resolveSibling("release");
    private static final List<String> BY_RANGE =
            List.of("--controller-manager.controller.foo.shard-by=namespace-range");

    /** With the logs of all, and the audit logs; it stays where a test has failed. */
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    @Test
    void versionsShareTheShardsOfOneDivision() throws Exception {
        Whole whole = move(BY_RANGE);

        assertThat(whole.sideBySide())
                .as("work of one version beside the other's")
                .isNotEmpty();
    }

    /** By default this version divides otherwise, and waits for the last replica of the former one. */
    @Test
    void versionsWithOtherDivisionsExcludeEachOther() throws Exception {
        Whole whole = move(List.of());

        assertThat(whole.sideBySide())
                .as("work of one version beside the other's, see %s", directory)
                .isEmpty();
    }

    /** A release has a tag, and a name for this division. A commit from before divides so without one. */
    private static List<String> formerArguments() throws IOException {
        boolean released =
                Files.readAllLines(RELEASE.resolve("upgrade-from")).stream().anyMatch(line -> line.startsWith("v"));
        return released ? BY_RANGE : List.of();
    }

    /** The former version divides by ranges of namespaces, this one as it is told. */
    private Whole move(List<String> arguments) throws Exception {
        Path former = Path.of(Programs.run(RELEASE.resolve("build-former"), List.of())
                .expectOut()
                .strip());
        Image before = Image.layOut(
                former.resolve("controller-manager.jar"), Files.createDirectory(directory.resolve("former")));
        Image now = Image.shared();
        Version from =
                new Version("former", before.java(), before.jar(), former.resolve("watched.jar"), formerArguments());
        Version to = new Version("this", now.java(), now.jar(), null, arguments);
        List<Move<String>> moves = new ArrayList<>();
        Whole whole;
        try (UpgradeRun run = UpgradeRun.start(from, Manifests.configDirectory(), directory, Timings.SHORT, WORK)) {
            for (boolean kill : List.of(false, true)) {
                for (Version version : List.of(to, from)) {
                    run.move(version, kill, move -> {
                        log.atInfo().addKeyValue("move", move).log("Moved");
                        moves.add(move);
                    });
                }
            }
            whole = run.finish();
        }

        assertThat(moves)
                .as("moves, see %s", directory)
                .hasSize(4)
                .allSatisfy(move -> assertThat(move.violations()).isEmpty())
                .allSatisfy(move -> assertThat(move.work()).isGreaterThan(100));
        assertThat(whole.work()).isGreaterThan(100 * moves.size());
        assertThat(whole.violations()).as("the whole run, see %s", directory).isEmpty();
        return whole;
    }
}
