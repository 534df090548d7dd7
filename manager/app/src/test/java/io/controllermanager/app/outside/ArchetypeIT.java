package io.controllermanager.app.outside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.app.install.Chart;
import io.controllermanager.app.process.Image;
import io.controllermanager.app.rights.InstalledOperator;
import io.controllermanager.app.support.Programs;
import io.controllermanager.app.support.YamlDocument;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.kubernetes.client.openapi.models.V1ClusterRole;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.util.Yaml;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
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

    /** The projects stay there, for whoever wants to look at them. */
    private static final Path DIRECTORY = Path.of("target", "archetype").toAbsolutePath();

    private static final Path PROJECT = DIRECTORY.resolve("greeting-operator");
    private static final Path RIGHTS =
            PROJECT.resolve("src/main/resources/META-INF/controller-manager/rbac/greeting.yaml");
    private static final Path CRD = PROJECT.resolve("config/crd/greetings.example.com.yaml");
    private static final Path JAR = PROJECT.resolve("target/greeting-operator.jar");
    private static final Chart CHART = new Chart(PROJECT.resolve("chart"));
    private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

    /** The audit log has neither that an apply creates nor what an admission plugin asks for; no child is adopted. */
    private static final Set<String> NOT_SEEN =
            Set.of("create configmaps", "get greetings", "update greetings/finalizers");

    private static final String NAMESPACE = "team-of-the-greeting";

    /** As its README says it. */
    private static final String OPEN_SHIFT =
            "--set=podSecurityContext.runAsUser=null,podSecurityContext.runAsGroup=null";

    private static BuiltArtifacts artifacts;

    /** With its tests. */
    @BeforeAll
    static void makeAndBuild(@TempDir Path repository) throws Exception {
        FileSystemUtils.deleteRecursively(DIRECTORY);
        Files.createDirectories(DIRECTORY);
        artifacts = new BuiltArtifacts(repository);
        artifacts.maven(DIRECTORY, artifacts.archetype("greeting-operator"));
        assertThat(artifacts.warnings()).isEmpty();
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

    /** Its plural is not the usual one. The first project's build has filled the local repository. */
    @Test
    void hasTheKindThatIsAskedForAndIsBuiltOffline() throws Exception {
        artifacts.maven(
                DIRECTORY, artifacts.archetype("policy-operator", "-Dkind=Policy", "-Dgroup=rules.example.org"));

        Path project = DIRECTORY.resolve("policy-operator");
        assertThat(project.resolve("config/crd/policies.rules.example.org.yaml"))
                .exists();
        build(project, "--offline");
    }

    /** With another plural too, and without what belongs to webhooks where there is none. */
    @Test
    void hasAWebhookIfThatIsAskedFor() throws Exception {
        artifacts.maven(
                DIRECTORY,
                artifacts.archetype(
                        "webhook-operator", "-Dkind=Policy", "-Dgroup=rules.example.org", "-Dwebhooks=true"));
        Path project = DIRECTORY.resolve("webhook-operator");

        build(project);

        assertThat(project.resolve("target/surefire-reports/TEST-com.example.app.PolicyValidatorTests.xml"))
                .content()
                .contains("refusesAMessageThatAnotherHas");
        List<YamlDocument> documents = new Chart(project.resolve("chart")).documents();
        assertThat(YamlDocument.ofKind("ValidatingWebhookConfiguration", documents)
                        .at("webhooks", 0, "clientConfig", "service", "name"))
                .isEqualTo("cm-webhook-operator-webhooks");
        try (Stream<Path> files = Files.walk(PROJECT)) {
            assertThat(files.filter(file -> !file.startsWith(PROJECT.resolve("target"))))
                    .noneMatch(file -> file.toString().matches(".*/(webhooks?|webhooks.yaml|GreetingValidator.*)")
                            && !file.endsWith("templates/webhooks.yaml"));
        }
        assertThat(PROJECT.resolve("pom.xml")).content().doesNotContain("webhook", "#");
        assertThat(PROJECT.resolve("README.md")).content().doesNotContain("webhook");
    }

    @ParameterizedTest
    @CsvSource({
        "bad-webhooks, -Dwebhooks=yes, webhooks must match, yes",
        "Upper_Case, -Dkind=Greeting, artifactId must match, Upper_Case",
        "bad-kind, -Dkind=greeting, kind must match, greeting",
        "bad-group, -Dgroup=example, group must match, example",
        "bad-version, -Dversion=1.0.0+5, version must match, 1.0.0+5"
    })
    void refusesANameThatCannotBe(String artifactId, String option, String error, String value) throws Exception {
        assertThat(artifacts.failingMaven(DIRECTORY, artifacts.archetype(artifactId, option)))
                .contains(error, "but is \"" + value + "\"");
    }

    /** Each is a module of one build, which goes on after the first that fails. */
    @Test
    void isNotBuiltWithWhatTheClassesDoNotSay(@TempDir Path directory) throws Exception {
        StringBuilder modules = new StringBuilder();
        for (Drift drift : Drift.values()) {
            drift.writeTo(directory.resolve(drift.name()));
            modules.append("<module>%s</module>".formatted(drift));
        }
        Files.writeString(directory.resolve("pom.xml"), """
                <project xmlns="http://maven.apache.org/POM/4.0.0">
                  <modelVersion>4.0.0</modelVersion>
                  <groupId>com.example</groupId>
                  <artifactId>drifts</artifactId>
                  <version>1</version>
                  <packaging>pom</packaging>
                  <modules>%s</modules>
                </project>
                """.formatted(modules));

        String log = artifacts.failingMaven(directory, "test", "--fail-at-end", artifacts.versionOption());

        for (Drift drift : Drift.values()) {
            assertThat(log)
                    .containsPattern("controller-manager-maven-plugin:\\S+:check .* on project " + drift + ":")
                    .contains(drift.shown);
        }
    }

    /** A change to the project's files, and a line that differs from then on. */
    private enum Drift {
        FIELD("src/main/java/com/example/app/Greeting.java", "Spec(", "Spec(int size,", "+                size:"),
        GROUP(
                "src/main/java/com/example/app/Greeting.java",
                "group = \"example.com\"",
                "group = \"example.org\"",
                "greetings.example.org.yaml"),
        COMMENT(
                "src/main/java/com/example/app/Greeting.java",
                "What is wanted.",
                "Wanted.",
                "+              description: Wanted."),
        RIGHT(
                "src/main/java/com/example/app/GreetingReconciler.java",
                ".force()",
                ".force().prunes()",
                "+    verbs: [get, list, watch, create, patch, delete]"),
        CRD("config/crd/greetings.example.com.yaml", "minLength: 1", "minLength: 2", "+                  minLength: 1"),
        CRD_OF_THE_CHART(
                "chart/files/crds/greetings.example.com.yaml",
                "minLength: 1",
                "minLength: 3",
                "-                  minLength: 3"),
        RIGHT_OF_THE_CHART("chart/rbac/greeting.yaml", ", patch]", "]", "-    verbs: [get, list, watch, create]");

        private final String file;
        private final String before;
        private final String after;
        private final String shown;

        Drift(String file, String before, String after, String shown) {
            this.file = file;
            this.before = before;
            this.after = after;
            this.shown = shown;
        }

        private void writeTo(Path copy) throws IOException {
            FileSystemUtils.copyRecursively(PROJECT.resolve("src/main"), copy.resolve("src/main"));
            FileSystemUtils.copyRecursively(PROJECT.resolve("config"), copy.resolve("config"));
            FileSystemUtils.copyRecursively(PROJECT.resolve("chart"), copy.resolve("chart"));
            replace(PROJECT.resolve("pom.xml"), copy.resolve("pom.xml"), ">greeting-operator<", ">" + name() + "<");
            replace(copy.resolve(file), copy.resolve(file), before, after);
        }

        private static void replace(Path from, Path to, String before, String after) throws IOException {
            assertThat(from).content().contains(before);
            Files.writeString(to, Files.readString(from).replace(before, after));
        }
    }

    /** It has what ours has, without a value: the name and the version are the project's, rights and CRD those of its classes. */
    @Test
    void hasAChartOfItsOwn() throws Exception {
        assertThat(CHART.lint().exitCode()).isZero();
        for (String file : List.of(".helmignore", "values.yaml", "values.schema.json", "templates/_helpers.tpl")) {
            assertThat(CHART.directory().resolve(file))
                    .hasSameTextualContentAs(Chart.own().directory().resolve(file));
        }
        Chart.Rendered release = CHART.render();
        V1Container container = release.pod().getContainers().get(0);
        assertThat(container.getImage()).isEqualTo("greeting-operator:1.0.0");
        assertThat(container.getStartupProbe().getHttpGet().getPath()).isEqualTo("/actuator/health/liveness");
        assertThat(container.getLivenessProbe().getHttpGet().getPath()).isEqualTo("/actuator/health/liveness");
        assertThat(container.getReadinessProbe().getHttpGet().getPath()).isEqualTo("/actuator/health/readiness");
        assertThat(release.all(V1ClusterRole.class))
                .filteredOn(role ->
                        "cm-greeting-operator-system".equals(role.getMetadata().getName()))
                .singleElement()
                .satisfies(role -> assertThat(role.getRules())
                        .containsAll(Yaml.loadAs(Files.readString(RIGHTS), V1ClusterRole.class)
                                .getRules()));
        List<YamlDocument> documents = CHART.documents();
        assertThat(YamlDocument.ofKind("CustomResourceDefinition", documents).mapAt("spec"))
                .isEqualTo(YamlDocument.all(Files.readString(CRD)).get(0).mapAt("spec"));
        assertThat(YamlDocument.ofKind("Deployment", CHART.documents(OPEN_SHIFT))
                        .mapAt("spec", "template", "spec", "securityContext"))
                .containsOnlyKeys("runAsNonRoot", "seccompProfile");
        assertThat(documents)
                .extracting(document -> document.at("kind"))
                .doesNotContain("ServiceMonitor", "PrometheusRule");

        List<YamlDocument> monitored = CHART.documents(
                "--set=metrics.serviceMonitor.create=true,metrics.prometheusRule.create=true,metrics.dashboard.create=true");

        assertThat(YamlDocument.ofKind("ServiceMonitor", monitored).mapAt("spec", "selector", "matchLabels"))
                .containsEntry("app.kubernetes.io/name", "greeting-operator");
        assertThat(YamlDocument.ofKind("PrometheusRule", monitored).at("spec", "groups", 0, "rules", 0, "alert"))
                .isEqualTo("ControllerManagerDown");
        assertThat(YamlDocument.ofKind("ConfigMap", monitored).mapAt("data")).containsKey("controller-manager.json");
    }

    /** By the command of its README. */
    @Test
    void installedByHelmItWorksWithTheRightsThatItDeclares(
            ControlPlane plane, @TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory) throws Exception {
        try (InstalledOperator operator = InstalledOperator.install(
                plane,
                CHART,
                Image.ofOneJar(JAR),
                "greeting-operator",
                directory,
                "--set=image.repository=registry.example.com/greeting-operator")) {
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

    private static void build(Path project, String... options) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("verify", artifacts.versionOption()));
        arguments.addAll(List.of(options));
        artifacts.maven(project, arguments.toArray(String[]::new));
    }

    private static String kubectl(ControlPlane plane, String... arguments) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--namespace=" + NAMESPACE);
        return Programs.runOn(plane, "kubectl", all.toArray(String[]::new)).expectOut();
    }
}
