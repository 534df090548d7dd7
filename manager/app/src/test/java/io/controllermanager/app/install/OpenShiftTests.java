package io.controllermanager.app.install;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.app.install.Chart.Rendered;
import io.controllermanager.app.support.Manifests;
import io.controllermanager.app.support.Programs;
import io.controllermanager.app.support.YamlDocument;
import io.controllermanager.testing.controlplane.Binaries;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1SecurityContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * OpenShift's SCC restricted-v2 takes the pods of chart and {@code config} where they name no user. That they pass Pod Security
 * all the same is for {@link ChartInstallIT}, which gives the same files to an API server.
 */
@Tag("system")
class OpenShiftTests {

    private static final Chart CHART = Chart.own();
    private static final Path CONFIG = Manifests.configDirectory();
    private static final String WITHOUT_USER =
            "--set=podSecurityContext.runAsUser=null,podSecurityContext.runAsGroup=null";

    /** As OpenShift gives a namespace users, in its annotation {@code openshift.io/sa.scc.uid-range}. */
    private static final RestrictedV2 SCC = new RestrictedV2(1_000_680_000, 10_000);

    @Test
    void theDefaultsNameAUserWhichAnotherClusterNeeds() throws Exception {
        List<V1PodSpec> pods = pods(CHART.render());

        assertThat(pods).hasSize(2).allSatisfy(pod -> {
            assertThat(SCC.refusals(pod)).containsExactly("runAsUser 65532 is none of the namespace's");
            assertThat(pod.getSecurityContext().getRunAsUser()).isEqualTo(65532);
            assertThat(pod.getSecurityContext().getRunAsGroup()).isEqualTo(65532);
            assertThat(pod.getContainers().get(0).getSecurityContext().getReadOnlyRootFilesystem())
                    .isTrue();
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                WITHOUT_USER,
                "--set=podSecurityContext.runAsUser=null",
                "--values=ci/openshift-values.yaml",
                "--set=podSecurityContext.runAsUser=1000680000,podSecurityContext.fsGroup=1000680000",
                WITHOUT_USER
                        + ",tls.secretName=tls,imagePullSecrets[0].name=registry,shards.foo=16,networkPolicy.create=true",
            })
    void takesThePodsOfTheChart(String options) throws Exception {
        List<V1PodSpec> pods = pods(CHART.render(options.replace("ci/", CHART.directory() + "/ci/")));

        assertThat(pods).hasSize(2).allSatisfy(pod -> {
            assertThat(SCC.refusals(pod)).isEmpty();
            assertThat(pod.getSecurityContext().getRunAsNonRoot()).isTrue();
            assertThat(pod.getSecurityContext().getSeccompProfile().getType()).isEqualTo("RuntimeDefault");
            V1SecurityContext container = pod.getContainers().get(0).getSecurityContext();
            assertThat(container.getAllowPrivilegeEscalation()).isFalse();
            assertThat(container.getCapabilities().getDrop()).containsExactly("ALL");
        });
    }

    @ParameterizedTest
    @CsvSource({
        "podSecurityContext.runAsUser=65532, runAsUser 65532 is none of the namespace's",
        "podSecurityContext.fsGroup=65532, fsGroup 65532 is none of the namespace's",
        "podSecurityContext.seccompProfile.type=Unconfined, seccompProfile Unconfined",
        "podSecurityContext.seLinuxOptions.level=s0, seLinuxOptions",
        "securityContext.runAsUser=0, runAsUser 0 is none of the namespace's",
        "securityContext.privileged=true, privileged",
        "securityContext.allowPrivilegeEscalation=true, allowPrivilegeEscalation",
        "securityContext.capabilities.add={SYS_TIME}, capability SYS_TIME",
    })
    void whatTheSccRefusesIsSeen(String value, String refusal) throws Exception {
        assertThat(pods(CHART.render(WITHOUT_USER, "--set", value)))
                .hasSize(2)
                .allSatisfy(pod -> assertThat(SCC.refusals(pod)).containsExactly(refusal));
    }

    @Test
    void whatIsNullIsNotThere() throws Exception {
        assertContexts(
                CHART, WITHOUT_USER, Map.of("runAsNonRoot", true, "seccompProfile", Map.of("type", "RuntimeDefault")));
        assertContexts(CHART, "--set=podSecurityContext=null", Map.of());
        assertThat(YamlDocument.ofKind("Deployment", CHART.documents("--set=securityContext.capabilities=null"))
                        .mapAt("spec", "template", "spec", "containers", 0, "securityContext"))
                .isEqualTo(Map.of("allowPrivilegeEscalation", false, "readOnlyRootFilesystem", true));
    }

    @Test
    void whatIsNullInAChartAroundThisOneIsNotThereEither(@TempDir Path directory) throws Exception {
        Files.writeString(directory.resolve("Chart.yaml"), "{apiVersion: v2, name: around, version: 1.0.0}");
        Files.writeString(
                directory.resolve("values.yaml"),
                "controller-manager: {podSecurityContext: {runAsUser: null, runAsGroup: null}}");
        Path copy = Files.createDirectories(directory.resolve("charts")).resolve("controller-manager");
        CHART.copyTo(copy);

        assertContexts(
                new Chart(directory),
                "--set=controller-manager.replicas=1",
                Map.of("runAsNonRoot", true, "seccompProfile", Map.of("type", "RuntimeDefault")));
    }

    private static void assertContexts(Chart chart, String option, Map<String, Object> context) throws Exception {
        List<YamlDocument> documents = chart.documents(option);
        for (String kind : List.of("Deployment", "Job")) {
            assertThat(YamlDocument.ofKind(kind, documents).mapAt("spec", "template", "spec", "securityContext"))
                    .as(kind)
                    .isEqualTo(context);
        }
    }

    @Test
    void configHasAFolderThatDiffersInTheUserAlone() throws Exception {
        List<YamlDocument> ours = kustomize("default");
        List<YamlDocument> openShift = kustomize("openshift");

        Map<String, Object> context =
                YamlDocument.ofKind("Deployment", ours).mapAt("spec", "template", "spec", "securityContext");
        assertThat(context.remove("runAsUser")).isEqualTo(65532);
        assertThat(context.remove("runAsGroup")).isEqualTo(65532);
        assertThat(openShift).isEqualTo(ours);
    }

    private static List<YamlDocument> kustomize(String folder) throws Exception {
        return YamlDocument.all(Programs.run(
                        Binaries.locate().program("kubectl"),
                        List.of("kustomize", CONFIG.resolve(folder).toString()))
                .expectOut());
    }

    /** What runs and what `helm test` runs. */
    private static List<V1PodSpec> pods(Rendered release) {
        List<V1PodSpec> pods = new ArrayList<>();
        release.all(V1Deployment.class)
                .forEach(deployment ->
                        pods.add(deployment.getSpec().getTemplate().getSpec()));
        release.all(V1Job.class)
                .forEach(job -> pods.add(job.getSpec().getTemplate().getSpec()));
        return pods;
    }
}
