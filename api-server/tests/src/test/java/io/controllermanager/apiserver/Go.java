package io.controllermanager.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The programs in {@code client-go}. */
final class Go {

    private Go() {}

    /** Runs a command of Go's and gives what it wrote to its standard output, once it has ended well. */
    static String run(Map<String, String> environment, String... arguments) throws IOException {
        Path out = Files.createTempFile("go", ".out");
        Path err = Files.createTempFile("go", ".err");
        List<String> command = new ArrayList<>(List.of("go"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(Path.of("client-go").toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        // As the control plane is built, and with modules of the same versions, so that both share what is compiled.
        builder.environment().putAll(Map.of("CGO_ENABLED", "0", "GOFLAGS", "-trimpath", "GOWORK", "off"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            // On a new machine the first one compiles client-go: the time limit is that of the test.
            process.waitFor();
            String output = Files.readString(out, StandardCharsets.UTF_8);
            assertThat(process.exitValue())
                    .as("%s: %s%s", command, output, Files.readString(err, StandardCharsets.UTF_8))
                    .isZero();
            return output;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            process.destroyForcibly();
            Files.delete(out);
            Files.delete(err);
        }
    }
}
