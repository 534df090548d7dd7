package io.controllermanager.app.release;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.app.support.Programs;
import io.controllermanager.app.support.Programs.Answer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The steps of {@code release.yml} that need neither a build nor a network, as the workflow calls them, on a copy. */
@Tag("system")
class ReleaseScriptsTests {

    private static final String IMAGE = "registry.example.com/controller-manager";
    private static final String DIGEST = "sha256:" + "0123456789abcdef".repeat(4);

    @TempDir
    Path directory;

    private Path project;

    @BeforeEach
    void copy() throws IOException {
        project = ProjectCopy.of(
                        directory.resolve("project"),
                        file -> file.toString()
                                .matches(".*(/release/[^/.]+|/charts/.*|pom\\.xml|\\.md|\\.ya?ml|Dockerfile)"))
                .folder();
    }

    @Test
    void theTagIsThatOfTheVersion() throws Exception {
        String version = run("version").expectOut().strip();

        assertThat(run("version", "v9.9.9").exitCode()).isEqualTo(1);
        assertThat(run("version", "v9.9.9").err())
                .isEqualTo("the tag is v9.9.9, but the POMs say " + version + ": release/set-version\n");
    }

    @Test
    void noReleaseSaysThatThereIsNone() throws Exception {
        run("set-version", "7.8.9").expectOut();
        Files.writeString(project.resolve("CHANGELOG.md"), "## [7.8.9]\n\nThe first release. Not released yet.\n");
        Files.writeString(project.resolve("image/page.md"), "It is not on Maven\nCentral yet.\n");
        Files.writeString(project.resolve("SECURITY.md"), "Nothing is released yet.\n");
        Files.createDirectory(project.resolve("target"));
        Files.writeString(project.resolve("target/page.md"), "It is not released yet.\n");

        Answer refusal = run("version", "v7.8.9");
        assertThat(refusal.exitCode()).isEqualTo(1);
        assertThat(refusal.err()).startsWith("these still say that there is no release: ");
        String[] pages = refusal.err().strip().replaceFirst(".*: ", "").split(" ");
        assertThat(pages)
                .contains("./CHANGELOG.md", "./SECURITY.md", "./image/page.md")
                .doesNotContain("./target/page.md");

        for (String page : pages) {
            Files.writeString(project.resolve(page), "## [7.8.9]\n\nThe first release.\n");
        }
        assertThat(run("version", "v7.8.9").expectOut()).isEqualTo("7.8.9\n");
    }

    /** Whoever follows a page on main finds on Central what it names. */
    @Test
    void pagesNameTheLastReleaseAndPomsWhatComesNext() throws Exception {
        String snapshot = run("version").expectOut().strip().replace("-SNAPSHOT", "") + "-SNAPSHOT";
        run("set-version", "7.8.9").expectOut();
        assertThat(lines(snapshot)).allMatch(line -> line.matches("(benchmarks|release)/.*"));
        Set<String> pages = pages("7.8.9");
        assertThat(pages)
                .contains(
                        "README.md",
                        "charts/controller-manager/README.md",
                        "docs/application.md",
                        "docs/getting-started.md",
                        "docs/testing.md",
                        "docs/tutorial.md",
                        "image/README.md");
        assertThat(naming("7.8.9"))
                .contains("pom.xml", "examples/plain/pom.xml", "charts/controller-manager/Chart.yaml");

        run("set-version", "7.9.0-SNAPSHOT").expectOut();
        assertThat(naming("7.8.9")).isEqualTo(pages);
        assertThat(pages("7.9.0-SNAPSHOT")).isEmpty();
        assertThat(naming("7.9.0-SNAPSHOT"))
                .contains(
                        ".github/ISSUE_TEMPLATE/bug.yml",
                        "Dockerfile",
                        "charts/controller-manager/Chart.yaml",
                        "config/manager/kustomization.yaml",
                        "examples/plain/pom.xml",
                        "pom.xml");

        run("set-version", "7.9.0").expectOut();
        assertThat(naming("7.8.9")).isEmpty();
        assertThat(pages("7.9.0")).isEqualTo(pages);
    }

    /** A library has the first, and each example the second. */
    @ParameterizedTest
    @ValueSource(strings = {"0.4.0", "1.0.0"})
    void whatHasTheSameVersionByChanceKeepsIt(String version) throws Exception {
        Files.writeString(project.resolve("image/pom.xml"), """
                <groupId>io.controllermanager</groupId>
                <artifactId>controller-manager-types</artifactId>
                <scope>test</scope>
                <groupId>com.example</groupId>
                <artifactId>io.controllermanager</artifactId>
                <version>%1$s</version>
                <version.example>%1$s</version.example>
                """.formatted(version));
        run("set-version", "7.8.9").expectOut();
        List<String> others = lines(version);

        run("set-version", version).expectOut();
        assertThat(lines(version)).hasSizeGreaterThan(others.size());
        run("set-version", "7.9.0-SNAPSHOT").expectOut();
        assertThat(lines(version)).isEqualTo(others);
    }

    @Test
    void aReleaseHasTheTimeOfItsDayWhichASnapshotLeaves() throws Exception {
        String setVersion = project.resolve("release/set-version").toString();
        Programs.run(Path.of("env"), List.of("SOURCE_DATE_EPOCH=1000000000", setVersion, "7.8.9"))
                .expectOut();
        String time = "<project.build.outputTimestamp>2001-09-09T00:00:00Z</project.build.outputTimestamp>";
        assertThat(naming(time)).containsExactly("pom.xml");

        run("set-version", "7.9.0-SNAPSHOT").expectOut();
        assertThat(naming(time)).containsExactly("pom.xml");

        run("set-version", "7.9.0").expectOut();
        assertThat(naming(time)).isEmpty();
    }

