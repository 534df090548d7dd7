package io.controllermanager.app.release;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.app.support.Programs;
import io.controllermanager.app.support.Programs.Answer;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The scripts that push to Maven Central and GitHub. {@code curl} answers what it is told to, {@code gh} notes what it is to
 * make, and {@code sleep} does not sleep.
 */
@Tag("system")
class ReleasePushTests {

    private static final String VERSION = "7.8.9";
    private static final String ID = "28570f16-da32-4c14-bd2e-c1acc0782365";
    private static final String MISSING = "404";

    /** An answer that does not come. Whoever asks again, as the real one does if told to, gets the one after it. */
    private static final String NOTHING = "nothing";

    @TempDir
    Path directory;

    private Path project;

    @BeforeEach
    void stage() throws Exception {
        project = ProjectCopy.of(
                        directory.resolve("project"),
                        file -> file.toString().matches(".*(/release/[^/.]+|/pom\\.xml|/charts/.*)"))
                .folder();
        write("project/target/release/maven/io/b.jar", "code");
        write("project/target/release/maven/io/b.jar.asc", "signature");
        write("project/target/release/maven/io/a/a.pom", "model");
        write("project/target/release/maven/io/a/maven-metadata.xml", "index");
        write("project/target/release/maven/io/a/maven-metadata.xml.sha1", "sum");
        program("curl", """
                echo "$@" >> asked
                next() { answer=$(head -n 1 answers); sed -i 1d answers; }
                next
                case "$answer $*" in nothing*--retry-all-errors*) next ;; esac
                [ "$answer" != nothing ] || exit 22
                echo "$answer"
                """);
        program("sleep", "");
        run("set-version", VERSION).expectOut();
    }

    @Test
    void theBundleHasWhatIsStagedButForIndexesAndNothingIsPushedUnasked() throws Exception {
        central(List.of()).expectOut();

        try (ZipFile bundle =
                new ZipFile(project.resolve("target/release/central.zip").toFile())) {
            assertThat(bundle.stream())
                    .extracting(ZipEntry::getName)
                    .containsExactly("io/a/a.pom", "io/b.jar", "io/b.jar.asc");
        }
        assertThat(project.resolve("asked")).doesNotExist();
    }

    @Test
    void itIsUploadedOnceAndWaitedForUntilItIsPublished() throws Exception {
        List<String> answers = List.of(
                MISSING, ID, state("PENDING"), state("VALIDATING"), NOTHING, state("PUBLISHING"), state("PUBLISHED"));

        assertThat(central(answers, "--push").expectOut()).endsWith(VERSION + " is on Central\n");

        assertThat(project.resolve("answers")).isEmptyFile();
        assertThat(uploads()).singleElement().asString().contains("upload?name=7.8.9&publishingType=AUTOMATIC");
    }

    @Test
    void whatIsThereIsNotUploaded() throws Exception {
        assertThat(central(List.of("200"), "--push").expectOut()).endsWith(VERSION + " is on Central already\n");

        assertThat(uploads()).isEmpty();
    }

    @Test
    void whatMayBeThereIsNotUploaded() throws Exception {
        assertThat(central(List.of(NOTHING, NOTHING), "--push").exitCode()).isNotZero();
        assertThat(refusal(List.of("503")))
                .isEqualTo("whether Central has 7.8.9 cannot be said: it answers with 503\n");

        assertThat(uploads()).isEmpty();
    }

    @Test
    void whatIsOnItsWayIsWaitedForAndNotUploadedAgain() throws Exception {
        assertThat(refusal(List.of(MISSING, ID, state("PUBLISHING"), NOTHING, NOTHING)))
                .startsWith("Central has it, and has not said that it is published: \n");

        central(List.of(MISSING, state("PUBLISHED")), "--push").expectOut();
        assertThat(uploads()).hasSize(1);
    }

    @Test
    void whatIsRefusedIsUploadedAnew() throws Exception {
        String refusal = "{\"deploymentState\":\"FAILED\",\"errors\":{\"common\":[\"Namespace is not allowed\"]}}";
        assertThat(refusal(List.of(MISSING, ID, state("VALIDATING"), refusal)))
                .isEqualTo("Central refuses it: " + refusal + "\n");

        central(List.of(MISSING, ID, state("PUBLISHED")), "--push").expectOut();
        assertThat(uploads()).hasSize(2);
    }

    /** The job has a limit too, but says nothing at its end. */
    @Test
    void nobodyWaitsForever() throws Exception {
        List<String> answers = new ArrayList<>(List.of(MISSING, ID));
        answers.addAll(Collections.nCopies(1_000, state("PUBLISHING")));

        assertThat(refusal(answers)).startsWith("Central has it, and has not said that it is published: {");
    }

    @Test
    void theReleaseOnGitHubHasTheNotesAndTheChartAndIsMadeOnce() throws Exception {
        write("project/CHANGELOG.md", "## [7.8.9]\n\nSee [a page](docs/page.md).\n");
        program("gh", """
                [ "$2" = create ] || exec test -e made
                echo "$@" >> made
                """);
        Path made = project.resolve("made");
        run("chart").expectOut();

        assertThat(run("github").expectOut().strip()).isEqualTo("""
                See [a page](https://example.com/project/blob/v7.8.9/docs/page.md).
                target/release/controller-manager-7.8.9.tgz""");
        assertThat(made).doesNotExist();

        run("github", "--push").expectOut();
        assertThat(run("github", "--push").expectOut()).endsWith("v7.8.9 is on GitHub already\n");
        assertThat(made)
                .hasContent("release create v7.8.9 --verify-tag --title 7.8.9 --notes-file target/release/notes.md"
                        + " target/release/controller-manager-7.8.9.tgz");
    }

    private static String state(String state) {
        return "{\"deploymentId\":\"" + ID + "\",\"deploymentState\":\"" + state + "\"}";
    }

    private String refusal(List<String> answers) throws IOException, InterruptedException {
        Answer answer = central(answers, "--push");
        assertThat(answer.exitCode()).isEqualTo(1);
        return answer.err();
    }

    private Answer central(List<String> answers, String... arguments) throws IOException, InterruptedException {
        Files.write(project.resolve("answers"), answers);
        return run("central", arguments);
    }

    private Answer run(String script, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                "PATH=" + path(),
                "CENTRAL_USERNAME=name",
                "CENTRAL_PASSWORD=password",
                "PROJECT_URL=https://example.com/project",
                project.resolve("release").resolve(script).toString()));
        command.addAll(List.of(arguments));
        return Programs.run(Path.of("env"), command);
    }

    private List<String> uploads() throws IOException {
        return Files.readAllLines(project.resolve("asked")).stream()
                .filter(request -> request.contains("/upload?"))
                .toList();
    }

    /** The programs of this test before all others, and {@code jar} of this JVM's JDK. */
    private String path() {
        return String.join(
                File.pathSeparator,
                directory.resolve("bin").toString(),
                Path.of(System.getProperty("java.home"), "bin").toString(),
                System.getenv("PATH"));
    }

    private void program(String name, String script) throws IOException {
        Path program = write("bin/" + name, "#!/bin/sh\n" + script);
        assertThat(program.toFile().setExecutable(true)).isTrue();
    }

    private Path write(String file, String content) throws IOException {
        Path path = directory.resolve(file);
        Files.createDirectories(path.getParent());
        return Files.writeString(path, content);
    }
}
