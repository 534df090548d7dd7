package io.controllermanager.testing.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The workflows in {@code .github} are valid. actionlint checks them; Go builds it from {@code testing/workflows/go.mod}. */
@Tag("control-plane")
class WorkflowsTest {

    private static final Path LINTER = Path.of("..", "workflows");
    /** Relative to the linter's folder, so that its output reads the same in every clone. */
    private static final Path WORKFLOWS = Path.of("..", "..", ".github", "workflows");

    /** The first run fetches and compiles actionlint, which takes less than a minute on a quick machine. */
    @Test
    void areValid() throws Exception {
        Answer answer = lint(files());

        assertThat(answer.exitCode()).as(answer.output()).isZero();
    }

    /** Whoever owns an action may move its tags. */
    @Test
    void takeActionsOfOthersByTheirCommit() throws IOException {
        List<String> used = new ArrayList<>();
        for (String file : files()) {
            Files.readAllLines(LINTER.resolve(file)).stream()
                    .filter(line -> line.contains("uses: ") && !line.contains("uses: ./"))
                    .forEach(used::add);
        }
        assertThat(used).isNotEmpty().allMatch(line -> line.matches(".*@[0-9a-f]{40}  # v[0-9.]+"));
    }

    @Test
    void areInvalidWhereTheyNeedAJobThatIsNotThere(@TempDir Path directory) throws Exception {
        Path broken = Files.writeString(directory.resolve("broken.yaml"), """
                on: push
                jobs:
                  test:
                    needs: build
                    runs-on: ubuntu-24.04
                    steps:
                      - run: mvn -B verify
                """);

        Answer answer = lint(List.of(broken.toString()));

        assertThat(answer.exitCode()).as(answer.output()).isEqualTo(1);
        assertThat(answer.output()).contains("[job-needs]");
    }

    private static List<String> files() throws IOException {
        try (Stream<Path> all = Files.list(LINTER.resolve(WORKFLOWS))) {
            List<String> files = all.map(
                            file -> WORKFLOWS.resolve(file.getFileName()).toString())
                    .sorted()
                    .toList();
            assertThat(files).isNotEmpty();
            return files;
        }
    }

    /** Both switches turn off programs that actionlint would call if this machine happened to have them. */
    private static Answer lint(List<String> files) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("go", "tool", "actionlint", "-no-color", "-shellcheck=", "-pyflakes="));
        command.addAll(files);
        Path output = Files.createTempFile("actionlint", ".out");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(LINTER.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        // The caller's own settings do not reach in; these are the ones that the control plane is built with.
        builder.environment().keySet().removeAll(List.of("GO111MODULE", "GOARCH", "GOOS"));
        builder.environment().putAll(Map.of("CGO_ENABLED", "0", "GOFLAGS", "-trimpath", "GOWORK", "off"));
        Process process = builder.start();
        try {
            // The first call builds the linter: the time limit is that of the test.
            return new Answer(process.waitFor(), Files.readString(output, StandardCharsets.UTF_8));
        } finally {
            process.destroyForcibly();
            Files.delete(output);
        }
    }

    private record Answer(int exitCode, String output) {}
}
