package io.controllermanager.app.outside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.app.process.Image;
import io.controllermanager.app.rights.InstalledOperator;
import io.controllermanager.app.support.Programs;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.util.FileSystemUtils;

/** An application out of the archetype: made, built, tested and installed as somebody would who has just begun. */
@RealControlPlane
@Tag("system")
class ArchetypeIT {

    private static final String GENERATE = "org.apache.maven.plugins:maven-archetype-plugin:"
            + System.getProperty("maven-archetype-plugin.version") + ":generate";

    /** The projects stay there, for whoever wants to look at them. */
    private static final Path DIRECTORY = Path.of("target", "archetype").toAbsolutePath();

    private static final Path PROJECT = DIRECTORY.resolve("greeting-operator");
    private static final Path RIGHTS =
            PROJECT.resolve("src/main/resources/META-INF/controller-manager/rbac/greeting.yaml");
    private static final Path JAR = PROJECT.resolve("target/greeting-operator.jar");
    private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

    /** The audit log has neither that an apply creates nor what an admission plugin asks for. */
    private static final Set<String> NOT_SEEN = Set.of("create configmaps", "update greetings/finalizers");

    private static final String NAMESPACE = "team-of-the-greeting";

    private static BuiltArtifacts artifacts;

    /** With its tests. */
    @BeforeAll
    static void makeAndBuild(@TempDir Path repository) throws Exception {
        FileSystemUtils.deleteRecursively(DIRECTORY);
        Files.createDirectories(DIRECTORY);
        artifacts = new BuiltArtifacts(repository);
        artifacts.maven(DIRECTORY, generate("greeting-operator"));
        build(PROJECT);
    }

    @AfterAll
    static void forget() throws IOException {
        artifacts.close();
    }

    @Test
    void isTestedAndSaysItsVersion() throws Exception {
        assertThat(PROJECT.resolve("target/surefire-reports/TEST-com.example.app.GreetingOperatorTests.xml"))
                .content()
                .contains("converges", "heals", "cleansUp");
        Programs.Answer answer = Programs.run(JAVA, List.of("-jar", JAR.toString(), "--version"));
        assertThat(answer.expectOut()).isEqualTo("greeting-operator 1.0.0\n");
        assertThat(PROJECT.resolve(".gitignore")).exists();
    }

    /** Its plural is not the usual one. */
    @Test
    void hasTheKindThatIsAskedFor() throws Exception {
        artifacts.maven(DIRECTORY, generate("policy-operator", "-Dkind=Policy", "-Dgroup=rules.example.org"));

        Path project = DIRECTORY.resolve("policy-operator");
        assertThat(project.resolve("config/crd/policies.rules.example.org.yaml"))
                .exists();
        build(project);
    }

    @ParameterizedTest
    @CsvSource({
        "Upper_Case, -Dkind=Greeting, artifactId must match, Upper_Case",
        "bad-kind, -Dkind=greeting, kind must match, greeting",
        "bad-group, -Dgroup=example, group must match, example"
    })
    void refusesANameThatCannotBe(String artifactId, String option, String error, String value) throws Exception {
        assertThat(artifacts.failingMaven(DIRECTORY, generate(artifactId, option)))
                .contains(error, "but is \"" + value + "\"");
    }

    /** Each leaves in the build's log the line that differs. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "src/main/java/com/example/app/Greeting.java | Spec( | Spec(int size,      | +                size:",
                "src/main/java/com/example/app/Greeting.java | group = \"example.com\" | group = \"example.org\" | greetings.example.org.yaml",
                "src/main/java/com/example/app/Greeting.java | What is wanted. | Wanted.   | +              description: Wanted.",
                "src/main/java/com/example/app/GreetingReconciler.java | .force() | .force().prunes() | +    verbs: [get, list, watch, create, patch, delete]",
                "config/crd/greetings.example.com.yaml       | minLength: 1 | minLength: 2 | +                  minLength: 1"
            })
    void isNotBuiltWithWhatTheClassesDoNotSay(
            String file, String before, String after, String shown, @TempDir Path copy) throws Exception {
        FileSystemUtils.copyRecursively(PROJECT.resolve("src/main"), copy.resolve("src/main"));
        FileSystemUtils.copyRecursively(PROJECT.resolve("config"), copy.resolve("config"));
        Files.copy(PROJECT.resolve("pom.xml"), copy.resolve("pom.xml"));
        Path drifted = copy.resolve(file);
        assertThat(drifted).content().contains(before);
        Files.writeString(drifted, Files.readString(drifted).replace(before, after));

        assertThat(artifacts.failingMaven(copy, "verify", version()))
                .contains("controller-manager-maven-plugin", ":check", shown);
    }

    /** By the command of its README. */
    @Test
    void installedByHelmItWorksWithTheRightsThatItDeclares(
            ControlPlane plane, @TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory) throws Exception {
        try (InstalledOperator operator = InstalledOperator.install(
                plane,
                Image.ofOneJar(JAR),
                "greeting-operator",
                directory,
                "--values=" + PROJECT.resolve("config/chart/values.yaml"),
                "--set-file=rights.greeting=" + RIGHTS,
                "--set-file=customResources.greetings=" + PROJECT.resolve("config/crd/greetings.example.com.yaml"))) {
            operator.awaitReady();
            kubectl(plane, "create", "namespace", NAMESPACE);
            kubectl(plane, "apply", "-f", PROJECT.resolve("config/samples").toString());
            await().until(
                            () -> kubectl(
                                    plane, "get", "greeting/hello", "--output=jsonpath={.status.conditions[0].status}"),
                            "True"::equals);
            assertThat(kubectl(plane, "get", "configmap/hello", "--output=jsonpath={.data.message}"))
                    .isEqualTo("Hello, world");

            operator.uninstall();

            operator.expectAllUsed(RIGHTS, NOT_SEEN);
        }
    }

    private static String[] generate(String artifactId, String... options) {
        List<String> arguments = new ArrayList<>(List.of(
                GENERATE,
                "-DarchetypeCatalog=internal",
                "-DarchetypeGroupId=io.controllermanager",
                "-DarchetypeArtifactId=controller-manager-archetype",
                "-DarchetypeVersion=" + artifacts.version(),
                "-DgroupId=com.example",
                "-DartifactId=" + artifactId,
                "-Dversion=1.0.0",
                "-Dpackage=com.example.app"));
        arguments.addAll(List.of(options));
        return arguments.toArray(String[]::new);
    }

    private static void build(Path project) throws Exception {
        artifacts.maven(project, "verify", version());
    }

    /** The archetype names that of this build. */
    private static String version() {
        return "-Dversion.controller-manager=" + artifacts.version();
    }

    private static String kubectl(ControlPlane plane, String... arguments) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--namespace=" + NAMESPACE);
        return Programs.runOn(plane, "kubectl", all.toArray(String[]::new)).expectOut();
    }
}
