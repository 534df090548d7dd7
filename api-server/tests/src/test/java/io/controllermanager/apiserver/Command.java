package io.controllermanager.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.testing.support.Waiting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** A program of the machine's. */
record Command(int code, String output) {

    /** Runs it in a directory, waits for its end, and fails unless it ends well. */
    static String run(Path directory, Map<String, String> environment, String input, String... command) {
        Command result = tryTo(directory, environment, input, command);
        assertThat(result.code())
                .as("%s: %s", Arrays.toString(command), result.output())
                .isZero();
        return result.output();
    }

    static Command tryTo(Path directory, Map<String, String> environment, String input, String... command) {
        try {
            Path in = Files.createTempFile("input", ".txt");
            Path out = Files.createTempFile("output", ".txt");
            Files.writeString(in, input);
            List<String> words = new ArrayList<>(List.of(command));
            ProcessBuilder builder = new ProcessBuilder(words)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectInput(in.toFile())
                    .redirectOutput(out.toFile());
            builder.environment().putAll(environment);
            Process process = builder.start();
            int code;
            try {
                code = Waiting.on(process);
            } finally {
                process.destroyForcibly();
            }
            String said = Files.readString(out, StandardCharsets.UTF_8);
            Files.delete(in);
            Files.delete(out);
            return new Command(code, said);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
