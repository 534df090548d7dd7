package io.controllermanager.app.outside;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.app.support.Manifests;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.springframework.util.FileSystemUtils;

/**
 * What this build has made for others, in a repository of files, and Maven to build a project with it. What this build's
 * {@code dependencyManagement} says does not travel there: the project's own resolution decides.
 */
public final class BuiltArtifacts implements AutoCloseable {

    private static final Path PROJECT = Manifests.configDirectory().resolveSibling("");

    /** The folders of those that applications use, and of what their poms name. */
    private static final Map<String, String> FOLDERS = Map.ofEntries(
            Map.entry("controller-manager-parent", "."),
            Map.entry("controller-manager-test-settings", "testing/settings"),
            Map.entry("controller-manager-bom", "manager/bom"),
            Map.entry("controller-manager-types", "authoring/types"),
            Map.entry("controller-manager-crd", "authoring/crd"),
            Map.entry("controller-manager-maven-plugin", "authoring/maven-plugin"),
            Map.entry("controller-manager-runtime", "manager/runtime"),
            Map.entry("controller-manager-spring-boot-starter", "manager/spring-boot"),
            Map.entry("controller-manager-webhooks", "manager/webhooks"),
            Map.entry("controller-manager-webhooks-spring-boot-starter", "manager/webhooks-spring-boot"),
            Map.entry("controller-manager-page-spring-boot-starter", "manager/page"),
            Map.entry("controller-manager-test-api-server", "api-server"),
            Map.entry("controller-manager-test", "testing/kit"),
            Map.entry("controller-manager-archetype", "archetypes/controller"));

    private static final String GENERATE = "org.apache.maven.plugins:maven-archetype-plugin:"
            + System.getProperty("maven-archetype-plugin.version") + ":generate";

    /** For Maven and the JVMs that it starts: each runs for seconds, and the second compiler pays off after minutes. */
    private static final String JVM_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

    private final Path repository;
    private final String version;

    /** Those that a repository has already, in a version that no other has. */
    public BuiltArtifacts(Path repository, String version) {
        this.repository = repository;
        this.version = version;
    }

    /** Puts them into an empty directory. */
    BuiltArtifacts(Path repository) throws IOException {
        // One of its own, so that nothing is taken from an earlier build's installation.
        this(repository, "0-" + UUID.randomUUID());
        String built = System.getProperty("project.version");
        for (Map.Entry<String, String> artifact : FOLDERS.entrySet()) {
            Path folder = Files.createDirectories(repository
                    .resolve("io/controllermanager")
                    .resolve(artifact.getKey())
                    .resolve(version));
            Path module = PROJECT.resolve(artifact.getValue());
            String name = artifact.getKey() + "-";
            String pom = Files.readString(module.resolve("pom.xml"));
            Files.writeString(
                    folder.resolve(name + version + ".pom"),
                    pom.replace("<version>" + built + "</version>", "<version>" + version + "</version>"));
            if (!pom.contains("<packaging>pom</packaging>")) {
                Path jar = Files.copy(
                        module.resolve("target").resolve(name + built + ".jar"),
                        folder.resolve(name + version + ".jar"));
                writeVersionOfPlugin(jar, built);
            }
        }
    }

    /** A plugin says its version inside of its jar as well. */
    private void writeVersionOfPlugin(Path jar, String built) throws IOException {
        try (FileSystem files = FileSystems.newFileSystem(jar)) {
            Path descriptor = files.getPath("META-INF/maven/plugin.xml");
            if (Files.exists(descriptor)) {
                Files.writeString(descriptor, Files.readString(descriptor).replace(built, version));
            }
        }
    }

    /** Their version. */
    String version() {
        return version;
    }

    /** Has a project take them in their version here, and not in the one that its pom names. */
    String versionOption() {
        return "-Dversion.controller-manager=" + version;
    }

    /** What makes a project out of the archetype, in a folder of its name. */
    public String[] archetype(String artifactId, String... options) {
        List<String> arguments = new ArrayList<>(List.of(
                GENERATE,
                "-DarchetypeCatalog=internal",
                "-DarchetypeGroupId=io.controllermanager",
                "-DarchetypeArtifactId=controller-manager-archetype",
                "-DarchetypeVersion=" + version,
                "-DgroupId=com.example",
                "-DartifactId=" + artifactId,
                "-Dversion=1.0.0",
                "-Dpackage=com.example.app"));
        arguments.addAll(List.of(options));
        return arguments.toArray(String[]::new);
    }

    /** By these Maven finds them; the user's own settings count besides. */
    private Path settings() throws IOException {
        return Files.writeString(repository.resolve("settings.xml"), """
                <settings>
                  <profiles>
                    <profile>
                      <id>built</id>
                      <repositories>
                        <repository>
                          <id>built</id>
                          <url>%1$s</url>
                        </repository>
                      </repositories>
                      <pluginRepositories>
                        <pluginRepository>
                          <id>built</id>
                          <url>%1$s</url>
                        </pluginRepository>
                      </pluginRepositories>
                    </profile>
                  </profiles>
                  <activeProfiles>
                    <activeProfile>built</activeProfile>
                  </activeProfiles>
                </settings>
                """.formatted(repository.toUri()));
    }

    /** Runs Maven in a project's directory, which must succeed. */
    public void maven(Path project, String... arguments) throws IOException, InterruptedException {
        assertThat(run(project, arguments)).as(Files.readString(log())).isZero();
    }

    /** Runs Maven in a project's directory, which must fail; what it has said. */
    String failingMaven(Path project, String... arguments) throws IOException, InterruptedException {
        assertThat(run(project, arguments)).as(Files.readString(log())).isNotZero();
        return Files.readString(log());
    }

    private int run(Path project, String... arguments) throws IOException, InterruptedException {
        // On a new machine it downloads: the time limit is that of the test.
        return start(project, arguments).waitFor();
    }

    /** Starts Maven in a project's directory. */
    Process start(Path project, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("maven.home"), "bin", "mvn").toString(),
                "-B",
                // Says warnings and errors.
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                "--global-settings=" + settings(),
                "-Dmaven.repo.local=" + System.getProperty("maven.local-repository")));
        command.addAll(List.of(arguments));
        ProcessBuilder maven = new ProcessBuilder(command)
                .directory(project.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log().toFile());
        maven.environment().merge("JAVA_TOOL_OPTIONS", JVM_OPTIONS, (given, ours) -> given + " " + ours);
        return maven.start();
    }

    /** What the last run of Maven has warned of, save that this repository has no catalog and no checksums. */
    List<String> warnings() throws IOException {
        return Files.readAllLines(log()).stream()
                .filter(line -> line.startsWith("[WARNING]"))
                .filter(line -> !line.contains(repository.toUri().getPath()))
                .filter(line -> !line.contains("in any catalog") && !line.contains("id 'archetype'"))
                .toList();
    }

    private Path log() {
        return repository.resolve("maven.log");
    }

    /** Takes them out of the local repository, where Maven has put them. */
    @Override
    public void close() throws IOException {
        Path local = Path.of(System.getProperty("maven.local-repository"), "io", "controllermanager");
        for (String artifact : FOLDERS.keySet()) {
            FileSystemUtils.deleteRecursively(local.resolve(artifact).resolve(version));
        }
    }
}
