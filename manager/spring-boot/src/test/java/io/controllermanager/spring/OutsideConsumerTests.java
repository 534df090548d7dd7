package io.controllermanager.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringBootVersion;
import org.springframework.util.FileSystemUtils;

/**
 * A project outside the reactor depends on the starter alone. What this build's {@code dependencyManagement} says does not
 * travel there, so its own resolution decides which client-java it gets.
 */
@Tag("system")
class OutsideConsumerTests {

    private static final Map<String, String> POMS = Map.of(
            "controller-manager-parent", "../../pom.xml",
            "controller-manager-bom", "../bom/pom.xml",
            "controller-manager-runtime", "../runtime/pom.xml",
            "controller-manager-spring-boot-starter", "pom.xml");

    /** One of its own, so that nothing is taken from an earlier build's installation. */
    private final String version = "0-" + UUID.randomUUID();

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
                      <version>%s</version>
                      <type>pom</type>
                      <scope>import</scope>
                    </dependency>
                  </dependencies>
                </dependencyManagement>
                """.formatted(SpringBootVersion.getVersion(), version)));
    }

    private static void assertPrometheusClient(List<String> tree) {
        assertThat(tree)
                .filteredOn(line -> line.contains("io.prometheus:prometheus-metrics-"))
                .hasSizeGreaterThanOrEqualTo(6)
                .allSatisfy(line -> assertThat(line).contains(":1.9.0:"));
    }

    private List<String> dependencyTreeOfConsumer(String more) throws Exception {
        for (Map.Entry<String, String> pom : POMS.entrySet()) {
            Path folder = directory
                    .resolve("repository/io/controllermanager")
                    .resolve(pom.getKey())
                    .resolve(version);
            Files.createDirectories(folder);
            String text = Files.readString(Path.of(pom.getValue()))
                    .replace(
                            "<version>" + System.getProperty("project.version") + "</version>",
                            "<version>" + version + "</version>");
            Files.writeString(folder.resolve(pom.getKey() + "-" + version + ".pom"), text);
        }
        Files.writeString(directory.resolve("pom.xml"), """
                <project xmlns="http://maven.apache.org/POM/4.0.0">
                  <modelVersion>4.0.0</modelVersion>
                  <groupId>com.example</groupId>
                  <artifactId>consumer</artifactId>
                  <version>1</version>
                  %s
                  <repositories>
                    <repository>
                      <id>built</id>
                      <url>%s</url>
                    </repository>
                  </repositories>
                  <dependencies>
                    <dependency>
                      <groupId>io.controllermanager</groupId>
                      <artifactId>controller-manager-spring-boot-starter</artifactId>
                      <version>%s</version>
                    </dependency>
                  </dependencies>
                </project>
                """.formatted(
                        more, directory.resolve("repository").toUri(), version));

        return dependencyTree();
    }

    /** Only poms are read for it, no jars. */
    private List<String> dependencyTree() throws IOException, InterruptedException {
        Path output = directory.resolve("tree");
        Path log = directory.resolve("log");
        Process maven = new ProcessBuilder(
                        Path.of(System.getProperty("maven.home"), "bin", "mvn").toString(),
                        "-B",
                        "-q",
                        "-Dmaven.repo.local=" + System.getProperty("maven.local-repository"),
                        "org.apache.maven.plugins:maven-dependency-plugin:3.9.0:tree",
                        "-DoutputFile=" + output)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        // On a new machine it downloads: the time limit is that of the test.
        int exitCode = maven.waitFor();
        assertThat(exitCode).as(Files.readString(log)).isZero();
        return Files.readAllLines(output);
    }

    @AfterEach
    void forget() throws IOException {
        for (String artifact : POMS.keySet()) {
            FileSystemUtils.deleteRecursively(Path.of(
                    System.getProperty("maven.local-repository"), "io", "controllermanager", artifact, version));
        }
    }
}
