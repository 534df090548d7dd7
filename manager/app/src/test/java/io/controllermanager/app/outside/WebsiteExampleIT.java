package io.controllermanager.app.outside;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.app.install.Chart;
import io.controllermanager.app.support.Manifests;
import io.controllermanager.app.support.Programs;
import io.kubernetes.client.openapi.models.V1ClusterRole;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.FileSystemUtils;

/** {@code examples/website}, copied and built as somebody would who has nothing but it. */
@Tag("system")
class WebsiteExampleIT {

    private static final Path EXAMPLE = Manifests.configDirectory().resolveSibling("examples/website");

    /** It stays there, for whoever wants to look at it. */
    private static final Path COPY = Path.of("target", "website");

    @TempDir
    Path directory;

    @Test
    void isBuiltAndTestedOutsideTheReactor() throws Exception {
        copyExample();
        try (BuiltArtifacts artifacts = new BuiltArtifacts(directory)) {
            Path pom = COPY.resolve("pom.xml");
            Files.writeString(
                    pom, Files.readString(pom).replace("</project>", artifacts.repositories() + "</project>"));
            artifacts.maven(COPY, "verify", "-Dversion.controller-manager=" + artifacts.version());
        }

        assertThat(COPY.resolve("target/surefire-reports")).isNotEmptyDirectory();
        Programs.Answer answer = Programs.run(
                Path.of(System.getProperty("java.home"), "bin", "java"),
                List.of("-jar", COPY.resolve("target/website-operator.jar").toString(), "--version"));
        assertThat(answer.expectOut()).isEqualTo("website-operator 1.0.0\n");
    }

    /** With the files that its README names. */
    @Test
    void theChartTakesItsRightsAndItsCrd() throws Exception {
        Chart.Rendered release = Chart.own()
                .render(
                        "--set=image.tag=1.0.0",
                        "--set-file=rights.website="
                                + EXAMPLE.resolve("src/main/resources/META-INF/controller-manager/rbac/website.yaml"),
                        "--set-file=customResources.websites="
                                + EXAMPLE.resolve("config/crd/websites.example.com.yaml"));

        assertThat(release.all(V1ClusterRole.class))
                .anySatisfy(role -> assertThat(role.getRules())
                        .anySatisfy(rule -> assertThat(rule.getResources()).containsExactly("websites/finalizers")));
    }

    private static void copyExample() throws IOException {
        FileSystemUtils.deleteRecursively(COPY);
        FileSystemUtils.copyRecursively(EXAMPLE, COPY);
        // Somebody may have built it where it is.
        FileSystemUtils.deleteRecursively(COPY.resolve("target"));
    }
}
