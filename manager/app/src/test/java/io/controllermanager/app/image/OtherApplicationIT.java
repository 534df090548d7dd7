package io.controllermanager.app.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.app.image.Dockerfile.Stage;
import io.controllermanager.testing.support.Jdk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The image of another application, by the arguments of the Dockerfile and with the files that its context has. */
@Tag("deep")
class OtherApplicationIT {

    @Test
    void hasAJarOfAnyNameWithACacheOfItsOwn(@TempDir Path directory) throws Exception {
        Path context = Files.createDirectory(directory.resolve("context"));
        take("manager/app/target/controller-manager.jar", context.resolve("target/website.jar"));
        take("image/target/image-training.jar", context.resolve("target/training.jar"));
        take("config/crd/bases/samplecontroller.k8s.io_foos.yaml", context.resolve("crd/foos.yaml"));
        take("config/crd/bases/sample.k8s.io_networks.yaml", context.resolve("crd/networks.yaml"));
        take("config/samples/samplecontroller_v1alpha1_foo.yaml", context.resolve("samples/foo.yaml"));
        Jdk jdk = Jdk.ofTheImage();

        Stage image = Dockerfile.follow(
                Container.project().resolve("Dockerfile"),
                context,
                Map.of(
                        "BUILD", "context",
                        "JAR", "target/website.jar",
                        "TRAINING", "target/training.jar",
                        "CRDS", "crd",
                        "SAMPLES", "samples"),
                directory,
                jdk);

        assertThat(image.layers()).last().isEqualTo("/application/application.aot");
        Container.live(image.workingDirectory(), image.entryPoint(), image.environment(), jdk, Container.Work.FOO);
    }

    private static void take(String file, Path target) throws IOException {
        Files.createDirectories(target.getParent());
        Files.copy(Container.project().resolve(file), target);
    }
}
