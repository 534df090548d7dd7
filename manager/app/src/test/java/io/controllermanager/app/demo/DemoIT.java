package io.controllermanager.app.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.app.process.RunningJar;
import io.controllermanager.testing.controlplane.Binaries;
import io.controllermanager.testing.controlplane.Ports;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** README's run command, without Maven around it. */
@Tag("system")
class DemoIT {

    private static final int API_SERVER_PORT = 18080;

    @TempDir
    Path directory;

    private Path kubectl;
    private Path editor;

    @BeforeEach
    void findTools() throws IOException {
        kubectl = Binaries.locate().program("kubectl");
        editor = Files.writeString(
                directory.resolve("editor"), "#!/bin/sh\nsed -i 's/^  replicas: 1$/  replicas: 2/' \"$1\"\n");
        assertThat(editor.toFile().setExecutable(true)).isTrue();
    }

    @Test
    void tellsWhatHoldsAndPrintsCommandsThatWork() throws Exception {
        try (RunningJar demo = start(Ports.free())) {
            awaitDirections(demo);
            assertThat(demo.out())
                    .contains(
                            "Foo default/example-foo synced: 1 of 1 replicas available.",
                            "Network default/example-network ready: 192.168.0.0/16, gateway 192.168.0.1.");
            String server = printed(demo, "kubectl").get(0).replaceFirst(" get .*", "");
            assertThat(run(server + " get events")).containsPattern("Synced +foo/example-foo +Foo synced successfully");
            assertThat(run(server + " get networks example-network"))
                    .containsPattern("192.168.0.0/16 +192.168.0.1 +True +Ready");
            for (String command : printed(demo, "kubectl")) {
                if (command.contains("--watch")) {
                    // A watch does not end by itself. Where a second is too short for its answer, it is tried again.
                    await(command).untilAsserted(() -> run(command + " --request-timeout=1s"));
                } else {
                    run(command);
                }
            }
            String foo = server + " get foo example-foo -o jsonpath='{.spec.replicas} {.status.availableReplicas}'";
            await("what was changed last is followed")
                    .untilAsserted(() -> assertThat(run(foo)).isEqualTo("3 3"));
            assertThat(demo.status("/actuator/controllers")).isEqualTo(200);

            demo.terminate();
            assertThat(demo.exitCode()).isZero();
            // From JDK 24 on the JVM warns of what protobuf asks of it.
            assertThat(demo.err())
                    .filteredOn(line -> !line.matches("WARNING: .*Unsafe.*"))
                    .isEmpty();
        }
    }

    @Test
    void takesOtherPortsWhereItsOwnAreTaken() throws Exception {
        try (ServerSocket host = new ServerSocket(0);
                ServerSocket apiServer = takeUnlessTaken(API_SERVER_PORT);
                RunningJar demo = start(host.getLocalPort())) {
            assertThat(apiServer).isNotNull();
            awaitDirections(demo);
            assertThat(demo.out())
                    .contains(
                            "Port " + API_SERVER_PORT + " is taken: the API server gets another.",
                            "Port " + host.getLocalPort() + " is taken: metrics, health and endpoints get another.");
            assertThat(run(printed(demo, "kubectl").get(0))).contains("deployment.apps/example-foo");
            assertThat(printed(demo, "curl"))
                    .singleElement()
                    .asString()
                    .matches("curl http://localhost:\\d+/actuator/controllers")
                    .doesNotContain(":" + host.getLocalPort() + "/");
        }
    }

    @Test
    void startsARealApiServerIfAskedTo() throws Exception {
        try (RunningJar demo = start(Ports.free(), "-Dapi-server=real")) {
            awaitDirections(demo);
            assertThat(demo.out())
                    .contains(
                            "Foo default/example-foo synced: 1 of 1 replicas available.",
                            "Network default/example-network ready: 192.168.0.0/16, gateway 192.168.0.1.");
            String server = printed(demo, "kubectl").get(0).replaceFirst(" get .*", "");
            // Which the embedded one never has: a Pod that a scheduler placed and a node runs.
            assertThat(run(server + " get pods --field-selector=status.phase=Running"))
                    .contains("example-foo");

            demo.terminate();
            assertThat(demo.exitCode()).isZero();
        }
    }

    @Test
    void refusesAnApiServerThatItDoesNotKnow() throws Exception {
        try (RunningJar demo = start(Ports.free(), "-Dapi-server=fake")) {
            assertThat(demo.exitCode()).isEqualTo(1);
            assertThat(demo.out()).isEmpty();
            assertThat(demo.err()).containsExactly("-Dapi-server=fake: must be embedded or real");
        }
    }

    /** It has no jar, and finds {@code config} from where the tests run. */
    private RunningJar start(int port, String... javaOptions) throws IOException {
        return RunningJar.startClass(directory, port, List.of(javaOptions), TestControllerManagerApplication.class);
    }

    private static void awaitDirections(RunningJar demo) {
        await("directions are printed").until(() -> demo.out().contains("Ctrl-C ends all of it, and nothing is kept."));
    }

    /** The printed command lines of one program, without their indentation. */
    private static List<String> printed(RunningJar demo, String program) {
        return demo.out().stream()
                .filter(line -> line.startsWith("  " + program + " "))
                .map(String::strip)
                .toList();
    }

    /** What a shell's command prints; it has to succeed. */
    private String run(String command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", command).redirectErrorStream(true);
        Map<String, String> environment = builder.environment();
        environment.put("PATH", kubectl.getParent() + ":" + environment.get("PATH"));
        environment.put("KUBE_EDITOR", editor.toString());
        environment.put("KUBECONFIG", "");
        environment.put("HOME", directory.toString());
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(command + " printed: " + output).isZero();
        return output;
    }

    /** Listens on a port; on any, if someone else does already. */
    private static ServerSocket takeUnlessTaken(int port) throws IOException {
        ServerSocket socket = new ServerSocket();
        try {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        } catch (BindException e) {
            socket.bind(null);
        }
        return socket;
    }
}
