package io.controllermanager.testing.foreigners;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.testing.foreigners.TwoServers.Both;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kubernetes' client for Python, from PyPI. */
@Tag("deep")
class PythonTest {

    private static final Path FILES = Script.FOLDER.resolve("python");

    @TempDir
    private Path directory;

    @Test
    void meetsWhatIsRecorded() throws Exception {
        Path python = install();
        try (TwoServers servers = TwoServers.start()) {
            Both<List<Step>> checks = servers.each(server -> {
                Path home = directory.resolve(server.toString());
                return check(python, Workplace.create(home, server.kubeconfig(), FILES, List.of()));
            });
            Differences.check("python", checks.real(), checks.embedded());
        }
    }

    /** Makes an environment of the wanted packages, which the next run finds. */
    private Path install() throws IOException {
        Path environment = Path.of("target/python").toAbsolutePath();
        Path wanted = FILES.resolve("requirements.txt");
        Path installed = environment.resolve("requirements.txt");
        if (!Files.exists(installed) || Files.mismatch(wanted, installed) >= 0) {
            Workplace place = Workplace.create(directory.resolve("installation"), "", FILES, List.of());
            succeed(place.run("venv", "python3", "-m", "venv", "--clear", environment.toString()));
            String pip = environment.resolve("bin/pip").toString();
            succeed(place.run("pip", pip, "install", "--quiet", "--requirement", "requirements.txt"));
            Files.copy(wanted, installed);
        }
        return environment.resolve("bin/python");
    }

    /** A step for each line, which has a check's name and what came of it. */
    private static List<Step> check(Path python, Workplace place) {
        Step all = place.run("checks", python.toString(), "checks.py");
        succeed(all);
        return all.output()
                .lines()
                .map(line -> line.split(": ", 2))
                .map(line -> new Step(line[0], 0, line[line.length - 1]))
                .toList();
    }

    private static void succeed(Step step) {
        assertThat(step.exitCode()).as(step.toString()).isZero();
    }
}
