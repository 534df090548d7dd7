package io.controllermanager.app.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.app.support.Manifests;
import io.controllermanager.app.support.Programs;
import io.controllermanager.app.support.Programs.Answer;
import io.controllermanager.app.support.YamlDocument;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.controllermanager.testing.support.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The chart in a real cluster, whose nodes only say that they run what they are given, by the real helm. */
@RealControlPlane(controllerManager = true, scheduler = true, kwokNodes = 2)
@Tag("system")
class ChartInstallIT {

    private static final Chart CHART = Chart.own();
    private static final Path CONFIG = Manifests.configDirectory();
    private static final String FOOS = "foos.samplecontroller.k8s.io";
    /** What comes and goes by itself, and what is there for each CRD. */
    private static final Set<String> FLEETING = Set.of("Event", "Lease", "APIService", "CustomResourceDefinition");

    private static ControlPlane plane;

    @TempDir
    Path directory;

    @BeforeAll
    static void prepareControlPlane(ControlPlane started) throws Exception {
        plane = started;
        for (String namespace : List.of("system", "team-a", "team-b", "controller-manager-system")) {
            kubectl("create", "namespace", namespace).expectOut();
        }
        kubectl(
                        "label",
                        "namespace",
                        "system",
                        "pod-security.kubernetes.io/enforce=restricted",
                        "pod-security.kubernetes.io/warn=restricted")
                .expectOut();
        for (Path crd : PrometheusOperator.crds()) {
            kubectl("create", "-f", crd.toString()).expectOut();
        }
        for (String kind : List.of("servicemonitors", "podmonitors", "prometheusrules")) {
            kubectl(
                            "wait",
                            "--for=condition=Established",
                            "crd/" + kind + ".monitoring.coreos.com",
                            "--timeout=" + Waiting.LIMIT.toSeconds() + "s")
                    .expectOut();
        }
    }

    static List<Path> examples() throws IOException {
        return CHART.examples();
    }

    /** A warning would be about Pod Security, or about a field that goes away. */
    @ParameterizedTest
    @MethodSource("examples")
    void theApiServerTakesEachObjectOfEachExample(Path values) throws Exception {
        String rendered = CHART.template("--values", values.toString()).expectOut();
        Path file = Files.writeString(directory.resolve("rendered.yaml"), rendered);

        Answer answer = dryRun("-f", file);

        assertThat(answer.exitCode()).as(answer.err()).isZero();
        assertThat(answer.err()).isEmpty();
        assertThat(answer.out().lines()).hasSameSizeAs(YamlDocument.all(rendered));
    }

    /** The same for what needs no Helm. */
    @Test
    void theApiServerTakesEachObjectOfConfig() throws Exception {
        for (String folder : List.of("default", "openshift", "prometheus", "network-policy")) {
            Answer answer = dryRun("-k", CONFIG.resolve(folder));
            assertThat(answer.exitCode()).as(answer.err()).isZero();
            assertThat(answer.err()).isEmpty();
        }
    }

    private static Answer dryRun(String option, Path what) throws Exception {
        return kubectl(
                "apply",
                "--server-side",
                "--force-conflicts",
                "--dry-run=server",
                "--validate=strict",
                option,
                what.toString());
    }

