package io.controllermanager.testing.foreigners;

import io.controllermanager.testing.support.Waiting;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Where a client's programs run: a directory that is their home, and what leads them to a server.
 *
 * @param path the folders of the programs, as {@code PATH} has them
 */
record Workplace(Path directory, String path) {

    private static final Path CHARTS = Path.of("../../charts").toAbsolutePath().normalize();

    /** Makes the directory, with a kubeconfig and copies of the files in a folder. */
    static Workplace create(Path directory, String kubeconfig, Path files, List<Path> programs) throws IOException {
        try (Stream<Path> all = Files.walk(files)) {
            for (Path file : (Iterable<Path>) all::iterator) {
                Path copy = directory.resolve(files.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(copy);
                } else {
                    Files.copy(file, copy);
                }
            }
        }
        Files.writeString(directory.resolve("kubeconfig"), kubeconfig);
        String path = Stream.concat(
                        programs.stream().map(program -> program.getParent().toString()),
                        Stream.of(System.getenv("PATH")))
                .collect(Collectors.joining(File.pathSeparator));
        return new Workplace(directory, path);
    }

    /** Runs a command to its end. */
    Step run(String name, String... command) throws IOException, InterruptedException {
        String home = directory.toString();
        Path output = directory.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(output.toFile());
        Map<String, String> environment = builder.environment();
        environment.keySet().removeIf(key -> key.startsWith("KUBE") || key.startsWith("HELM"));
        environment.putAll(Map.of("HOME", home, "TMPDIR", home, "PATH", path, "TZ", "UTC", "LANG", "C.UTF-8"));
        environment.putAll(Map.of("KUBECONFIG", home + "/kubeconfig", "CHARTS", CHARTS.toString()));
        Process process = builder.start();
        try {
            int code = Waiting.on(process);
            String said = Files.readString(output, StandardCharsets.UTF_8).replace(home, "<directory>");
            return new Step(name, code, Normal.of(said).stripTrailing());
        } finally {
            process.destroyForcibly();
        }
    }
}
