package io.controllermanager.app.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("system")
class UnreachableApiServerIT {

    private static final List<String> ASKING = List.of("-Dcontroller-manager.endpoints.authentication.enabled=true");

    @TempDir
    Path directory;

    @Test
    void isAliveButNotReadyAndStopsCleanly() throws Exception {
        Path kubeconfig = Kubeconfigs.unreachable(directory);
        try (RunningJar jar = RunningJar.start(directory, "--kubeconfig=" + kubeconfig)) {
            jar.awaitStatus("/actuator/health/liveness", 200);
            jar.awaitStatus("/actuator/health/readiness", 503);
            await("a warning").until(() -> jar.out().stream().anyMatch(line -> line.contains("cannot be reached")));
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

    @Test
    void whoeverHasATokenIsToldThatItCannotBeChecked() throws Exception {
        Path kubeconfig = Kubeconfigs.unreachable(directory);
        try (RunningJar jar = RunningJar.start(directory, ASKING, "--kubeconfig=" + kubeconfig)) {
            jar.awaitStatus("/actuator/health/liveness", 200);
            expectUnavailable(jar, "the API server cannot be asked now");
        }
    }

    /** The web server is up while the host still waits for what says how to ask the API server. */
    @Test
    void whoeverHasATokenIsToldThatItIsTooEarly() throws Exception {
        Kubeconfigs.plugin(directory, "while kill -0 $PPID; do sleep 0.1; done");
        Path kubeconfig = Kubeconfigs.unreachable(
                directory,
                "exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: ./plugin}");
        try (RunningJar jar = RunningJar.start(directory, ASKING, "--kubeconfig=" + kubeconfig)) {
            jar.awaitStatus("/actuator/info", 401);
            expectUnavailable(jar, "the controller manager is starting and cannot ask the API server yet");
        }
    }

    private static void expectUnavailable(RunningJar jar, String said) {
        for (String path : List.of("/actuator/info", "/actuator/prometheus", "/actuator/controllers")) {
            assertThat(jar.get(path, "some-token")).isEqualTo(new HttpAnswer(503, "{\"error\":\"" + said + "\"}"));
        }
        await("the log has it").until(() -> jar.out().stream().anyMatch(line -> line.contains("was not answered")));
        assertThat(jar.out()).noneMatch(line -> line.startsWith("\tat "));
        assertThat(jar.out().stream().filter(line -> line.contains("was not answered")))
                .singleElement()
                .asString()
                .contains("A request to /actuator/info was not answered, since " + said);
        assertThat(jar.err()).isEmpty();
    }
}
