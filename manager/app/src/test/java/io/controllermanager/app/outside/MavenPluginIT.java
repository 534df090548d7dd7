package io.controllermanager.app.outside;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringBootVersion;

/** The life of a type in a project that has the plugin: generated, checked, changed, refused. */
@Tag("system")
class MavenPluginIT {

    private static final String ALLOWED = "-Dcontroller-manager.allow-breaking-changes=true";

    @TempDir
    Path directory;

    private Path project;
    private Path source;
    private Path crd;

    @Test
    void generatesAndChecksCrds() throws Exception {
        project = Files.createDirectories(directory.resolve("project"));
        source = Files.createDirectories(project.resolve("src/main/java/com/example"))
                .resolve("Thing.java");
        crd = project.resolve("config/crd/things.example.com.yaml");
        try (BuiltArtifacts artifacts = new BuiltArtifacts(directory.resolve("repository"))) {
            writePom(artifacts);
            writeThing("@Max(10) int count");
            assertThat(artifacts.failingMaven(project, "test"))
                    .contains("config/crd/things.example.com.yaml is not what the classes say:", "it is missing");

            artifacts.maven(project, "process-classes", "controller-manager:generate");
            assertThat(crd)
                    .content()
                    .contains("maximum: 10", "description: What a test needs.", "description: How many.");
            artifacts.maven(project, "test");

            writeThing("@Max(20) int count");
            assertThat(artifacts.failingMaven(project, "test"))
                    .contains("-                  maximum: 10", "+                  maximum: 20")
                    .doesNotContain("would break");
            artifacts.maven(project, "process-classes", "controller-manager:generate");

            writeThing("@Max(5) int count");
            String before = Files.readString(crd);
            assertThat(artifacts.failingMaven(project, "process-classes", "controller-manager:generate"))
                    .contains("would break objects that are stored:", "v1: .spec.count: maximum 20 becomes 5");
            assertThat(crd).content().isEqualTo(before);
            artifacts.maven(project, "process-classes", "controller-manager:generate", ALLOWED);
            artifacts.maven(project, "test");

            writeThing("Class<?> count, java.time.Instant since");
            assertThat(artifacts.failingMaven(project, "test"))
                    .contains(
                            "com.example.Thing: .spec.count: client-java's Gson does not read and write"
                                    + " java.lang.Class",
                            "com.example.Thing: .spec.since: client-java's Gson does not read and write"
                                    + " java.time.Instant");
        }
    }

    private void writeThing(String component) throws IOException {
        Files.writeString(source, """
            package com.example;

            import io.controllermanager.types.CustomObject;
            import io.controllermanager.types.CustomResource;
            import jakarta.validation.constraints.Max;

            /** What a test needs. */
            @CustomResource(group = "example.com", version = "v1")
            public final class Thing extends CustomObject<Thing.Spec, Void> {

                /** @param count How many. */
                public record Spec(%s) {}
            }
            """.formatted(component));
    }

    private void writePom(BuiltArtifacts artifacts) throws IOException {
        Files.writeString(
                project.resolve("pom.xml"), """
                    <project xmlns="http://maven.apache.org/POM/4.0.0">
                      <modelVersion>4.0.0</modelVersion>
                      <parent>
                        <groupId>org.springframework.boot</groupId>
                        <artifactId>spring-boot-starter-parent</artifactId>
                        <version>%1$s</version>
                      </parent>
                      <groupId>com.example</groupId>
                      <artifactId>thing</artifactId>
                      <version>1</version>
                      <properties>
                        <java.version>17</java.version>
                      </properties>
                      <dependencies>
                        <dependency>
                          <groupId>io.controllermanager</groupId>
                          <artifactId>controller-manager-types</artifactId>
                          <version>%2$s</version>
                        </dependency>
                      </dependencies>
                      <build>
                        <plugins>
                          <plugin>
                            <groupId>io.controllermanager</groupId>
                            <artifactId>controller-manager-maven-plugin</artifactId>
                            <version>%2$s</version>
                            <executions>
                              <execution>
                                <goals>
                                  <goal>check</goal>
                                </goals>
                              </execution>
                            </executions>
                          </plugin>
                        </plugins>
                      </build>
                    </project>
                    """.formatted(SpringBootVersion.getVersion(), artifacts.version()));
    }
}
