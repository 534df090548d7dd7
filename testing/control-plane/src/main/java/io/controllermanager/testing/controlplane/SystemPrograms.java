package io.controllermanager.testing.controlplane;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Programs that tests take from the operating system, since nothing but its packages brings them in a form that can be
 * had everywhere: a browser is not built within minutes.
 *
 * <p>One that is not on {@code PATH} is installed with apt-get where this process may do that, as on a build machine; on
 * a person's own the test fails and says what to install. Safe for any thread; two processes wait for each other.
 */
public enum SystemPrograms {
    /** A browser without a display. */
    CHROMIUM("chromium", "chromium fonts-dejavu-core"),
    /** What Selenium talks to it with. */
    CHROMEDRIVER("chromedriver", "chromium-driver"),
    /** Reads metrics, and answers queries. */
    PROMETHEUS("prometheus", "prometheus"),
    /** Checks and tests Prometheus's rules. */
    PROMTOOL("promtool", "prometheus"),
    /** Checks how YAML is written. */
    YAMLLINT("yamllint", "yamllint");

    private final String program;
    private final String packages;

    SystemPrograms(String program, String packages) {
        this.program = program;
        this.packages = packages;
    }

    /**
     * Where the program is, installed before if need be, which takes some minutes at most.
     *
     * @throws ControlPlaneException if it is nowhere and cannot be installed
     */
    public Path path() {
        synchronized (SystemPrograms.class) {
            return onPath(program)
                    .or(this::installed)
                    .orElseThrow(() -> new ControlPlaneException("Tests need " + program
                            + " on PATH: install it, on Debian with: apt-get install " + packages));
        }
    }

    private Optional<Path> installed() {
        Optional<Path> apt = onPath("apt-get");
        if (apt.isEmpty() || !"root".equals(System.getProperty("user.name"))) {
            return Optional.empty();
        }
        System.err.println("system programs: installing " + packages);
        run(Stream.of(apt.get().toString(), "-qq", "-o", "DPkg::Lock::Timeout=300", "update"));
        run(Stream.concat(
                Stream.of(
                        apt.get().toString(),
                        "-qq",
                        "-o",
                        "DPkg::Lock::Timeout=300",
                        "install",
                        "--yes",
                        "--no-install-recommends"),
                Stream.of(packages.split(" "))));
        return onPath(program);
    }

    private static void run(Stream<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command.toList())
                .redirectErrorStream(true)
                .redirectInput(Path.of("/dev/null").toFile());
        builder.environment().put("DEBIAN_FRONTEND", "noninteractive");
        String line = String.join(" ", builder.command());
        try {
            Process process = builder.start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int exitCode = process.waitFor();
            if (exitCode != 0) {
                throw new ControlPlaneException(line + " ended with exit code " + exitCode + ":\n" + output);
            }
        } catch (IOException e) {
            throw new ControlPlaneException(line + " could not be run.", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ControlPlaneException("Interrupted while " + line + " ran.", e);
        }
    }

    private static Optional<Path> onPath(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                .filter(directory -> !directory.isEmpty())
                .map(directory -> Path.of(directory, program))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
