package io.controllermanager.app.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.faults.RequestMatcher;
import io.controllermanager.app.support.Manifests;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoordinationV1Api;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A credential plugin that answers twice and hangs at its third call, and what it has started with it. How long a stop takes
 * goes to {@code target/hanging-plugin.tsv}; {@code benchmarks/run/hanging-plugin} judges it, in more rounds.
 */
@Tag("deep")
class HangingPluginIT {

    private static final String USER =
            "exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: ./plugin}";

    private static final Path FIGURES = Path.of("target", "hanging-plugin.tsv");

    @TempDir
    Path directory;

    private final ApiServer server = ApiServer.start();

    /** When the process is told to stop, and what it is at. */
    private enum Stop {
        WHILE_VALID("foo"),
        ONCE_RUN_OUT("foo"),
        WHILE_RECONCILING("stubborn");

        private final String controller;

        Stop(String controller) {
            this.controller = controller;
        }
    }

    static Stream<Stop> stops() {
        return Stream.generate(() -> Stream.of(Stop.values()))
                .limit(Integer.getInteger("plugin.rounds", 1))
                .flatMap(all -> all);
    }

    @BeforeEach
    void serveFoos() throws Exception {
        Manifests.applyCrds(server.client(), Manifests.configDirectory());
    }

    @AfterEach
    void close() throws IOException {
        server.close();
        for (String pid : calls("pids")) {
            ProcessHandle.of(Long.parseLong(pid)).ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    private List<String> calls(String file) throws IOException {
        Path calls = directory.resolve(file);
        return Files.exists(calls) ? Files.readAllLines(calls) : List.of();
    }

    private boolean isAnyAlive() throws IOException {
        return calls("pids").stream()
                .anyMatch(pid -> ProcessHandle.of(Long.parseLong(pid))
                        .map(ProcessHandle::isAlive)
                        .orElse(false));
    }

    /** The first token is good for an hour, the second for this long; a 401 has the plugin asked for another. */
    private static String plugin(int seconds) {
        return """
                cd "$(dirname "$0")"
                echo x >>calls
                lifetime=3600
                case $(wc -l <calls | tr -d ' ') in
                2) lifetime=%d ;;
                3) sleep 1000 & echo $! >>pids; echo $$ >>pids; echo 'waiting for you to sign in' >&2; wait ;;
                esac
                end=$(date -u -d "+$lifetime seconds" +%%Y-%%m-%%dT%%H:%%M:%%SZ)
                echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",'
                echo '"status":{"token":"t","expirationTimestamp":"'"$end"'"}}' | sed "s/:.t./:\\"t$$\\"/"
                """.formatted(seconds);
    }

    private RunningJar start(String controller, int seconds) throws Exception {
        Kubeconfigs.plugin(directory, plugin(seconds));
        return RunningJar.startWithMoreControllers(
                directory,
                "--kubeconfig=" + Kubeconfigs.of(directory, server.url().toString(), USER),
                "--controllers=" + controller,
                // The test's own refusals keep the Lease from being renewed, on a slow machine for seconds.
                "--leader-elect-lease-duration=60s",
                "--leader-elect-renew-deadline=40s",
                "--controller-manager.shutdown-timeout=2s");
    }

    private V1LeaseSpec lease() throws ApiException {
        return new CoordinationV1Api(server.client())
                .readNamespacedLease("controller-manager", "default")
                .execute()
                .getSpec();
    }

    private void refuseUntilCalled(int times) {
        await("call " + times + " of the plugin").until(() -> {
            if (calls("calls").size() < times) {
                server.faults().clear();
                server.faults().when(RequestMatcher.verb("update")).times(1).respond(401);
            }
            return calls("calls").size() >= times;
        });
        server.faults().clear();
    }

    private int renewalsUntil(RunningJar jar, int count) {
        Set<Object> renewals = new HashSet<>();
        await("the Lease is renewed").until(() -> {
            assertThat(jar.status("/actuator/health/readiness")).isEqualTo(200);
            renewals.add(lease().getRenewTime());
            return renewals.size() > count;
        });
        return renewals.size() - 1;
    }

    @ParameterizedTest
    @MethodSource("stops")
    void keepsTheLeaseWhileTheOldTokenIsValidAndStops(Stop when) throws Exception {
        try (RunningJar jar = start(when.controller, when == Stop.ONCE_RUN_OUT ? 12 : 3600)) {
            jar.awaitStatus("/actuator/health/readiness", 200);
            await("it leads").until(() -> jar.body("/actuator/leaderelection").contains("\"leading\":true"));
            refuseUntilCalled(2);
            refuseUntilCalled(3);
            await("it hangs").until(() -> calls("pids").size() == 2);

            int renewals = renewalsUntil(jar, 3);
            assertThat(lease().getLeaseTransitions()).isZero();
            assertThat(isAnyAlive()).isTrue();
            if (when == Stop.ONCE_RUN_OUT) {
                jar.awaitStatus("/actuator/health/readiness", 503);
                assertThat(jar.body("/actuator/health/readiness"))
                        .contains("the API server cannot be asked", "credential plugin " + directory.resolve("plugin"));
                assertThat(jar.status("/actuator/health/liveness")).isEqualTo(200);
                assertThat(jar.out())
                        .anyMatch(line -> line.contains("WARN")
                                && line.contains(
                                        "credential plugin " + directory.resolve("plugin") + " has not answered"));
            }

            long told = System.nanoTime();
            jar.terminate();
            assertThat(jar.exitCode()).isZero();
            double seconds = (System.nanoTime() - told) / 1e9;

            await("the plugin has gone, and its child").until(() -> !isAnyAlive());
            assertThat(jar.err()).isEmpty();
            assertThat(jar.out()).noneMatch(line -> line.startsWith("\tat "));
            if (when == Stop.WHILE_VALID) {
                assertThat(lease().getHolderIdentity()).isNullOrEmpty();
            }
            Files.writeString(
                    FIGURES,
                    String.format(Locale.ROOT, "%s\t%.2f\t%d%n", when, seconds, renewals),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        }
    }

    @Test
    void endsAStartWhosePluginHangs() throws Exception {
        Files.writeString(directory.resolve("calls"), "x\nx\n");
        try (RunningJar jar = start("foo", 0)) {
            assertThat(jar.exitCode()).isEqualTo(1);
            assertThat(jar.err())
                    .containsExactly("kubeconfig " + directory.resolve("kubeconfig")
                            + ": user \"nobody\": credential plugin " + directory.resolve("plugin")
                            + " has been ended, since it was not done after 30.0 s: waiting for you to sign in");
            await("the plugin has gone, and its child").until(() -> !isAnyAlive());
        }
    }

    @Test
    void stopsWhileAPluginHangsAtTheStart() throws Exception {
        Files.writeString(directory.resolve("calls"), "x\nx\n");
        try (RunningJar jar = start("foo", 0)) {
            await("it hangs").until(() -> calls("pids").size() == 2);

            jar.terminate();
            assertThat(jar.exitCode()).isZero();

            assertThat(jar.err()).isEmpty();
            await("the plugin has gone, and its child").until(() -> !isAnyAlive());
        }
    }
}
