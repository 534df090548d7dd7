package io.controllermanager.app.outside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.app.install.Chart;
import io.controllermanager.app.process.Image;
import io.controllermanager.app.rights.InstalledOperator;
import io.controllermanager.app.support.Manifests;
import io.controllermanager.app.support.Programs;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.kubernetes.client.util.Config;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesApi;
import io.kubernetes.client.util.generic.dynamic.Dynamics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.FileSystemUtils;

/**
 * The way of {@code docs/upgrading-types.md} with {@code examples/website}: release 1 stores v1beta1, release 2 is the example,
 * release 3 has no v1beta1. Each is built from the example and installed by helm, in two pods, on a real API server.
 */
@Tag("deep")
class ThreeReleasesIT {

    private static final Path EXAMPLE = Manifests.configDirectory().resolveSibling("examples/website");
    private static final String SOURCES = "src/main/java/com/example/website/";
    private static final String CRD = "crd/websites.example.com";
    private static final Duration LONGEST = Duration.ofMinutes(20);

    /** Built once: a release is a folder with all that helm is given. */
    private static Path releases;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    @BeforeAll
    static void buildThree(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path built, @TempDir Path repository)
            throws Exception {
        releases = built;
        try (BuiltArtifacts artifacts = new BuiltArtifacts(repository)) {
            for (int release = 1; release <= 3; release++) {
                Path copy = built.resolve(Integer.toString(release));
                FileSystemUtils.copyRecursively(EXAMPLE, copy);
                FileSystemUtils.deleteRecursively(copy.resolve("target"));
                FileSystemUtils.deleteRecursively(copy.resolve("src/test"));
                change(copy, release);
                artifacts.maven(
                        copy,
                        "process-classes",
                        "io.controllermanager:controller-manager-maven-plugin:" + artifacts.version() + ":generate",
                        "-Dcontroller-manager.allow-breaking-changes=true",
                        artifacts.versionOption());
                artifacts.maven(copy, "package", artifacts.versionOption());
            }
        }
    }

    private static void change(Path copy, int release) throws IOException {
        Path current = copy.resolve(SOURCES + "Website.java");
        Path old = copy.resolve(SOURCES + "webhook/WebsiteV1Beta1.java");
        if (release == 1) {
            replace(current, "version = \"v1\"", "version = \"v1\", storage = false");
            replace(old, ", storage = false", "");
        } else if (release == 3) {
            Files.delete(old);
            Files.delete(copy.resolve(SOURCES + "webhook/WebsiteConverter.java"));
        }
    }

    private static void replace(Path file, String before, String after) throws IOException {
        String text = Files.readString(file);
        assertThat(text).contains(before);
        Files.writeString(file, text.replace(before, after));
    }

    @Test
    void someObjectsGoAllTheWay() throws Exception {
        goAllTheWay(1_000, 0);
    }

    @Test
    void manyObjectsGoAllTheWay() throws Exception {
        goAllTheWay(20_000, 10_000);
    }

    /**
     * Installs the three releases one after the other, with the way back.
     *
     * @param objects how many are stored
     * @param converted how many others go from one version to the other and back while both are served
     */
    private void goAllTheWay(int objects, int converted) throws Exception {
        try (ControlPlane plane = ControlPlane.builder().start();
                InstalledOperator operator = InstalledOperator.install(
                        plane, Chart.own(), image(1), "website-operator", directory, options(1))) {
            operator.awaitReady();
            operator.addPod(image(1));
            create(plane, objects);
            awaitStored(plane, "[\"v1beta1\"]");

            try (ReadEachSecond reads = new ReadEachSecond(plane, objects > 1_000 ? 30 : 1, "v1", "v1beta1")) {
                operator.upgrade(image(2), options(2));
                await("some are stored again")
                        .atMost(LONGEST)
                        .until(() -> migration(plane).matches(".*\"next\":\".+\".*\"seen\":[1-9].*")
                                || stored(plane).equals("[\"v1\"]"));
                // A thousand may all be stored by the time that the second pod is up.
                assertThat(stored(plane)).contains(objects > 1_000 ? List.of("v1beta1", "v1\"") : List.of("v1\""));
                reads.excuseWhile(operator::killLeader);
                operator.addPod(image(2));
                awaitStored(plane, "[\"v1\"]");

                operator.upgrade(image(1), options(1));
                awaitStored(plane, "[\"v1beta1\"]");

                operator.upgrade(image(2), options(2));
                awaitStored(plane, "[\"v1\"]");
                reads.expectSuccess();
            }
            if (converted > 0) {
                RandomWebsites.convert(plane, converted);
            }
            try (ReadEachSecond reads = new ReadEachSecond(plane, objects > 1_000 ? 30 : 1, "v1")) {
                operator.upgrade(image(3), options(3));
                assertThat(field(plane, "{.spec.versions[*].name}")).isEqualTo("v1");
                assertThat(stored(plane)).isEqualTo("[\"v1\"]");
                reads.expectSuccess();
            }
            assertThat(kubectl(plane, "get", "websites", "--output=jsonpath={.items[*].spec.html}")
                            .split(" "))
                    .hasSize(objects)
                    .containsOnly("page");
            operator.uninstall();
        }
    }

