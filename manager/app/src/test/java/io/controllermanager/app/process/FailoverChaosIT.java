package io.controllermanager.app.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.app.support.Manifests;
import io.controllermanager.testing.failover.FailoverChaos;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@link FailoverIT} at length, with the default lease; {@code -Dfailover.rounds} says how many rounds. */
@Tag("deep")
class FailoverChaosIT {

    private static final String ROUNDS = System.getProperty("failover.rounds", "100");
    private static final String SEED = "28676";

    @Test
    void onlyTheLeaderWritesForAsLongAsOneLooks() throws Exception {
        Path output = Path.of("target", "failover-chaos.txt");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        FailoverChaos.class.getName(),
                        Image.shared().jar().toString(),
                        Manifests.configDirectory().toString(),
                        ROUNDS,
                        SEED,
                        "15/10/2",
                        "target/failover-chaos.jsonl")
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor()).as("the judgement in %s", output).isZero();
        } finally {
            process.destroyForcibly();
        }
    }
}
