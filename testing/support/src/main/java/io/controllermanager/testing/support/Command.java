package io.controllermanager.testing.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What came of a program of the machine's that ran to its end. It sees nothing of what whoever tests has set for kubectl and
 * helm. Safe for any thread.
 *
 * @param output what it wrote, with what it complained about unless that is kept apart
 * @param errors empty where they are part of the output
 */
public record Command(int code, String output, String errors) {

    /**
     * Runs it in a directory, and gives its output.
     *
     * @throws AssertionError if it fails, or runs after {@link Waiting#LIMIT}
     */
    public static String run(Path directory, Map<String, String> environment, String input, String... words) {
        return tryTo(directory, environment, input, words).expectOutput(words);
    }

    /** Runs it as {@link #run} does, however it ends. */
    public static Command tryTo(Path directory, Map<String, String> environment, String input, String... words) {
        return end(builder(directory, environment, words).redirectErrorStream(true), input, Waiting::on);
    }

    /**
     * Runs a command of Go's in a module, for as long as the test may take: on a new machine the first one compiles the whole of
     * client-go. Gives its standard output.
     *
     * @throws AssertionError if it fails
     */
    public static String go(Path module, Map<String, String> environment, String... arguments) {
        String[] words = Stream.concat(Stream.of("go"), Stream.of(arguments)).toArray(String[]::new);
        ProcessBuilder builder = builder(module, environment, words);
        // As the control plane is built, and with modules of the same versions, so that both share what is compiled.
        builder.environment().putAll(Map.of("CGO_ENABLED", "0", "GOFLAGS", "-trimpath", "GOWORK", "off"));
        return end(builder, "", Process::waitFor).expectOutput(words);
    }

    private String expectOutput(String... words) {
        if (code != 0) {
            throw new AssertionError("%s: %d, %s%s".formatted(Arrays.toString(words), code, output, errors));
        }
        return output;
    }

    private static ProcessBuilder builder(Path directory, Map<String, String> environment, String... words) {
        ProcessBuilder builder = new ProcessBuilder(words).directory(directory.toFile());
        builder.environment().keySet().removeIf(key -> key.startsWith("KUBE") || key.startsWith("HELM"));
        builder.environment().putAll(environment);
        return builder;
    }

    /** Waits for an end, and gives the exit code. */
    @FunctionalInterface
    private interface Patience {
        int on(Process process) throws InterruptedException;
    }

    private static Command end(ProcessBuilder builder, String input, Patience patience) {
        try {
            Path in = Files.writeString(Files.createTempFile("command", ".in"), input);
            Path out = Files.createTempFile("command", ".out");
            Path err = Files.createTempFile("command", ".err");
            Process process = builder.redirectInput(in.toFile())
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile())
                    .start();
            try {
                return new Command(patience.on(process), Files.readString(out), Files.readString(err));
            } finally {
                process.destroyForcibly();
                for (Path file : List.of(in, out, err)) {
                    Files.delete(file);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
