package io.controllermanager.testing.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SystemProgramsTest {

    @ParameterizedTest
    @EnumSource
    @Tag("system")
    void areThereOnceAskedFor(SystemPrograms program) throws Exception {
        Process process = new ProcessBuilder(program.path().toString(), "--version")
                .redirectErrorStream(true)
                .start();

        assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .matches("(?s).*\\d+\\.\\d+.*");
        assertThat(process.waitFor()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void oneThatIsMissingIsToldWithTheCommandThatInstallsAll(SystemPrograms program, @TempDir Path empty) {
        assertThatThrownBy(() -> program.path(empty.toString()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("Tests need ")
                .hasMessageEndingWith(
                        "apt-get install chromium chromium-driver fonts-dejavu-core postgresql prometheus yamllint");
    }

    @Test
    void theBuildInstallsTheSamePackages() throws IOException {
        assertThat(Files.readAllLines(Path.of("../../.ci/packages")))
                .filteredOn(line -> !line.startsWith("#"))
                .containsExactlyElementsOf(SystemPrograms.PACKAGES);
    }
}
