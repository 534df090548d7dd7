package io.controllermanager.testing.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("control-plane")
class KilledJvmTest {

    @TempDir
    private Path parent;

    @Test
    void leavesNeitherProcessesNorFiles() throws IOException {
        Process jvm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Victim.class.getName(),
                        parent.toString())
                .redirectError(Redirect.INHERIT)
                .start();
        try (BufferedReader output = jvm.inputReader(StandardCharsets.UTF_8)) {
            List<Long> processes = Stream.of(Objects.requireNonNull(output.readLine(), "process ids")
                            .split(" ", -1))
                    .map(Long::valueOf)
                    .toList();
            Path dataDir = Path.of(Objects.requireNonNull(output.readLine(), "directory"));
            assertThat(processes).hasSize(2).allMatch(Processes::isRunning);
            assertThat(dataDir).isDirectory();

            jvm.destroyForcibly();

            await().untilAsserted(() -> {
                assertThat(processes).noneMatch(Processes::isRunning);
                assertThat(dataDir).doesNotExist();
            });
        } finally {
            jvm.destroyForcibly();
        }
    }

    /** Starts a plane, says where it is, and waits for its end. */
    static final class Victim {

        private Victim() {}

        /** Takes the directory in which the plane is to be. */
        public static void main(String[] arguments) throws IOException {
            ControlPlane plane = ControlPlane.builder()
                    .parentDirectory(Path.of(arguments[0]))
                    .start();
            System.out.println(String.join(
                    " ", plane.processIds().stream().map(String::valueOf).toList()));
            System.out.println(plane.dataDir());
            System.out.flush();
            // Its standard input is a pipe that the test never writes to.
            var unused = System.in.read();
        }
    }
}
