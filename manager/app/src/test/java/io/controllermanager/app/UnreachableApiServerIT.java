package io.controllermanager.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnreachableApiServerIT {

    @TempDir
    Path directory;

    @Test
    void isAliveButNotReadyAndStopsCleanly() throws Exception {
        Path kubeconfig = kubeconfig(directory);
        try (RunningJar jar = RunningJar.start(directory, "--kubeconfig=" + kubeconfig)) {
            jar.awaitStatus("/actuator/health/liveness", 200);
            jar.awaitStatus("/actuator/health/readiness", 503);
            await("a warning")
                    .atMost(Duration.ofSeconds(20))
                    .pollInterval(Duration.ofMillis(100))
                    .until(() -> jar.out().stream().anyMatch(line -> line.contains("cannot be reached")));
            assertThat(jar.body("/actuator/health")).contains("the API server cannot be reached");
            assertThat(jar.body("/actuator/health/readiness"))
                    .contains("\"reasons\":[", "the API server cannot be reached");
            assertThat(jar.body("/actuator/health/liveness")).contains("\"livenessState\"");
            assertThat(jar.out().stream().filter(line -> line.contains(" ERROR ")))
                    .isEmpty();
            assertThat(jar.status("/actuator/health/liveness")).isEqualTo(200);
            jar.terminate();
            assertThat(jar.exitCode()).isZero();
            assertThat(jar.err()).isEmpty();
        }
    }

    /** One whose API server does not listen. */
    static Path kubeconfig(Path directory) throws IOException {
        return Files.writeString(directory.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                clusters:
                - name: nobody
                  cluster:
                    server: https://127.0.0.1:%d
                contexts:
                - name: nobody
                  context:
                    cluster: nobody
                current-context: nobody
                """.formatted(RunningJar.freePort()));
    }
}
