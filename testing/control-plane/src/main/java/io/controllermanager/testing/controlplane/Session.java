package io.controllermanager.testing.controlplane;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Starts programs in a session of their own. A terminal sends Ctrl-C to all processes of its foreground group: without
 * this the control plane would die of it before the program under test has said its last words to the API server.
 */
final class Session {

    /** macOS has no setsid command, but perl. */
    private static final String SETSID_IN_PERL = "use POSIX; POSIX::setsid(); exec @ARGV or exit 127";

    private Session() {}

    /** What to put before a command line; the process keeps the id under which the JVM started it. */
    static List<String> prefix() {
        Map<String, String> environment = System.getenv();
        return find("setsid", environment)
                .map(program -> List.of(program.toString()))
                .or(() -> find("perl", environment).map(perl -> List.of(perl.toString(), "-e", SETSID_IN_PERL)))
                .orElse(List.of());
    }

    /** The first program of this name on PATH. */
    static Optional<Path> find(String program, Map<String, String> environment) {
        return path(environment)
                .map(directory -> directory.resolve(program))
                .filter(Files::isRegularFile)
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static Stream<Path> path(Map<String, String> environment) {
        return Pattern.compile(File.pathSeparator, Pattern.LITERAL)
                .splitAsStream(environment.getOrDefault("PATH", ""))
                .filter(directory -> !directory.isEmpty())
                .map(Path::of);
    }
}
