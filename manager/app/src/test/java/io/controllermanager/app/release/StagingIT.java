package io.controllermanager.app.release;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.app.outside.BuiltArtifacts;
import io.controllermanager.app.support.Manifests;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.FileSystemUtils;

/**
 * A release as {@code release/stage} makes it, with a key that nobody trusts, twice: in two folders, one after the other. Projects
 * outside are then built with it, which get nothing of this project from anywhere else.
 */
@Tag("deep")
class StagingIT {

    /** One of its own, so that no local repository has it. */
    private static final String VERSION =
            "0.0.1-" + UUID.randomUUID().toString().substring(0, 8);

    private static final Path EXAMPLES = Manifests.configDirectory().resolveSibling("examples");

    /** The folders stay if they differ, for whoever wants to look at them. */
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    static Path directory;

    private static SigningKey key;
    private static ProjectCopy project;
    private static Path staged;

    @BeforeAll
    static void stage() throws Exception {
        key = SigningKey.make();
        project = stage(directory.resolve("project"), key);
        staged = staged(project);
    }

    @Test
    void hasAllThatMavenCentralAsksFor() throws Exception {
        Set<String> artifacts = new TreeSet<>();
        for (Path file : files(staged, ".pom")) {
            PublishedPom pom = new PublishedPom(file);
            pom.expectComplete(VERSION);
            artifacts.add(pom.artifactId());
            String name = pom.artifactId() + "-" + VERSION;
            assertThat(artifacts(file.getParent()))
                    .extracting(path -> path.getFileName().toString())
                    .containsExactlyInAnyOrderElementsOf(
                            PublishedFiles.ends(pom).stream().map(name::concat).toList());
        }
        assertThat(artifacts).isEqualTo(PublishedPom.ARTIFACTS);
        assertThat(artifacts).isEqualTo(folders(staged.resolve("io/controllermanager")));
        for (Path file : artifacts(staged.resolve("io"))) {
            assertThat(key.hasSigned(file)).as("signature of %s", file).isTrue();
            expectSum(file, "md5", "MD5");
            expectSum(file, "sha1", "SHA-1");
        }
    }

    /** As the workflow stages again, once someone has approved. */
    @Test
    void isTheSameFromAnotherFolderAtAnotherTimeWithAnotherKey() throws Exception {
        ProjectCopy another = stage(directory.resolve("some/where/else"), SigningKey.make());

        // Beside it are files of the builds outside.
        expectSame(staged.resolve("io"), staged(another).resolve("io"));
        expectSame(chart(project), chart(another));
        list(Path.of("target/staged.txt"));
    }

    /** For {@code benchmarks/results/release.txt}. */
    private static void list(Path file) throws IOException {
        List<String> lines = new ArrayList<>();
        long bytes = 0;
        for (Path artifact : artifacts(staged.resolve("io"))) {
            long size = Files.size(artifact);
            bytes += size;
            lines.add(
                    "%9d  %s".formatted(size, artifact.getFileName().toString().replace(VERSION, "VERSION")));
        }
        lines.add("%9d  bytes in %d files".formatted(bytes, lines.size()));
        Files.write(file, lines);
    }

    /** {@code examples/plain}, whose pom the documentation shows: it has no parent, so that the BOM alone decides versions. */
    @Test
    void aPlainProjectIsBuiltWithIt() throws Exception {
        build(copy(EXAMPLES.resolve("plain"), "plain"), "-Dversion.controller-manager=" + VERSION);
    }

    @Test
    void theArchetypesProjectIsBuiltWithIt() throws Exception {
        try (BuiltArtifacts artifacts = new BuiltArtifacts(staged, VERSION)) {
            artifacts.maven(Files.createDirectory(directory.resolve("made")), artifacts.archetype("greeting-operator"));
        }
        build(directory.resolve("made/greeting-operator"));
    }

    /** A program for client-java's Spring integration that was given our starter in place of client-java's. */
    @Test
    void aProgramForClientJavaIsBuiltWithIt() throws Exception {
        build(copy(Path.of("src/test/projects/drop-in"), "drop-in"), "-Dversion.controller-manager=" + VERSION);
    }

    private static void build(Path folder, String... options) throws Exception {
        try (BuiltArtifacts artifacts = new BuiltArtifacts(staged, VERSION)) {
            artifacts.maven(
                    folder,
                    Stream.concat(Stream.of("verify"), Stream.of(options)).toArray(String[]::new));
        }
        assertThat(files(folder.resolve("target/surefire-reports"), ".xml")).isNotEmpty();
    }

    private static Path copy(Path project, String name) throws IOException {
        Path copy = directory.resolve(name);
        FileSystemUtils.copyRecursively(project, copy);
        FileSystemUtils.deleteRecursively(copy.resolve("target"));
        return copy;
    }

    private static void expectSame(Path one, Path other) throws Exception {
        project.run(Map.of(), "release/same", one.toString(), other.toString());
    }

    private static ProjectCopy stage(Path folder, SigningKey key) throws Exception {
        ProjectCopy copy = ProjectCopy.of(Files.createDirectories(folder), file -> true);
        // One commit has one day.
        copy.run(Map.of("SOURCE_DATE_EPOCH", "1000000000"), "release/set-version", VERSION);
        copy.run(
                Map.of(
                        "PROJECT_URL",
                        ProjectCopy.URL,
                        "MAVEN_GPG_KEY",
                        key.secret(),
                        "MAVEN_GPG_PASSPHRASE",
                        SigningKey.PASSPHRASE),
                "release/stage");
        return copy;
    }

    private static Path staged(ProjectCopy copy) {
        return copy.folder().resolve("target/release/maven");
    }

    /** Packaged, and unpacked again. */
    private static Path chart(ProjectCopy copy) throws Exception {
        copy.run(Map.of(), "release/chart");
        Path folder = Files.createDirectories(copy.folder().resolve("target/chart"));
        for (Path archive : files(copy.folder().resolve("target/release"), ".tgz")) {
            copy.run(Map.of(), "tar", "-xzf", archive.toString(), "-C", folder.toString());
        }
        return folder;
    }

    /** All files but signatures, checksums and the repository's own indexes. */
    private static List<Path> artifacts(Path folder) throws IOException {
        return files(folder, "").stream()
                .filter(file -> !file.toString().matches(".*\\.(asc|md5|sha1)|.*/maven-metadata[^/]*"))
                .toList();
    }

    private static void expectSum(Path file, String extension, String algorithm) throws Exception {
        assertThat(Files.readString(Path.of(file + "." + extension), StandardCharsets.US_ASCII))
                .as("%s of %s", extension, file)
                .isEqualTo(sum(file, algorithm));
    }

    private static String sum(Path file, String algorithm) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(Files.readAllBytes(file)));
    }

    private static Set<String> folders(Path folder) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return new TreeSet<>(all.filter(Files::isDirectory)
                    .map(artifact -> artifact.getFileName().toString())
                    .toList());
        }
    }

    private static List<Path> files(Path folder, String end) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(Files::isRegularFile)
                    .filter(file -> file.toString().endsWith(end))
                    .sorted()
                    .toList();
        }
    }
}
