package io.controllermanager.app.install;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.app.support.Manifests;
import io.controllermanager.app.support.Programs;
import io.controllermanager.app.support.Programs.Answer;
import io.controllermanager.testing.support.SystemPrograms;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What {@code ci/} of the chart shows off is without fault, and so is how YAML is written in all the project's manifests
 * and workflows.
 */
@Tag("system")
class ChartExamplesTests {

    private static final Chart CHART = Chart.own();

    static List<Path> examples() throws IOException {
        return CHART.examples();
    }

    @ParameterizedTest
    @MethodSource("examples")
    void helmFindsNothingToCriticise(Path values, @TempDir Path directory) throws Exception {
        Answer lint = CHART.lint("--values", values.toString());
        assertThat(lint.exitCode()).as(lint.out() + lint.err()).isZero();

        String rendered = CHART.template("--values", values.toString()).expectOut();
        // helm ends with an empty line of its own.
        expectWellWritten(Files.writeString(directory.resolve("rendered.yaml"), rendered.stripTrailing() + "\n"));
    }

    @Test
    void manifestsAndValuesAreWellWritten() throws Exception {
        Path chart = CHART.directory();
        expectWellWritten(
                Manifests.configDirectory(),
                Manifests.configDirectory().resolveSibling(".github"),
                chart.resolve("Chart.yaml"),
                chart.resolve("values.yaml"),
                chart.resolve("ci"),
                chart.resolve("files"),
                chart.resolve("rbac"));
    }

    private static void expectWellWritten(Path... files) throws Exception {
        Path rules = Manifests.configDirectory().resolveSibling(".yamllint");
        List<String> arguments = new ArrayList<>(List.of("--strict", "-c", rules.toString()));
        for (Path file : files) {
            arguments.add(file.toString());
        }
        Answer answer = Programs.run(SystemPrograms.YAMLLINT.path(), arguments);
        assertThat(answer.exitCode()).as(answer.out() + answer.err()).isZero();
    }
}
