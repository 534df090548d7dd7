package io.controllermanager.maven;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example has the CRD and the rights that its classes say. */
class WebsiteTest {

    private static final Path EXAMPLE =
            Path.of("../../examples/website").toAbsolutePath().normalize();

    @TempDir
    Path classes;

    @Test
    void mayDoWhatFollowsFromItsDescription() throws IOException {
        CompiledModule module = CompiledSources.compile(
                EXAMPLE.resolve("src/main/java"), classes, "com/example/website/WebsiteReconciler.java");

        assertThat(new RightsGenerator().generate(module))
                .isEqualTo(Map.of(
                        "website.yaml",
                        Files.readString(
                                EXAMPLE.resolve("src/main/resources/META-INF/controller-manager/rbac/website.yaml"))));
    }

    @Test
    void isWhatItsClassSays() throws IOException {
        CompiledModule module =
                CompiledSources.compile(EXAMPLE.resolve("src/main/java"), classes, "com/example/website/Website.java");

        assertThat(new CrdGenerator(EXAMPLE.resolve("config/crd"), warning -> {}).generate(module))
                .isEqualTo(Map.of(
                        "websites.example.com.yaml",
                        Files.readString(EXAMPLE.resolve("config/crd/websites.example.com.yaml"))));
    }
}
