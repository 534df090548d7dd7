package io.controllermanager.benchmarks.plane;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A manager to measure. Commands find the API server by {@code KUBECONFIG}.
 *
 * @param name what the results call it
 * @param command its command line
 * @param training what to run once beforehand, uncounted, null for nothing
 */
public record Contender(
        String name, List<String> command, @Nullable List<String> training) {

    /** One a line: name, tab, command and perhaps a tab and the training, each of words separated by single blanks. */
    public static List<Contender> read(Path file) throws IOException {
        List<Contender> contenders = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            String[] parts = line.split("\t", -1);
            contenders.add(new Contender(parts[0], words(parts[1]), parts.length > 2 ? words(parts[2]) : null));
        }
        return contenders;
    }

    private static List<String> words(String command) {
        return List.of(command.split(" ", -1));
    }

    /**
     * What is observed of a contender that runs.
     *
     * @param <T> the result
     */
    @FunctionalInterface
    public interface Observation<T> {

        /** Observes a process that was launched at this {@link System#nanoTime()}. */
        T of(Process process, long launch) throws Exception;
    }

    /** Runs it as long as it is observed; its log stays if that fails. */
    public <T> T observe(Path kubeconfig, Observation<T> observation) throws Exception {
        File log = File.createTempFile("contender-", ".log");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log);
        builder.environment().put("KUBECONFIG", kubeconfig.toString());
        long launch = System.nanoTime();
        Process process = builder.start();
        try {
            T observed = observation.of(process, launch);
            Files.delete(log.toPath());
            return observed;
        } catch (IllegalStateException e) {
            throw new IllegalStateException(name + ": " + e.getMessage() + "; its log is " + log, e);
        } finally {
            process.destroy();
            if (!process.waitFor(40, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        }
    }

    /** The training as a contender of its own, null if there is none. */
    @Nullable
    public Contender trainee() {
        List<String> command = training;
        return command == null ? null : new Contender(name + " in training", command, null);
    }
}
