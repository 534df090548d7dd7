package io.controllermanager.testing.foreigners;

import io.controllermanager.testing.support.Command;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
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
    Step run(String name, String... command) {
        String home = directory.toString();
        Map<String, String> environment =
                new HashMap<>(Map.of("HOME", home, "TMPDIR", home, "PATH", path, "TZ", "UTC", "LANG", "C.UTF-8"));
        environment.putAll(Map.of("KUBECONFIG", home + "/kubeconfig", "CHARTS", CHARTS.toString()));
        Command done = Command.tryTo(directory, environment, "", command);
        String said = done.output().replace(home, "<directory>");
        return new Step(name, done.code(), Normal.of(said).stripTrailing());
    }
}
