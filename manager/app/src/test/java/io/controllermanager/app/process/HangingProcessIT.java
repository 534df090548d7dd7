package io.controllermanager.app.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process that cannot get rid of what it says, and one that has no memory left. */
@Tag("system")
class HangingProcessIT {

    @TempDir
    Path directory;

    @Test
    void worksOnAndStopsWhereNobodyReadsWhatItSays() throws Exception {
        try (ApiServer server = ApiServer.start();
                RunningJar process = RunningJar.startUnread(
                        directory,
                        "--kubeconfig=" + kubeconfig(server),
                        "--controllers=crowd,talker",
                        "--controller-manager.controller.crowd.workers=16",
                        "--controller-manager.controller.crowd.rate-limiter.max-backoff=100ms",
                        "--controller-manager.controller.talker.workers=2",
                        "--controller-manager.shutdown-timeout=1s")) {
            await("lines are dropped").until(() -> metric(process, "logback_events_dropped_total ") > 0);
            double before = failures(process);
            await("the work goes on").until(() -> failures(process) > before + 1000);
            assertThat(process.status("/actuator/health/liveness")).isEqualTo(200);
            await("both workers hang in their own output")
                    .until(() -> metric(process, "controller_runtime_active_workers{controller=\"talker\"} ") == 2);

            process.terminate();
            assertThat(process.exitCode()).isZero();
        }
    }

    @Test
    void endsByForceWhereItsStopHangs() throws Exception {
        try (ApiServer server = ApiServer.start();
                RunningJar process = RunningJar.startWithMoreControllers(
                        directory,
                        "--kubeconfig=" + kubeconfig(server),
                        "--controllers=crowd",
                        "--test.obstinate=true",
                        "--controller-manager.shutdown-timeout=0s")) {
            process.awaitStatus("/actuator/health/readiness", 200);
            process.terminate();
            assertThat(process.exitCode()).isEqualTo(1);
        }
    }

    @Test
    void endsWhenItsHeapIsFull() throws Exception {
        try (ApiServer server = ApiServer.start();
                RunningJar process = RunningJar.startWithMoreControllers(
                        directory,
                        List.of("-Xmx64m", "-XX:+ExitOnOutOfMemoryError"),
                        "--kubeconfig=" + kubeconfig(server),
                        "--controllers=hoarder")) {
            assertThat(process.exitCode()).isEqualTo(3);
        }
    }

    private Path kubeconfig(ApiServer server) throws Exception {
        return Files.writeString(directory.resolve("kubeconfig"), server.kubeconfig());
    }

    private static double failures(RunningJar process) {
        return metric(process, "controller_runtime_reconcile_errors_total{controller=\"crowd\"} ");
    }

    /** The value of the line that begins so, 0 while there is none. */
    private static double metric(RunningJar process, String line) {
        return process.body("/actuator/prometheus")
                .lines()
                .filter(candidate -> candidate.startsWith(line))
                .mapToDouble(candidate -> Double.parseDouble(candidate.substring(line.length())))
                .findFirst()
                .orElse(0);
    }
}
