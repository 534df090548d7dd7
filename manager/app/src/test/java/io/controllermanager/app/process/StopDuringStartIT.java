package io.controllermanager.app.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("system")
class StopDuringStartIT {

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "io.controllermanager.spring.application.CommandLine$Parser",
                "org.springframework.boot.SpringApplication",
                "org.springframework.boot.context.config.ConfigDataEnvironment",
                "io.controllermanager.app.Main__ApplicationContextInitializer",
                "org.apache.catalina.startup.Tomcat",
                "io.controllermanager.spring.autoconfigure.ControllerManagerHost",
                "io.controllermanager.manager.internal.ControllerManager"
            })
    void endsWith0WhereverTheStartIs(String loadedClass) throws Exception {
        Path kubeconfig = Kubeconfigs.unreachable(directory);
        Path loaded = directory.resolve("loaded");
        try (RunningJar jar = RunningJar.start(
                directory, List.of("-Xlog:class+load=info:file=" + loaded), "--kubeconfig=" + kubeconfig)) {
            await(loadedClass + " is loaded")
                    .pollInterval(Duration.ofMillis(2))
                    .until(() ->
                            Files.exists(loaded) && Files.readString(loaded).contains(" " + loadedClass + " source:"));
            jar.terminate();
            assertThat(jar.exitCode()).isZero();
            assertThat(jar.err()).isEmpty();
        }
    }
}