    @Test
    void comesChangesGoesBackAndLeavesNothingButCrds() throws Exception {
        kubectl("apply", "--server-side", "-k", CONFIG.resolve("crd").toString())
                .expectOut();
        Set<String> before = objects();

        assertThat(helm("install", "cm", CHART.directory().toString()).err()).contains("cannot be imported");
        helm("install", "cm", CHART.directory().toString(), "--take-ownership", "--force-conflicts", "--wait")
                .expectOut();
        assertThat(field("deployment/cm-controller-manager", "{.status.readyReplicas}"))
                .isEqualTo("2");
        soon("people may look at Foos")
                .untilAsserted(() -> assertThat(field("clusterrole/view", "{.rules}"))
                        .contains("samplecontroller.k8s.io", "sample.k8s.io"));
        assertThat(helm("test", "cm").expectOut()).contains("Succeeded");

        Chart changed = CHART.copyTo(directory.resolve("chart"));
        Path crd = changed.directory().resolve("files/crds/samplecontroller.k8s.io_foos.yaml");
        Files.writeString(crd, Files.readString(crd).replace("name: Replicas", "name: Wanted"));
        helm(
                        "upgrade",
                        "cm",
                        changed.directory().toString(),
                        "--force-conflicts",
                        "--wait",
                        "--set=replicas=3,controllers={foo}")
                .expectOut();
        assertThat(field("deployment/cm-controller-manager", "{.status.readyReplicas}"))
                .isEqualTo("3");
        assertThat(field("clusterrole/cm-controller-manager-system", "{.rules}"))
                .doesNotContain("networks");
        assertThat(columns()).contains("Wanted").doesNotContain("Replicas");
        assertThat(field("crd/networks.sample.k8s.io", "{.metadata.name}")).isNotEmpty();

        helm("rollback", "cm", "1", "--wait").expectOut();
        assertThat(field("deployment/cm-controller-manager", "{.spec.replicas}"))
                .isEqualTo("2");
        assertThat(field("clusterrole/cm-controller-manager-system", "{.rules}"))
                .contains("networks");
        assertThat(columns()).contains("Replicas").doesNotContain("Wanted");

        helm("uninstall", "cm", "--wait").expectOut();
        soon("nothing is left").untilAsserted(() -> assertThat(objects()).isEqualTo(before));
        assertThat(columns()).contains("Replicas");
    }

    static List<String> crds() {
        return List.of("samplecontroller.k8s.io_foos.yaml", "sample.k8s.io_networks.yaml");
    }

    /** By the descriptions in their CRDs, which are written for users. */
    @ParameterizedTest
    @MethodSource("crds")
    void kubectlExplainsWhatThereIsInASpec(String file) throws Exception {
        kubectl(
                        "apply",
                        "--server-side",
                        "--force-conflicts",
                        "-k",
                        CONFIG.resolve("crd").toString())
                .expectOut();
        YamlDocument crd = YamlDocument.all(
                        Files.readString(CONFIG.resolve("crd/bases").resolve(file)))
                .get(0);
        String plural = (String) crd.at("spec", "names", "plural");
        Map<String, Object> spec =
                crd.mapAt("spec", "versions", 0, "schema", "openAPIV3Schema", "properties", "spec", "properties");

        soon(file + " is explained").until(() -> kubectl("explain", plural).exitCode() == 0);
        for (Map.Entry<String, Object> field : spec.entrySet()) {
            String description = (String) YamlDocument.map(field.getValue()).get("description");
            assertThat(words(kubectl("explain", plural + ".spec." + field.getKey())
                            .expectOut()))
                    .contains(words(description));
        }
    }

    private static String words(String text) {
        return text.replaceAll("\\s+", " ").strip();
    }

    private static String columns() throws Exception {
        return field("crd/" + FOOS, "{.spec.versions[0].additionalPrinterColumns[*].name}");
    }

    private static String field(String object, String path) throws Exception {
        return kubectl("--namespace=system", "get", object, "--output=jsonpath=" + path)
                .expectOut();
    }

    /** All that there is, by namespace, kind and name. */
    private static Set<String> objects() throws Exception {
        String kinds = kubectl("api-resources", "--verbs=list", "--output=name")
                .expectOut()
                .lines()
                .collect(Collectors.joining(","));
        String columns = "--output=custom-columns=N:.metadata.namespace,K:.kind,O:.metadata.name";
        return kubectl("get", kinds, "--all-namespaces", "--no-headers", columns)
                .expectOut()
                .lines()
                .filter(line -> !FLEETING.contains(line.split(" +", -1)[1]))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static ConditionFactory soon(String what) {
        return await(what).pollInterval(Duration.ofMillis(250));
    }

    private static Answer kubectl(String... arguments) throws IOException, InterruptedException {
        return Programs.runOn(plane, "kubectl", arguments);
    }

    private static Answer helm(String... arguments) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--namespace=system");
        return Programs.runOn(plane, "helm", all.toArray(String[]::new));
    }
}
