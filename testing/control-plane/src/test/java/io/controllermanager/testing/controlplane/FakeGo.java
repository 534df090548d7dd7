package io.controllermanager.testing.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * An environment in which {@code build.sh} finds a {@code go} that compiles nothing: it writes down what it is asked to
 * build, and leaves a file for each program. The cache is empty, and PATH holds only what is named here.
 */
final class FakeGo {

    /** What the script uses besides Go, and this fake's own. */
    private static final List<String> TOOLS = List.of(
            "awk",
            "cat",
            "chmod",
            "cp",
            "cut",
            "date",
            "dirname",
            "find",
            "flock",
            "kill",
            "mkdir",
            "mv",
            "rm",
            "sh",
            "sha256sum",
            "shasum",
            "sleep",
            "sort",
            "touch",
            "uname");

    /**
     * {@code go build … -o DIRECTORY/ PACKAGE...}, {@code go list -m …} and {@code go mod download}. A module's
     * directory is the one that holds all the manifests.
     */
    private static final String SCRIPT = """
            #!/bin/sh
            set -eu
            case "$1 ${2:-}" in
              'list -m')
                [ $# -eq 2 ] || echo '%1$s/module'
                exit ;;
              'mod download') exit ;;
            esac
            while [ "$1" != -o ]; do shift; done
            directory=$2
            shift 2
            echo "$*" >>'%1$s/builds'
            while [ -e '%1$s/hold' ]; do sleep 0.05; done
            for package; do
              : >"$directory/${package##*/}"
              if [ -e '%1$s/broken' ]; then echo 'does not compile' >&2; exit 1; fi
              if [ -e '%1$s/cut-off' ]; then kill -9 $PPID; exit 1; fi
            done
            """;

    private final Path directory;
    private final Path tools;

    FakeGo(Path directory) throws IOException {
        this.directory = directory;
        this.tools = tools(directory.resolve("bin"), TOOLS);
        executable(tools.resolve("go"), SCRIPT.formatted(directory));
        manifest("artifacts/examples/crd.yaml");
        for (String stage : List.of(
                "node/fast/node-initialize",
                "node/heartbeat-with-lease/node-heartbeat-with-lease",
                "pod/fast/pod-ready",
                "pod/fast/pod-complete",
                "pod/fast/pod-delete")) {
            manifest("kustomize/stage/" + stage + ".yaml");
        }
    }

    /** Fills a directory with those of the machine's programs that are named, so that PATH may hold no others. */
    static Path tools(Path directory, List<String> names) throws IOException {
        Files.createDirectory(directory);
        for (String name : names) {
            Optional<Path> real = Session.find(name, System.getenv());
            if (real.isPresent()) {
                executable(directory.resolve(name), "#!/bin/sh\nexec " + real.get() + " \"$@\"\n");
            }
        }
        return directory;
    }

    /** A locator that has run nothing yet, as another JVM's would be. */
    Binaries binaries() {
        return Binaries.locate(environment());
    }

    Map<String, String> environment() {
        Map<String, String> environment = new HashMap<>(System.getenv());
        environment.put("PATH", tools.toString());
        environment.put("XDG_CACHE_HOME", directory.resolve("cache").toString());
        environment.remove("KUBEBUILDER_ASSETS");
        return environment;
    }

    /** The packages of each {@code go build} so far. */
    List<String> builds() throws IOException {
        Path builds = directory.resolve("builds");
        return Files.exists(builds) ? Files.readAllLines(builds) : List.of();
    }

    /** The names of all in the cache but the lock: directories of programs, and what lies in them. */
    List<String> cached() throws IOException {
        Path root = directory.resolve("cache/controller-manager/control-plane");
        try (Stream<Path> files = Files.walk(root, 2)) {
            return files.filter(file -> file.getNameCount() == root.getNameCount() + 2
                            || file.toString().endsWith(".unfinished"))
                    .map(file -> file.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }

    /** From now on each build fails, having left one file. */
    void fail() throws IOException {
        Files.createFile(directory.resolve("broken"));
    }

    /** From now on each build kills the script that runs it, having left one file. */
    void cutOff() throws IOException {
        Files.createFile(directory.resolve("cut-off"));
    }

    /** From now on each build waits for {@link #recover}. */
    void hold() throws IOException {
        Files.createFile(directory.resolve("hold"));
    }

    /** Takes back whatever was set before. */
    void recover() throws IOException {
        for (String trouble : List.of("broken", "cut-off", "hold")) {
            Files.deleteIfExists(directory.resolve(trouble));
        }
    }

    /** As on macOS, which has no flock. */
    void removeFlock() throws IOException {
        Files.deleteIfExists(tools.resolve("flock"));
    }

    void removeGo() throws IOException {
        Files.delete(tools.resolve("go"));
    }

    private void manifest(String file) throws IOException {
        Path manifest = directory.resolve("module").resolve(file);
        Files.createDirectories(manifest.getParent());
        Files.writeString(manifest, file + "\n");
    }

    private static void executable(Path file, String script) throws IOException {
        Files.writeString(file, script);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }
}
