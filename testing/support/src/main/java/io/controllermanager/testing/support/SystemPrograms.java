package io.controllermanager.testing.support;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
    /** Checks how YAML is written. */
    YAMLLINT("yamllint");

    /** Debian's packages that hold all of them, and what the browser writes with; the file {@code .ci/packages} as well. */
    static final List<String> PACKAGES =
            List.of("chromium", "chromium-driver", "fonts-dejavu-core", "prometheus", "yamllint");

    private final String program;

    SystemPrograms(String program) {
        this.program = program;
    }

    /**
     * Where the program is.
     *
     * @throws IllegalStateException if it is in no directory of {@code PATH}; the message has the command that installs all
     */
    public Path path() {
        return path(System.getenv().getOrDefault("PATH", ""));
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
