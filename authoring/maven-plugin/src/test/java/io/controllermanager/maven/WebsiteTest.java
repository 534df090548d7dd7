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
        assertThat(new CrdGenerator(EXAMPLE.resolve("config/crd"), warning -> {}).generate(webhooks()))
                .isEqualTo(Map.of(
                        "websites.example.com.yaml",
                        Files.readString(EXAMPLE.resolve("config/crd/websites.example.com.yaml"))));
    }

    @Test
    void isRegisteredAsItsWebhooksSay() throws IOException {
        assertThat(new WebhookGenerator("website-operator").generate(webhooks()))
                .isEqualTo(
                        Map.of("manifests.yaml", Files.readString(EXAMPLE.resolve("config/webhook/manifests.yaml"))));
        assertThat(new WebhookRightsGenerator().generate(webhooks()))
                .isEqualTo(Map.of(
                        "webhooks.yaml",
                        Files.readString(
                                EXAMPLE.resolve("src/main/resources/META-INF/controller-manager/rbac/webhooks.yaml"))));
    }

    private CompiledModule webhooks() throws IOException {
        return CompiledSources.compile(
                EXAMPLE.resolve("src/main/java"),
                classes,
                "com/example/website/webhook/WebsiteConverter.java",
                "com/example/website/webhook/WebsiteValidator.java");
    }
}
