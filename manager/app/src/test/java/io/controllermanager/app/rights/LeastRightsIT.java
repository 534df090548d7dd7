package io.controllermanager.app.rights;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.app.install.Chart;
import io.controllermanager.app.install.Chart.Rendered;
import io.controllermanager.app.process.Image;
import io.controllermanager.app.rights.Combination.Election;
import io.controllermanager.app.support.Manifests;
import io.controllermanager.app.support.Programs;
import io.controllermanager.testing.controlplane.Binaries;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.util.Yaml;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesApi;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rendered Deployment, run for real with its service account's token: by the audit log nothing that it asks for is
 * refused, and every right that it was granted is used; without any one of them something does not work that should.
 *
 * <p>Installations run beside each other as far as they cannot meet: on control planes of their own, or in namespaces of
 * their own.
 */
@Tag("deep")
class LeastRightsIT {

    private static final Logger log = LoggerFactory.getLogger(LeastRightsIT.class);

    private static final Path CONFIG = Manifests.configDirectory();
    private static final String FOOS = "samplecontroller.k8s.io_foos.yaml";
    private static final String NETWORKS = "sample.k8s.io_networks.yaml";

    private static final Set<String> NONE = Set.of();
    private static final Set<String> FOO = Set.of("foo");
    private static final Set<String> NETWORK = Set.of("network");
    private static final Set<String> BOTH = Set.of("foo", "network");

    private static final Combination WITHOUT_STATUS = Combination.of(FOO, true)
            .option("--values="
                    + CONFIG.resolveSibling("charts/controller-manager/ci")
                            .resolve("foo-without-status-subresource-values.yaml"));

    private static final String KUSTOMIZED = "config/default";

    private static final Map<String, CompletableFuture<Void>> RESULTS = new LinkedHashMap<>();
    private static final List<TestCluster> CLUSTERS = new ArrayList<>();
    private static final List<Thread> LANES = new ArrayList<>();

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    static Path directory;

    private static @Nullable Image image;

    @BeforeAll
    static void start() throws Exception {
        image = Image.shared();
        TestCluster foo = cluster(FOOS);
        TestCluster network = cluster(NETWORKS);
        TestCluster both = cluster(FOOS, NETWORKS);
        Combination aLeaseForEach = Combination.of(BOTH, true)
                .election(Election.LEASE_PER_CONTROLLER)
                .withStandby();
        lane(
                "foo",
                installation(foo, Combination.of(FOO, false)),
                installation(foo, Combination.of(FOO, true)),
                installation(foo, Combination.of(FOO, true).election(Election.NONE)),
                step(WITHOUT_STATUS.toString(), () -> withoutStatusSubresource(foo)));
        lane(
                "network",
                installation(network, Combination.of(NETWORK, false)),
                installation(network, Combination.of(NETWORK, true)),
                step(KUSTOMIZED, () -> kustomized(network)));
        // On planes that lack one of the CRDs. Where no controller runs, no Lease is taken.
        lane(
                "none",
                installation(foo, Combination.of(NONE, false).election(Election.NONE)),
                installation(network, Combination.of(NONE, true).election(Election.NONE)));
        lane("each", installation(both, aLeaseForEach));
        lane(
                "both",
                installation(both, Combination.of(BOTH, true).withStandby()),
                () -> awaitEnd(aLeaseForEach.toString()),
                installation(both, Combination.of(BOTH, false).withStandby()));
        LANES.forEach(Thread::start);
    }

    private static TestCluster cluster(String... crds) throws Exception {
        TestCluster cluster = TestCluster.start();
        CLUSTERS.add(cluster);
        for (String crd : crds) {
            Manifests.apply(cluster.admin(), CONFIG.resolve("crd/bases/" + crd));
        }
        return cluster;
    }

    /** What runs one after the other. */
    private static void lane(String name, Runnable... steps) {
        LANES.add(new Thread(() -> List.of(steps).forEach(Runnable::run), "least-rights-" + name));
    }

    private static Runnable installation(TestCluster cluster, Combination combination) {
        return step(combination.toString(), () -> install(cluster, combination));
    }

