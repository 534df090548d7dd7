package io.controllermanager.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.image.Dockerfile.Stage;
import io.controllermanager.testing.support.Jdk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The image of {@code examples/website} by its own Dockerfile, of the jar that {@code WebsiteExampleIT} has built. */
@Tag("system")
class WebsiteImageIT {

    private static final Path EXAMPLE = Container.project().resolve("examples/website");

    @Test
    void startsFromItsCacheAndReconciles(@TempDir Path directory) throws Exception {
        Path context = directory.resolve("context");
        Path jar = Container.project().resolve("manager/app/target/website/target/website-operator.jar");
        assertThat(jar)
                .as("built by mvn -B verify -Psystem -pl manager/app -am")
                .exists();
        Files.createDirectories(context.resolve("target"));
        Files.copy(jar, context.resolve("target/website-operator.jar"));
        Jdk jdk = Jdk.ofTheImage();

        Stage image = Dockerfile.follow(EXAMPLE.resolve("Dockerfile"), context, Map.of(), directory, jdk);

        assertThat(image.workingDirectory().resolve("application.aot")).isNotEmptyFile();
        Container.live(image.workingDirectory(), image.entryPoint(), image.environment(), jdk, Container.Work.WEBSITE);
    }
}
