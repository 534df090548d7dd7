package io.controllermanager.app.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a process does as a whole that needs controllers other than our own to be seen. */
class MoreControllersIT extends SamplesFixture {

    @Test
    void aControllerThatFailsLeavesTheOthersAtWork() throws Exception {
        try (RunningJar process = start("failed", "--controllers=foo,broken")) {
            awaitState(process, "foo", "RUNNING");
            awaitState(process, "broken", "FAILED");
            assertThat(process.status("/actuator/health/liveness")).isEqualTo(200);
            assertThat(process.status("/actuator/health/readiness")).isEqualTo(503);
            assertThat(process.body("/actuator/health/readiness")).contains("broken", "no licence");
            process.terminate();
            assertThat(process.exitCode()).isZero();
        }
    }

    @Test
    void anEssentialControllerThatFailsEndsTheProcessWithCode1() throws Exception {
        try (RunningJar process = start(
                "essential", "--controllers=foo,broken", "--controller-manager.controller.broken.essential=true")) {
            assertThat(process.exitCode()).isEqualTo(1);
            assertThat(process.out().stream().filter(line -> line.contains(" ERROR ")))
                    .singleElement()
                    .asString()
                    .contains("Controller broken is essential and failed", "no licence");
            assertThat(process.out()).anyMatch(line -> line.contains("Controller manager stopped"));
            assertThat(process.err()).isEmpty();
        }
    }

    @Test
    void workersArePlatformThreadsUnlessSaidOtherwise() throws Exception {
        try (RunningJar process = start("platform", "--controllers=thread-teller")) {
            assertThat(reconciledOn(process)).startsWith("Thread[").contains("thread-teller-worker-1");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"controller-manager.virtual-threads", "spring.threads.virtual.enabled"})
    @EnabledForJreRange(min = JRE.JAVA_21)
    void workersAreVirtualThreadsWhereAPropertySaysSo(String property) throws Exception {
        try (RunningJar process = start("virtual", "--controllers=foo,thread-teller", "--" + property + "=true")) {
            assertThat(reconciledOn(process)).startsWith("VirtualThread[").contains("thread-teller-worker-1");
            await("the example is reconciled, with requests to the API server")
                    .until(
                            () -> process.body("/actuator/prometheus")
                                    .lines()
                                    .anyMatch(
                                            line -> line.matches(
                                                    "controller_runtime_reconcile_total\\{controller=\"foo\",result=\"success\"} [1-9].*")));
            process.awaitStatus("/actuator/health/readiness", 200);
            process.terminate();
            assertThat(process.exitCode()).isZero();
            assertThat(process.err()).isEmpty();
        }
    }

    private static String reconciledOn(RunningJar process) {
        String announcement = "reconciled on ";
        await("a reconcile").until(() -> process.out().stream().anyMatch(line -> line.startsWith(announcement)));
        return process.out().stream()
                .filter(line -> line.startsWith(announcement))
                .findFirst()
                .orElseThrow()
                .substring(announcement.length());
    }

    private static void awaitState(RunningJar process, String controller, String state) {
        await(controller + " is " + state)
                .until(() ->
                        process.body("/actuator/controllers/" + controller).contains("\"state\":\"" + state + "\""));
    }

    private RunningJar start(String lease, String... more) throws IOException, InterruptedException {
        return RunningJar.startWithMoreControllers(directory, arguments(lease, more));
    }
}
