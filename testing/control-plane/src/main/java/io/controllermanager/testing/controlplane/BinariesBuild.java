package io.controllermanager.testing.controlplane;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Runs {@code build.sh} of the Go module that this package carries as resources. Its cache is named after the module's
 * content, so it is the same one whether the module lies in a jar, among Maven's classes or in the source tree.
 */
final class BinariesBuild {

    private static final String SCRIPT = "build.sh";
    /** What the script ends with when there is no Go, or one that cannot build this. */
    private static final int NO_GO = 69;

    private static final int TAIL_LINES = 30;

    private BinariesBuild() {}

    /**
     * Returns the directory that holds the wanted programs. Those that it lacks are built first, which takes minutes.
     * Progress is told on standard error.
     *
     * @param wanted names that the script knows
     * @return empty if one of them is not there, and there is no Go to build it with
     * @throws ControlPlaneException if the build fails, or the script does not know a name
     */
    static Optional<Path> run(List<String> wanted, Map<String, String> environment) {
        URL script = Objects.requireNonNull(BinariesBuild.class.getResource("binaries/" + SCRIPT), SCRIPT);
        try {
            URI location = script.toURI();
            if (location.getScheme().equals("file")) {
                return run(Path.of(location), wanted, environment);
            }
            return runExtracted(script, wanted, environment);
        } catch (IOException | URISyntaxException e) {
            throw new ControlPlaneException("The build of the test control plane could not be started.", e);
        }
    }

    private static Optional<Path> runExtracted(URL script, List<String> wanted, Map<String, String> environment)
            throws IOException, URISyntaxException {
        Path copy = Files.createTempDirectory("control-plane-build-");
        JarURLConnection location = (JarURLConnection) script.openConnection();
        // By its path: by URI there can be one file system of a jar, and several planes may be started at once.
        try (FileSystem jar =
                FileSystems.newFileSystem(Path.of(location.getJarFileURL().toURI()), Map.of())) {
            Path module = Objects.requireNonNull(
                    jar.getPath("/" + location.getEntryName()).getParent());
            copy(module, copy);
            return run(copy.resolve(SCRIPT), wanted, environment);
        } finally {
            delete(copy);
        }
    }

    private static Optional<Path> run(Path script, List<String> wanted, Map<String, String> environment)
            throws IOException {
        List<String> command = new ArrayList<>(List.of("/bin/sh", script.toString()));
        command.addAll(wanted);
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectInput(Redirect.from(Path.of("/dev/null").toFile()));
        builder.environment().clear();
        builder.environment().putAll(environment);
        Process process = builder.start();
        Deque<String> tail = relay(process);
        // One short line: it has fitted into the pipe long since.
        String directory;
        try (InputStream output = process.getInputStream()) {
            directory = new String(output.readAllBytes(), StandardCharsets.UTF_8).strip();
        }
        int exitCode = exitCode(process);
        if (exitCode == NO_GO) {
            return Optional.empty();
        }
        if (exitCode != 0) {
            throw new ControlPlaneException("The build of the test control plane ended with exit code %d:%n%s"
                    .formatted(exitCode, String.join(System.lineSeparator(), tail)));
        }
        return Optional.of(Path.of(directory));
    }

    private static Deque<String> relay(Process process) throws IOException {
        Deque<String> tail = new ArrayDeque<>();
        try (BufferedReader lines = process.errorReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                System.err.println(line);
                tail.addLast(line);
                if (tail.size() > TAIL_LINES) {
                    tail.removeFirst();
                }
            }
        }
        return tail;
    }

    private static int exitCode(Process process) {
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ControlPlaneException("Interrupted while the test control plane was built.", e);
        }
    }

    private static void copy(Path source, Path target) throws IOException {
        try (Stream<Path> files = Files.walk(source)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                // The two paths are of different file systems.
                Path copy = target.resolve(source.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(copy);
                } else {
                    Files.copy(file, copy);
                }
            }
        }
    }

    private static void delete(Path directory) throws IOException {
        List<Path> files;
        try (Stream<Path> walk = Files.walk(directory)) {
            files = walk.sorted(Comparator.reverseOrder()).toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        for (Path file : files) {
            Files.delete(file);
        }
    }
}
