package io.controllermanager.testing.foreigners;

import io.controllermanager.testing.support.Waiting;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Commands for a shell, one a line, and the files that they name. */
record Script(List<String> commands, Path files) {

    private static final Path FOLDER = Path.of("src/test/scripts");

    /** A script beside the folder of its files, which has the same name. */
    static Script named(String name) throws IOException {
        try (Stream<String> lines = Files.lines(FOLDER.resolve(name + ".script"))) {
            return new Script(
                    lines.filter(line -> !line.isBlank() && !line.startsWith("#"))
                            .toList(),
                    FOLDER.resolve(name));
        }
    }

    /**
     * Runs all commands, one after the other, in a directory that gets copies of the files.
     *
     * @param programs the folder of the programs that the script is about
     */
    List<Step> run(String kubeconfig, Path directory, Path programs) throws IOException, InterruptedException {
        copyFiles(directory);
        Map<String, String> environment = Map.of(
                "KUBECONFIG",
                Files.writeString(directory.resolve("kubeconfig"), kubeconfig).toString(),
                "TMPDIR",
                directory.toString(),
                "HOME",
                directory.toString(),
                "PATH",
                programs + ":" + System.getenv("PATH"),
                "TZ",
                "UTC");
        Path output = directory.resolve("output");
        List<Step> steps = new ArrayList<>();
        for (String command : commands) {
            ProcessBuilder builder = new ProcessBuilder("/bin/sh", "-c", command)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectInput(Path.of("/dev/null").toFile())
                    .redirectOutput(output.toFile());
            builder.environment().clear();
            builder.environment().putAll(environment);
            Process process = builder.start();
            try {
                int code = Waiting.on(process);
                String said =
                        Files.readString(output, StandardCharsets.UTF_8).replace(directory.toString(), "<directory>");
                steps.add(new Step(command, code, Normal.of(said).stripTrailing()));
            } finally {
                process.destroyForcibly();
            }
        }
        return steps;
    }

    private void copyFiles(Path directory) throws IOException {
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
    }
}