    /** Half of them in each version, at several at a time. */
    private static void create(ControlPlane plane, int objects) throws Exception {
        var client = Config.fromConfig(plane.kubeconfigFile().toString());
        List<String> failures = IntStream.range(0, objects)
                .parallel()
                .mapToObj(i -> {
                    boolean old = i % 2 == 0;
                    String version = old ? "v1beta1" : "v1";
                    var answer = new DynamicKubernetesApi("example.com", version, "websites", client)
                            .create(Dynamics.newFromJson("""
                            {"apiVersion": "example.com/%s", "kind": "Website",
                             "metadata": {"name": "site-%d", "namespace": "default"},
                             "spec": {"host": "site-%d.example.com", "%s": "page", "replicas": 0}}""".formatted(version, i, i, old ? "page" : "html")));
                    return answer.isSuccess() ? "" : answer.getStatus().getMessage();
                })
                .filter(failure -> !failure.isEmpty())
                .toList();
        assertThat(failures).isEmpty();
    }

    private static void awaitStored(ControlPlane plane, String versions) {
        // Each look is a process of kubectl, which takes processor time from what is waited for.
        await(versions)
                .atMost(LONGEST)
                .pollInterval(Duration.ofSeconds(1))
                .until(() -> stored(plane), versions::equals);
    }

    private static String stored(ControlPlane plane) throws IOException, InterruptedException {
        return field(plane, "{.status.storedVersions}");
    }

    private static String migration(ControlPlane plane) throws IOException, InterruptedException {
        return field(plane, "{.metadata.annotations.controller-manager\\.io/storage-migration}");
    }

    private static String field(ControlPlane plane, String path) throws IOException, InterruptedException {
        return kubectl(plane, "get", CRD, "--output=jsonpath=" + path);
    }

    private static String kubectl(ControlPlane plane, String... arguments) throws IOException, InterruptedException {
        return Programs.runOn(plane, "kubectl", arguments).expectOut();
    }

    private static Image image(int release) {
        return Image.ofOneJar(folder(release).resolve("target/website-operator.jar"));
    }

    private static Path folder(int release) {
        return releases.resolve(Integer.toString(release));
    }

    /** The controller is off: what it makes of a thousand Websites is nothing to this. */
    private static String[] options(int release) {
        Path rights = folder(release).resolve("src/main/resources/META-INF/controller-manager/rbac");
        return List.of(
                        "--set=image.repository=registry.example.com/website-operator",
                        "--set=image.tag=1." + release,
                        "--set=properties.controller-manager\\.controller\\.website\\.enabled=false",
                        "--set-file=rights.website=" + rights.resolve("website.yaml"),
                        "--set-file=rights.webhooks=" + rights.resolve("webhooks.yaml"),
                        "--set-file=webhooks.manifests=" + folder(release).resolve("config/webhook/manifests.yaml"),
                        "--set-file=customResources.websites="
                                + folder(release).resolve("config/crd/websites.example.com.yaml"))
                .toArray(String[]::new);
    }
}
