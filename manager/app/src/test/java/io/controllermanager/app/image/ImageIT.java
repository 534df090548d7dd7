package io.controllermanager.app.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.app.image.Dockerfile.Stage;
import io.controllermanager.testing.support.Jdk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The image, as far as it can be made without Docker: its stages are directories, its JVM is one of this machine. */
@Tag("system")
class ImageIT {

    @TempDir
    static Path directory;

    private static Jdk jdk;
    private static Stage image;

    @BeforeAll
    static void followDockerfile() throws Exception {
        jdk = Jdk.ofTheImage();
        image = Dockerfile.follow(
                Container.project().resolve("Dockerfile"), Container.project(), Map.of(), directory, jdk);
    }

    @Test
    void isOfJava25AndRunsAsNobodyInParticular() {
        assertThat(image.settings())
                .containsEntry("FROM", "eclipse-temurin:25-jre")
                .containsEntry("USER", "65532:65532");
        assertThat(image.entryPoint()).startsWith("java").endsWith("-jar", "application.jar");
    }

    @Test
    void hasWhatChangesLeastInItsFirstLayers() throws IOException {
        assertThat(image.layers())
                .containsExactly(
                        "/source/layers/dependencies/",
                        "/source/layers/spring-boot-loader/",
                        "/source/layers/snapshot-dependencies/",
                        "/source/layers/application/",
                        "/application/application.aot");
        Path layers = directory.resolve("stage-2/source/layers");
        assertThat(jars(layers.resolve("application"))).anyMatch(jar -> jar.startsWith("controller-manager-foo"));
        assertThat(jars(layers.resolve("dependencies"))).noneMatch(jar -> jar.startsWith("controller-manager"));
    }

    @Test
    void carriesNothingThatTestsAloneNeed() throws IOException {
        assertThat(jars(image.workingDirectory()))
                .hasSizeGreaterThan(50)
                .noneMatch(jar -> jar.contains("test-") || jar.contains("junit") || jar.contains("image"));
    }

    /** OpenShift gives the process a user of its choice, and group 0. */
    @Test
    void canBeReadByWhateverUserItRunsAs() throws IOException {
        try (Stream<Path> files = Files.walk(image.workingDirectory())) {
            assertThat(files).hasSizeGreaterThan(50).allSatisfy(file -> {
                Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
                assertThat(permissions).contains(PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_READ);
                assertThat(permissions.contains(PosixFilePermission.OTHERS_EXECUTE))
                        .isEqualTo(Files.isDirectory(file));
            });
        }
    }

    /** The JVM says where it has each class from. */
    @Test
    void startsFromItsCacheAndReconciles() throws Exception {
        List<String> command = new ArrayList<>(image.entryPoint());
        command.add(1, "-Xlog:class+load");

        List<String> lines =
                Container.live(image.workingDirectory(), command, image.environment(), jdk, Container.Work.FOO);

        assertThat(lines)
                .as("the prepared context, and what works in it")
                .anyMatch(line -> loaded(line, "io.controllermanager.app.Main__ApplicationContextInitializer"))
                .anyMatch(line -> loaded(line, "io.controllermanager.foo.FooReconciler"))
                .anyMatch(line -> loaded(line, "io.controllermanager.network.NetworkReconciler"));
        long shared =
                lines.stream().filter(line -> line.contains(" source: shared")).count();
        long others = lines.stream().filter(line -> line.contains(" source: ")).count() - shared;
        assertThat(shared).isGreaterThan(9 * others);
    }

    private static boolean loaded(String line, String name) {
        return line.contains(name + " source: shared objects file");
    }

    private static List<String> jars(Path layer) throws IOException {
        try (Stream<Path> files = Files.walk(layer)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".jar"))
                    .toList();
        }
    }
}
