package io.controllermanager.app.outside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.app.image.Container;
import io.controllermanager.app.image.Dockerfile;
import io.controllermanager.app.install.Chart;
import io.controllermanager.app.process.Image;
import io.controllermanager.app.rights.InstalledOperator;
import io.controllermanager.app.support.Manifests;
import io.controllermanager.app.support.Programs;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.controllermanager.testing.support.Jdk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.FileSystemUtils;

/** {@code examples/website}, copied, built and installed as somebody would who has nothing but it. */
@RealControlPlane
@Tag("system")
class WebsiteExampleIT {

    private static final Path EXAMPLE = Manifests.configDirectory().resolveSibling("examples/website");
    private static final Path ALL_RIGHTS = EXAMPLE.resolve("src/main/resources/META-INF/controller-manager/rbac");
    private static final Path RIGHTS = ALL_RIGHTS.resolve("website.yaml");

    /** It stays there, for whoever wants to look at it. */
    private static final Path COPY = Path.of("target", "website").toAbsolutePath();

    /**
     * Whether these are needed is not shown here. The audit log has neither that an apply creates nor what an admission
     * plugin asks for, and an object is read where a copy is behind, which happens by chance.
     */
    private static final Set<String> NOT_SEEN = Set.of(
            "create configmaps", "create deployments", "create services", "update websites/finalizers", "get websites");

    /** Where the Website is. */
    private static final String NAMESPACE = "team-of-the-website";

    private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");
    private static final Path JAR = COPY.resolve("target/website-operator.jar");

    /** With its tests. */
    @BeforeAll
    static void buildOutsideTheReactor(@TempDir Path directory) throws Exception {
        copyExample();
        try (BuiltArtifacts artifacts = new BuiltArtifacts(directory)) {
            artifacts.maven(COPY, "verify", artifacts.versionOption());
        }
    }

    @Test
    void isTestedAndSaysItsVersion() throws Exception {
        assertThat(COPY.resolve("target/surefire-reports")).isNotEmptyDirectory();
        Programs.Answer answer = Programs.run(JAVA, List.of("-jar", JAR.toString(), "--version"));
        assertThat(answer.expectOut()).isEqualTo("website-operator 1.0.0\n");
    }

    /** By the command of its README. */
    @Test
    void installedByHelmItWorksWithTheRightsThatItDeclares(
            ControlPlane plane, @TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory) throws Exception {
        try (InstalledOperator operator = install(plane, directory)) {
            operator.awaitReady();
            assertThat(kubectl(plane, "explain", "website.spec.host").replaceAll("\\s+", " "))
                    .contains(
                            "The host name that the page is served under. One Website in the cluster has it, the first.");
            kubectl(plane, "create", "namespace", NAMESPACE);
            kubectl(plane, "apply", "-f", EXAMPLE.resolve("config/samples").toString());
            awaitReason(plane, "Starting");

            // Nothing runs containers here.
            kubectl(
                    plane,
                    "patch",
                    "deployment/hello",
                    "--subresource=status",
                    "--type=merge",
                    "--patch={\"status\":{\"replicas\":2,\"readyReplicas\":2,\"availableReplicas\":2}}");
            awaitReason(plane, "Served");
            kubectl(plane, "get", "configmap/hello", "service/hello");

            kubectl(plane, "delete", "website/hello");
            operator.uninstall();

            operator.expectAllUsed(RIGHTS, NOT_SEEN);
        }
    }

    /** The image of the example's own Dockerfile. */
    @Test
    void itsImageStartsFromItsCacheAndReconciles(@TempDir Path directory) throws Exception {
        Path context = directory.resolve("context");
        Files.createDirectories(context.resolve("target"));
        Files.copy(JAR, context.resolve("target").resolve(JAR.getFileName()));
        Jdk jdk = Jdk.ofTheImage();

        Dockerfile.Stage image = Dockerfile.follow(EXAMPLE.resolve("Dockerfile"), context, Map.of(), directory, jdk);

        assertThat(image.workingDirectory().resolve("application.aot")).isNotEmptyFile();
        Container.live(image.workingDirectory(), image.entryPoint(), image.environment(), jdk, Container.Work.WEBSITE);
    }

    /**
     * The audit log shows no write by the operator for a thousand Websites at rest, and for an edit exactly those that it
     * asks for.
     */
    @Test
    @Tag("deep")
    void writesNothingForAThousandWebsitesAtRest(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory)
            throws Exception {
        // By itself it has addresses for 254 Services.
        try (ControlPlane plane = ControlPlane.builder()
                        .apiServerFlag("service-cluster-ip-range", "10.0.0.0/16")
                        .start();
                InstalledOperator operator = install(
                        plane,
                        directory,
                        "--set=authentication.enabled=false",
                        "--set=properties.management\\.endpoint\\.controllers\\.access=unrestricted")) {
            operator.awaitReady();

            new ManyWebsites(plane, operator, directory).play();

            operator.uninstall();
        }
    }

    private static void awaitReason(ControlPlane plane, String reason) {
        await(reason)
                .until(
                        () -> kubectl(
                                plane, "get", "website/hello", "--output=jsonpath={.status.conditions[0].reason}"),
                        reason::equals);
    }

    private static String kubectl(ControlPlane plane, String... arguments) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--namespace=" + NAMESPACE);
        return Programs.runOn(plane, "kubectl", all.toArray(String[]::new)).expectOut();
    }

    private static InstalledOperator install(ControlPlane plane, Path directory, String... options) throws Exception {
        List<String> all = new ArrayList<>(List.of(
                "--set=image.repository=registry.example.com/website-operator",
                "--set=image.tag=1.0.0",
                "--set-file=rights.website=" + RIGHTS,
                "--set-file=rights.webhooks=" + ALL_RIGHTS.resolve("webhooks.yaml"),
                "--set-file=webhooks.manifests=" + EXAMPLE.resolve("config/webhook/manifests.yaml"),
                "--set-file=customResources.websites=" + EXAMPLE.resolve("config/crd/websites.example.com.yaml")));
        all.addAll(List.of(options));
        return InstalledOperator.install(
                plane, Chart.own(), Image.ofOneJar(JAR), "website-operator", directory, all.toArray(String[]::new));
    }

    private static void copyExample() throws IOException {
        FileSystemUtils.deleteRecursively(COPY);
        FileSystemUtils.copyRecursively(EXAMPLE, COPY);
        // Somebody may have built it where it is.
        FileSystemUtils.deleteRecursively(COPY.resolve("target"));
    }
}
