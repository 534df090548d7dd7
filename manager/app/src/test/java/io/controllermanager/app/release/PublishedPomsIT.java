package io.controllermanager.app.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The POMs that a release has, and what the profile {@code publish} asks for. Nothing is compiled. */
@Tag("system")
class PublishedPomsIT {

    private static final String VERSION = "0.0.1";

    @TempDir
    Path directory;

    @Test
    void areCompleteNameWhatIsPublishedAndAreTheSameInEachFolder() throws Exception {
        Map<String, String> poms = flattened(directory.resolve("one"));

        assertThat(poms.keySet()).isEqualTo(PublishedPom.ARTIFACTS);
        assertThat(flattened(directory.resolve("another/folder"))).isEqualTo(poms);
    }

    /** An application takes these by the BOM; the executable, the archetype and the plugin are named with a version. */
    @Test
    void theBomHasEachLibrary() throws Exception {
        Set<String> libraries = new TreeSet<>(PublishedPom.ARTIFACTS);
        libraries.removeAll(Set.of(
                "controller-manager",
                "controller-manager-archetype",
                "controller-manager-bom",
                "controller-manager-maven-plugin"));
        Path bom = ProjectCopy.of(directory, file -> file.endsWith("manager/bom/pom.xml"))
                .folder()
                .resolve("manager/bom/pom.xml");

        assertThat(new PublishedPom(bom).ownArtifacts()).containsExactlyInAnyOrderElementsOf(libraries);
    }

    /** In the order in which somebody meets them who begins. */
    @Test
    void aReleaseIsRefusedThatLacksSomething() throws Exception {
        ProjectCopy project = poms(directory);
        Map<String, String> key = Map.of("MAVEN_GPG_KEY", "a key", "MAVEN_GPG_PASSPHRASE", "");
        String url = "-Dpublish.url=" + ProjectCopy.URL;
        String scm = "-Dpublish.scm=" + ProjectCopy.URL + ".git";

        for (String module : List.of(".", "manager/bom")) {
            assertThat(refusal(project, Map.of(), "-pl", module))
                    .contains("needs -Dpublish.url=https://")
                    .contains("needs -Dpublish.scm=https://")
                    .contains("MAVEN_GPG_KEY must have the secret key")
                    .contains("MAVEN_GPG_PASSPHRASE must have the passphrase");
        }
        assertThat(refusal(project, key, url + "/", "-Dpublish.scm=git@example.com:x"))
                .contains(
                        "publish.url is " + ProjectCopy.URL + "/, and must begin with https:// and end without a slash")
                .contains("publish.scm is git@example.com:x, and must begin with https://")
                .contains("MAVEN_GPG_KEY must have the secret key as ASCII, as gpg")
                .doesNotContain("MAVEN_GPG_PASSPHRASE");
        project.run(Map.of(), "release/set-version", "0.0.1-SNAPSHOT");
        assertThat(refusal(project, key, url, scm)).contains("takes no SNAPSHOT");
    }

    private static String refusal(ProjectCopy project, Map<String, String> environment, String... options)
            throws Exception {
        List<String> command = new ArrayList<>(List.of("mvn", "-B", "-q", "-Ppublish", "validate"));
        command.addAll(List.of(options));
        assertThat(project.tryRun(environment, command.toArray(String[]::new))).isNotZero();
        return project.log();
    }

    private static Map<String, String> flattened(Path folder) throws Exception {
        ProjectCopy project = poms(folder);
        project.run(
                Map.of(),
                "mvn",
                "-B",
                "-q",
                "-Ppublish",
                "-Dpublish.url=" + ProjectCopy.URL,
                "-Dpublish.scm=" + ProjectCopy.URL + ".git",
                "flatten:flatten");
        Map<String, String> poms = new TreeMap<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(file -> file.endsWith("target/published-pom.xml"))
                    .toList()) {
                PublishedPom pom = new PublishedPom(file);
                pom.expectComplete(VERSION);
                poms.put(pom.artifactId(), Files.readString(file));
            }
        }
        return poms;
    }

    /** With the version of a release. */
    private static ProjectCopy poms(Path folder) throws Exception {
        ProjectCopy project = ProjectCopy.of(
                folder,
                file -> file.endsWith("pom.xml")
                        || file.endsWith("release/set-version")
                        || file.endsWith("release/rules.xml")
                        || file.endsWith("charts/controller-manager/Chart.yaml"));
        project.run(Map.of(), "release/set-version", VERSION);
        return project;
    }
}
