package io.controllermanager.app.release;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.app.support.Project;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The jars that this build has made of what is published, as far as one build tells. {@link StagingIT} compares two. */
@Tag("release")
class PublishedJarsIT {

    private static final List<Path> MODULES = new ArrayList<>();
    private static final List<Path> JARS = new ArrayList<>();

    @BeforeAll
    static void find() throws IOException {
        for (Path module : Project.modules()) {
            if (Files.readString(module.resolve("pom.xml")).contains("<maven.deploy.skip>false<")) {
                MODULES.add(module);
                try (Stream<Path> files = Files.list(module.resolve("target"))) {
                    files.filter(file -> file.toString().endsWith(".jar")).forEach(JARS::add);
                }
            }
        }
    }

    @Test
    void areThereForEachArtifact() throws Exception {
        Set<String> artifacts = new TreeSet<>(Set.of("controller-manager-bom"));
        for (Path module : MODULES) {
            PublishedPom pom = new PublishedPom(module.resolve("pom.xml"));
            artifacts.add(pom.artifactId());
            // The executable's name has no version here, and a bill has another name before it is staged.
            String name = pom.artifactId().equals("controller-manager")
                    ? "controller-manager"
                    : pom.artifactId() + "-" + System.getProperty("project.version");
            for (String end : PublishedFiles.ends(pom)) {
                String file = end.equals(PublishedFiles.BILL) ? "bom.json" : name + end;
                assertThat(module.resolve(end.equals(".pom") ? "pom.xml" : "target/" + file))
                        .isRegularFile();
            }
        }
        assertThat(artifacts).isEqualTo(PublishedPom.ARTIFACTS);
    }

    /** A folder's own order, or the time of the build, would differ from one build to the next. */
    @Test
    void haveOneTimeAndAreInOrder() throws IOException {
        LocalDateTime time = LocalDateTime.ofInstant(
                Instant.parse(System.getProperty("project.build.outputTimestamp")), ZoneOffset.UTC);
        for (Path file : JARS) {
            try (JarFile jar = new JarFile(file.toFile())) {
                assertThat(jar.stream())
                        .as(file.toString())
                        .extracting(ZipEntry::getTimeLocal)
                        .containsOnly(time);
                // What comes from several folders, such as sources and resources, is in order for each.
                jar.stream()
                        .map(ZipEntry::getName)
                        .filter(name -> !name.endsWith("/"))
                        .collect(Collectors.groupingBy(PublishedJarsIT::folderAndKind))
                        .values()
                        .forEach(names -> assertThat(names).as(file.toString()).isSorted());
            }
        }
    }

    private static String folderAndKind(String name) {
        return name.replaceFirst("[^/]*?(\\.[^/.]*)?$", "$1");
    }

    @Test
    void haveTheLicenceAndTheNotice() throws IOException {
        for (String name : List.of("LICENSE", "NOTICE")) {
            for (Path file : JARS) {
                try (JarFile jar = new JarFile(file.toFile())) {
                    ZipEntry entry = jar.getEntry("META-INF/" + name);
                    assertThat(entry).as("%s in %s", name, file).isNotNull();
                    assertThat(jar.getInputStream(entry))
                            .as("%s in %s", name, file)
                            .hasBinaryContent(Files.readAllBytes(Project.FOLDER.resolve(name)));
                }
            }
        }
    }
}
