package io.controllermanager.app.rights;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import io.controllermanager.app.install.Chart;
import io.controllermanager.app.process.Image;
import io.controllermanager.app.support.Manifests;
import io.controllermanager.app.support.Programs;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.internal.plan.PlanReport;
import io.controllermanager.foo.Foo;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.testing.controllers.AuditedWrites;
import io.controllermanager.testing.controllers.PlanAndTruth;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.apis.BatchV1Api;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentSpec;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.util.Config;
import java.nio.file.Path;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The chart's Job plans what the chart's Deployment then does, and its account can do nothing but plan. */
@RealControlPlane
@Tag("system")
class DryRunIT {

    private static final String RELEASE = "planned";

    /** The Job's container has a token of its pod, and the test has another. */
    private static final String OF_A_POD = "authentication.kubernetes.io/pod-name";

    private static final Path SAMPLES = Manifests.configDirectory().resolve("samples");

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    @Test
    void plansWhatTheReleaseDoesAndMayDoNothingElse(ControlPlane plane) throws Exception {
        TestCluster cluster = TestCluster.of(plane);
        Manifests.applyCrds(cluster.admin(), Manifests.configDirectory());
        String watched = cluster.createNamespace("watched");
        Programs.runOn(plane, "kubectl", "apply", "-k", SAMPLES.toString(), "--namespace=" + watched)
                .expectOut();
        Programs.runOn(
                        plane,
                        "helm",
                        "install",
                        RELEASE,
                        Chart.own().directory().toString(),
                        "--namespace=" + RELEASE,
                        "--create-namespace",
                        "--set=crds.install=false",
                        "--set=namespaces={" + watched + "}",
                        "--set=dryRun.enabled=true",
                        "--set=dryRun.output=json")
                .expectOut();
        PlanAndTruth both = new PlanAndTruth(
                TestedServer.of(plane),
                watched,
                "apis/samplecontroller.k8s.io/v1alpha1/foos",
                "apis/apps/v1/deployments",
                "apis/sample.k8s.io/v1/networks");
        try {
            V1PodTemplateSpec job = new BatchV1Api(cluster.admin())
                    .listNamespacedJob(RELEASE)
                    .execute()
                    .getItems()
                    .get(0)
                    .getSpec()
                    .getTemplate();
            String account = job.getSpec().getServiceAccountName();
            expectRefusals(
                    Config.fromToken(plane.apiServerUrl().toString(), cluster.token(RELEASE, account), false), watched);

            Map<String, JsonObject> before = both.objects();
            PlanReport plan = plan(cluster, job, PlanReport.CHANGES);
            assertThat(plan.notes()).singleElement().asString().startsWith("the API server refuses what is no dry run");
            assertThat(both.objects()).isEqualTo(before);
            try (RenderedPod pod = RenderedPod.start(
                    Image.shared(), InstalledOperator.template(cluster, RELEASE), RELEASE, cluster, directory)) {
                await().untilAsserted(() -> both.expect(plan, before));
                pod.delete(cluster.admin());
            }
            assertThat(plan(cluster, job, PlanReport.NO_CHANGE).changes()).isEmpty();

            String user = "system:serviceaccount:" + RELEASE + ":" + account;
            assertThat(AuditedWrites.of(plane.auditLog(), "\"" + user + "\""))
                    .filteredOn(event -> event.toString().contains(OF_A_POD))
                    .hasSizeGreaterThanOrEqualTo(plan.changes().size())
                    .allMatch(AuditedWrites::isDryRun);
        } finally {
            Programs.runOn(plane, "helm", "uninstall", RELEASE, "--namespace=" + RELEASE)
                    .expectOut();
        }
    }

    /** Runs the Job's container. */
    private PlanReport plan(TestCluster cluster, V1PodTemplateSpec job, int code) throws Exception {
        try (RenderedPod pod = RenderedPod.start(Image.shared(), job, RELEASE, cluster, directory)) {
            assertThat(pod.exitCode()).as(pod.log()).isEqualTo(code);
            // What it logs goes elsewhere in a cluster.
            String log = "\n" + pod.log();
            String json = log.substring(log.indexOf("\n{\n"), log.indexOf("\n}\n") + 2);
            return new Gson().fromJson(json, PlanReport.class);
        }
    }

    /** By the policy: its rights would let it. */
    private static void expectRefusals(ApiClient account, String namespace) throws ApiException {
        ResourceClient<Foo> foos = new ResourceClient<>(account, Foo.TYPE);
        // The API server may take a moment to know of the policy; this one would change nothing.
        await().untilAsserted(
                        () -> expectRefusal(() -> foos.patchStatus(namespace, "example-foo", new Patch.Merge("{}"))));
        AppsV1Api apps = new AppsV1Api(account);
        Map<String, String> labels = Map.of("app", "direct");
        V1Deployment deployment = new V1Deployment()
                .metadata(new V1ObjectMeta().name("direct"))
                .spec(new V1DeploymentSpec()
                        .selector(new V1LabelSelector().matchLabels(labels))
                        .template(new V1PodTemplateSpec()
                                .metadata(new V1ObjectMeta().labels(labels))
                                .spec(new V1PodSpec()
                                        .addContainersItem(
                                                new V1Container().name("main").image("main")))));
        expectRefusal(
                () -> apps.createNamespacedDeployment(namespace, deployment).execute());
        apps.createNamespacedDeployment(namespace, deployment).dryRun("All").execute();
    }

    private static void expectRefusal(ThrowingCallable write) {
        assertThatThrownBy(write)
                .isInstanceOfSatisfying(
                        ApiException.class,
                        refusal ->
                                assertThat(refusal.getResponseBody()).contains("This account may only make dry runs."));
    }
}
