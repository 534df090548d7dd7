package io.controllermanager.testing.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("system")
class SystemProgramsTest {

    @ParameterizedTest
    @EnumSource
    void areThereOnceAskedFor(SystemPrograms program) throws Exception {
        Process process = new ProcessBuilder(program.path().toString(), "--version")
                .redirectErrorStream(true)
                .start();

        assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .matches("(?s).*\\d+\\.\\d+.*");
        assertThat(process.waitFor()).isZero();
    }
}
