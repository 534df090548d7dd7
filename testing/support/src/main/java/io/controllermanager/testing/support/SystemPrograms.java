package io.controllermanager.testing.support;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Programs that tests take from the operating system, since nothing but its packages brings them in a form that can be
 * had everywhere: a browser is not built within minutes.
 *
 * <p>They are looked for on {@code PATH} and never installed: where one is missing the test fails at once and says how to
 * install all. Safe for any thread.
 */
public enum SystemPrograms {
    /** A browser without a display. */
    CHROMIUM("chromium"),
    /** What Selenium talks to it with. */
    CHROMEDRIVER("chromedriver"),
    /** Reads metrics, and answers queries. */
    PROMETHEUS("prometheus"),
    /** Checks and tests Prometheus's rules. */
    PROMTOOL("promtool"),
    /** A database. */
    POSTGRES("postgres"),
    /** Makes what it keeps its data in. */
    INITDB("initdb"),
    /** Checks how YAML is written. */
    YAMLLINT("yamllint");

    /** Debian's packages that hold all of them, and what the browser writes with; the file {@code .ci/packages} as well. */
    static final List<String> PACKAGES =
            List.of("chromium", "chromium-driver", "fonts-dejavu-core", "postgresql", "prometheus", "yamllint");

    private final String program;

    SystemPrograms(String program) {
        this.program = program;
    }

    /**
     * Where the program is.
     *
     * @throws IllegalStateException if it is in no directory of {@code PATH}, nor where Debian has what belongs to one version
     *     of PostgreSQL; the message has the command that installs all
     */
    public Path path() {
        return path(System.getenv().getOrDefault("PATH", "") + ":" + postgresql());
    }

    /** Debian keeps each version in a directory of its own, the programs of which are not on {@code PATH}. */
    private static String postgresql() {
        try (Stream<Path> versions = Files.list(Path.of("/usr/lib/postgresql"))) {
            return versions.sorted(Comparator.reverseOrder())
                    .map(version -> version.resolve("bin").toString())
                    .collect(Collectors.joining(":"));
        } catch (IOException e) {
            return "";
        }
    }

    Path path(String directories) {
        return Stream.of(directories.split(":"))
                .filter(directory -> !directory.isEmpty())
                .map(directory -> Path.of(directory, program))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("Tests need " + program
                        + " on PATH. On Debian this installs all that they need: apt-get install "
                        + String.join(" ", PACKAGES)));
    }
}