    @Test
    void notesAreTheSectionOfTheVersionWithLinksToTheFilesOfTheTag() throws Exception {
        run("set-version", "7.8.9-SNAPSHOT").expectOut();
        Files.writeString(project.resolve("CHANGELOG.md"), """
                # Changelog

                ## [7.9.0]

                Later.

                ## [7.8.9]

                See [a page](docs/page.md#part) and [another](https://example.com/page).

                ### Breaking

                Nothing.

                ## [7.8.8]

                Before.
                """);

        assertThat(run("notes", "https://example.com/project/blob/v1")
                        .expectOut()
                        .strip())
                .isEqualTo("""
                        See [a page](https://example.com/project/blob/v1/docs/page.md#part) and [another](https://example.com/page).

                        ### Breaking

                        Nothing.""");
    }

    @Test
    void aVersionThatTheChangelogDoesNotNameHasNoNotes() throws Exception {
        run("set-version", "7.8.9").expectOut();

        assertThat(run("notes").err()).isEqualTo("CHANGELOG.md has no section \"## [7.8.9]\"\n");
    }

    @Test
    void theChartInstallsTheImageByItsDigestAndHasTheSameBytesEachTime() throws Exception {
        Path first = Path.of(run("chart", IMAGE, DIGEST).expectOut().strip());
        byte[] bytes = Files.readAllBytes(first);

        assertThat(Files.readAllBytes(
                        Path.of(run("chart", IMAGE, DIGEST).expectOut().strip())))
                .isEqualTo(bytes);
        String values = Programs.run(
                        Path.of("tar"), List.of("-xzOf", first.toString(), "controller-manager/values.yaml"))
                .expectOut();
        assertThat(values)
                .contains("  repository: \"" + IMAGE + "\"\n", "  digest: \"" + DIGEST + "\"\n")
                .isEqualTo(Files.readString(project.resolve("charts/controller-manager/values.yaml"))
                        .replaceFirst("  repository: \"\"", "  repository: \"" + IMAGE + "\"")
                        .replaceFirst("  digest: \"\"", "  digest: \"" + DIGEST + "\""));
    }

    /** What is pushed was scanned before, with another key. */
    @Test
    void foldersAreTheSameIfTheirFilesAreWhoeverHasSignedThem() throws Exception {
        String scanned = staged("scanned", "code", "one");
        String signed = staged("signed", "code", "two");

        run("same", scanned, signed).expectOut();
        assertThat(run("same", scanned, staged("other", "other code", "one")))
                .returns(1, Answer::exitCode)
                .extracting(Answer::err)
                .asString()
                .contains("a.jar differ\n");
        Files.createFile(Path.of(signed, "io/b.jar"));
        assertThat(run("same", scanned, signed))
                .returns(1, Answer::exitCode)
                .extracting(Answer::err)
                .asString()
                .contains("b.jar\n");
        String empty = Files.createDirectory(directory.resolve("empty")).toString();
        assertThat(run("same", empty, empty).err()).isEqualTo("there is no file in " + empty + "\n");
    }

    @Test
    void nothingIsPushedWithoutWhatItIsToBePushedWith() throws Exception {
        assertThat(run("chart", "--push", "oci://registry.example.com/charts").err())
                .isEqualTo("a chart that is pushed names its image and digest\n");
        assertThat(run("image", "--push", "eclipse-temurin:25-jre", IMAGE).err())
                .isEqualTo("the base must name a digest, but is eclipse-temurin:25-jre\n");
    }

    /** As in a shallow clone. */
    @Test
    void aFormerVersionThatIsNotInTheCloneIsNamed() throws Exception {
        Programs.run(Path.of("git"), List.of("init", "-q", project.toString())).expectOut();
        String commit = "0123456789".repeat(4);
        Files.writeString(project.resolve("release/upgrade-from"), "# A comment.\n" + commit + "\n");

        assertThat(run("build-former"))
                .isEqualTo(
                        new Answer(
                                1,
                                "",
                                "release/upgrade-from names " + commit
                                        + ", which is not in this clone; a shallow one gets it by git fetch --unshallow --tags\n"));
    }

    private Answer run(String script, String... arguments) throws IOException, InterruptedException {
        return Programs.run(project.resolve("release").resolve(script), List.of(arguments));
    }

    /** A folder with one file, its signature and an index. */
    private String staged(String name, String content, String signature) throws IOException {
        Path folder = Files.createDirectories(directory.resolve(name).resolve("io"));
        Files.writeString(folder.resolve("a.jar"), content);
        Files.writeString(folder.resolve("a.jar.asc"), signature);
        Files.writeString(folder.resolve("a.jar.asc.sha1"), signature);
        Files.writeString(folder.resolve("maven-metadata.xml"), signature);
        return folder.getParent().toString();
    }

    private Set<String> pages(String version) throws IOException {
        return naming(version).stream()
                .filter(file -> file.endsWith(".md"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** All that name a version, but for those of pages. */
    private List<String> lines(String version) throws IOException {
        List<String> lines = new ArrayList<>();
        for (String file : naming(version)) {
            if (!file.endsWith(".md")) {
                Files.readAllLines(project.resolve(file)).stream()
                        .filter(line -> line.contains(version))
                        .forEach(line -> lines.add(file + ": " + line));
            }
        }
        return lines;
    }

    private Set<String> naming(String version) throws IOException {
        Set<String> naming = new TreeSet<>();
        try (Stream<Path> files = Files.walk(project)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains(version)) {
                    naming.add(project.relativize(file).toString());
                }
            }
        }
        return naming;
    }
}
