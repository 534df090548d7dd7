package io.controllermanager.app.outside;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.app.support.Manifests;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringBootVersion;
import org.springframework.util.FileSystemUtils;

/** A project outside the reactor: which versions does it get, and do they go together? */
@Tag("system")
class OutsideConsumerIT {

    private static final Path EXAMPLE = Manifests.configDirectory().resolveSibling("examples/plain");

    @TempDir
    Path directory;

    @Test
    void getsTheClientJavaThatWeAreBuiltWith() throws Exception {
        List<String> tree = dependencyTreeOfConsumer("");
        assertThat(tree)
                .filteredOn(line -> line.contains("io.kubernetes:"))
                .filteredOn(line -> !line.contains(":client-java-spring-integration:"))
                .hasSizeGreaterThanOrEqualTo(5)
                .allSatisfy(line -> assertThat(line).contains(":25.0.0:"));
        assertThat(tree).anySatisfy(line -> assertThat(line).contains(":client-java-spring-integration:jar:20.0.0"));
        assertPrometheusClient(tree);
        assertThat(tree).noneSatisfy(line -> assertThat(line).contains("tomcat"));
    }

    /** Which manages another version of Prometheus's client. */
    @Test
    void withSpringBootsParentTheBomIsEnough() throws Exception {
        assertPrometheusClient(dependencyTreeOfConsumer("""
                <parent>
                  <groupId>org.springframework.boot</groupId>
                  <artifactId>spring-boot-starter-parent</artifactId>
                  <version>%s</version>
                </parent>
                <dependencyManagement>
                  <dependencies>
                    <dependency>
                      <groupId>io.controllermanager</groupId>
                      <artifactId>controller-manager-bom</artifactId>
                      <version>VERSION</version>
                      <type>pom</type>
                      <scope>import</scope>
                    </dependency>
                  </dependencies>
                </dependencyManagement>
                """.formatted(SpringBootVersion.getVersion())));
    }

    /** {@code examples/plain}, whose pom the documentation shows: it has no parent, so that the BOM alone decides versions. */
    @Test
    void aPlainProjectIsTestedWithTheBomAlone() throws Exception {
        Path project = directory.resolve("plain");
        FileSystemUtils.copyRecursively(EXAMPLE.resolve("src"), project.resolve("src"));
        Files.copy(EXAMPLE.resolve("pom.xml"), project.resolve("pom.xml"));
        try (BuiltArtifacts artifacts = new BuiltArtifacts(directory.resolve("repository"))) {
            artifacts.maven(project, "verify", artifacts.versionOption());
        }
        assertThat(project.resolve("target/surefire-reports/TEST-com.example.plain.ImportReconcilerTest.xml"))
                .content()
                .contains("runsAJobForAConfigMap");
    }

    private static void assertPrometheusClient(List<String> tree) {
        assertThat(tree)
                .filteredOn(line -> line.contains("io.prometheus:prometheus-metrics-"))
                .hasSizeGreaterThanOrEqualTo(6)
                .allSatisfy(line -> assertThat(line).contains(":1.9.0:"));
    }

    /** Only poms are read for it, no jars. */
    private List<String> dependencyTreeOfConsumer(String more) throws Exception {
        Path output = directory.resolve("tree");
        try (BuiltArtifacts artifacts = new BuiltArtifacts(directory.resolve("repository"))) {
            Files.writeString(
                    directory.resolve("pom.xml"), """
                    <project xmlns="http://maven.apache.org/POM/4.0.0">
                      <modelVersion>4.0.0</modelVersion>
                      <groupId>com.example</groupId>
                      <artifactId>consumer</artifactId>
                      <version>1</version>
                      %s
                      <dependencies>
                        <dependency>
                          <groupId>io.controllermanager</groupId>
                          <artifactId>controller-manager-spring-boot-starter</artifactId>
                          <version>VERSION</version>
                        </dependency>
                      </dependencies>
                    </project>
                    """.formatted(more).replace("VERSION", artifacts.version()));
            artifacts.maven(
                    directory, "org.apache.maven.plugins:maven-dependency-plugin:3.9.0:tree", "-DoutputFile=" + output);
        }
        return Files.readAllLines(output);
    }
}