    private static Runnable step(String name, Step step) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        RESULTS.put(name, result);
        return () -> {
            long begun = System.nanoTime();
            try {
                step.run();
                result.complete(null);
            } catch (Throwable e) {
                result.completeExceptionally(e);
                log.atError().addKeyValue("installation", name).setCause(e).log("Failed");
            }
            log.atInfo()
                    .addKeyValue("installation", name)
                    .addKeyValue("seconds", (System.nanoTime() - begun) / 1_000_000_000)
                    .addKeyValue("failed", result.isCompletedExceptionally())
                    .log("Ended");
        };
    }

    private interface Step {
        void run() throws Exception;
    }

    private static void awaitEnd(String name) {
        Objects.requireNonNull(RESULTS.get(name)).handle((done, failed) -> true).join();
    }

    private static Image image() {
        return Objects.requireNonNull(image);
    }

    private static void install(TestCluster cluster, Combination combination) throws Exception {
        String system = cluster.createNamespace("system");
        String watched = cluster.createNamespace("watched");
        Rendered rendered = Chart.own().render(combination.values(system, watched));
        try (Run run = new Run(cluster, image(), rendered, system, watched, combination.controllers(), directory)) {
            if (combination.namespaced()) {
                assertThat(run.granted().stream()
                                .filter(right -> right.namespace().isEmpty()))
                        .allMatch(right -> right.resource().endsWith("reviews"));
            }
            run.start(combination.replicas());
            if (combination.replicas() > 1) {
                run.failOver();
            } else {
                run.expectNoComplaint();
            }
            run.loseLease();
            run.expectAllUsed(Set.of());
            run.failWithout(run.granted());
            run.finish();
        }
    }

    /** The status is written with the Foo, for which the example asks for one more right. */
    private static void withoutStatusSubresource(TestCluster cluster) throws Exception {
        new DynamicKubernetesApi("apiextensions.k8s.io", "v1", "customresourcedefinitions", cluster.admin())
                .patch(
                        "foos.samplecontroller.k8s.io",
                        V1Patch.PATCH_FORMAT_JSON_PATCH,
                        new V1Patch("[{\"op\":\"remove\",\"path\":\"/spec/versions/0/subresources\"}]"))
                .throwsApiException();
        String system = cluster.createNamespace("system");
        String watched = cluster.createNamespace("watched");
        Rendered rendered = Chart.own().render(WITHOUT_STATUS.values(system, watched));
        try (Run run = new Run(cluster, image(), rendered, system, watched, FOO, directory)) {
            run.start(1);
            run.loseLease();
            run.expectAllUsed(Set.of("patch foos/status"));
            run.failWithout(run.granted().stream()
                    .filter(right -> right.what().equals("patch foos"))
                    .toList());
            run.finish();
        }
    }

    /** What {@code kubectl apply -k config/default} makes; by another test it differs from the chart in labels alone. */
    private static void kustomized(TestCluster cluster) throws Exception {
        Manifests.apply(cluster.admin(), CONFIG.resolve("crd/bases/" + FOOS));
        String all = Programs.run(
                        Binaries.locate().program("kubectl"),
                        List.of("kustomize", CONFIG.resolve("default").toString()))
                .expectOut();
        String withoutCrds = Stream.of(all.split("(?m)^---$"))
                .filter(document -> !document.contains("\nkind: CustomResourceDefinition\n"))
                .collect(Collectors.joining("---"));
        Rendered rendered = new Rendered(Yaml.loadAll(withoutCrds));
        String system = rendered.one(V1Namespace.class).getMetadata().getName();
        cluster.createNamespaceCalled(system);
        try (Run run =
                new Run(cluster, image(), rendered, system, cluster.createNamespace("watched"), BOTH, directory)) {
            run.start(1);
            run.loseLease();
            run.expectAllUsed(Set.of());
            run.finish();
        }
    }

    static Set<String> installations() {
        return RESULTS.keySet();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("installations")
    void hasAllRightsThatItNeedsAndNoOther(String installation) throws Throwable {
        try {
            Objects.requireNonNull(RESULTS.get(installation)).get();
        } catch (ExecutionException e) {
            throw e.getCause();
        }
    }

    @AfterAll
    static void stop() throws InterruptedException {
        for (Thread lane : LANES) {
            lane.interrupt();
            lane.join();
        }
        CLUSTERS.forEach(TestCluster::close);
    }
}
