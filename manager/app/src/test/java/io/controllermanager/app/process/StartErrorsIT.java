package io.controllermanager.app.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("system")
class StartErrorsIT {

    @TempDir
    Path directory;

    @Test
    void namesKnownControllersInOneLine() throws Exception {
        expect(
                "controller-manager.controllers=nope (--controllers): no controller is called \"nope\"; known are foo, network",
                "--controllers=nope");
    }

    @Test
    void refusesAnUnknownFlag() throws Exception {
        expect("unknown flag: --kubeconfg (did you mean --kubeconfig?)", "--kubeconfg=x");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "ecs", "logstash"})
    void reportsAllMistakesAtOnceWhateverTheLogsFormat(String format) throws Exception {
        try (RunningJar jar = RunningJar.start(
                directory,
                "--logging.structured.format.console=" + format,
                "--leader-elect-lease-duration=abc",
                "--concurrent-nope-syncs=3",
                "--controller-manager.kubeconfg=x")) {
            assertThat(jar.exitCode()).isEqualTo(1);
            assertThat(jar.out()).isEmpty();
            assertThat(jar.err())
                    .containsExactlyInAnyOrder(
                            "controller-manager.leader-election.lease-duration=abc (--leader-elect-lease-duration): must be a duration, such as 15s, 1m30s or 500ms",
                            "controller-manager.controller.nope.workers=3 (--concurrent-nope-syncs): no controller is called \"nope\"; known are foo, network",
                            "controller-manager.kubeconfg=x (command line): no such property (did you mean controller-manager.kubeconfig?)");
        }
    }

    @Test
    void saysWhichKubeconfigIsMissing() throws Exception {
        Path missing = directory.resolve("missing");
        expect("kubeconfig " + missing + ": there is no such file", "--kubeconfig", missing.toString());
    }

    @Test
    void saysWhichKubeconfigIsMalformed() throws Exception {
        Path malformed = Files.writeString(directory.resolve("malformed"), "clusters: [");
        try (RunningJar jar = RunningJar.start(directory, "--kubeconfig=" + malformed)) {
            assertThat(jar.exitCode()).isEqualTo(1);
            assertThat(jar.err())
                    .singleElement()
                    .asString()
                    .startsWith("kubeconfig " + malformed + ": is not valid YAML");
        }
    }

    @Test
    void anyOtherFailureIsOneLineToo() throws Exception {
        try (RunningJar jar = RunningJar.start(directory, "--management.server.port=abc")) {
            assertThat(jar.exitCode()).isEqualTo(1);
            assertThat(jar.out()).isEmpty();
            assertThat(jar.err()).singleElement().asString().contains("management.server.port");
        }
    }

    @Test
    void printsHelpAndVersion() throws Exception {
        try (RunningJar jar = RunningJar.startExecutable(directory, "--help")) {
            assertThat(jar.exitCode()).isZero();
            assertThat(jar.out()).anyMatch(line -> line.contains("--leader-elect"));
        }
        try (RunningJar jar = RunningJar.startExecutable(directory, "--version")) {
            assertThat(jar.exitCode()).isZero();
            assertThat(jar.out()).singleElement().asString().matches("controller-manager \\d+\\.\\d+.*");
        }
    }

    private void expect(String line, String... arguments) throws Exception {
        try (RunningJar jar = RunningJar.start(directory, arguments)) {
            assertThat(jar.exitCode()).isEqualTo(1);
            assertThat(jar.out()).isEmpty();
            assertThat(jar.err()).containsExactly(line);
        }
    }
}
