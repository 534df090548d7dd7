package io.controllermanager.app.rights;

import io.controllermanager.app.install.Chart;
import io.controllermanager.app.process.Image;
import io.controllermanager.app.support.Programs;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.support.Waiting;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1PolicyRule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * An application that helm has installed by our chart on a real API server. A process of this machine stands for the
 * container of its one pod, and has the pod's environment and its service account's token. For one thread.
 */
public final class InstalledOperator implements AutoCloseable {

    private final String release;
    private final TestCluster cluster;
    private final RenderedPod pod;
    private final AuditTrail trail;

    private InstalledOperator(String release, TestCluster cluster, RenderedPod pod, AuditTrail trail) {
        this.release = release;
        this.cluster = cluster;
        this.pod = pod;
        this.trail = trail;
    }

    /**
     * Has helm install a release, and starts a pod of its Deployment.
     *
     * @param image what the container runs
     * @param release the release's name, and that of a namespace that helm makes for it
     * @param directory for files of the pod
     * @param options of helm
     */
    public static InstalledOperator install(
            ControlPlane plane, Image image, String release, Path directory, String... options)
            throws IOException, InterruptedException, ApiException {
        List<String> helm = new ArrayList<>(List.of(
                "install",
                release,
                Chart.own().directory().toString(),
                "--namespace=" + release,
                "--create-namespace"));
        helm.addAll(List.of(options));
        Programs.runOn(plane, "helm", helm.toArray(String[]::new)).expectOut();
        Programs.runOn(
                        plane,
                        "kubectl",
                        "wait",
                        "--for=condition=Established",
                        "crd",
                        "--all",
                        "--timeout=" + Waiting.LIMIT.toSeconds() + "s")
                .expectOut();
        TestCluster cluster = TestCluster.of(plane);
        V1PodTemplateSpec template = new AppsV1Api(cluster.admin())
                .listNamespacedDeployment(release).execute().getItems().stream()
                        .findAny()
                        .orElseThrow()
                        .getSpec()
                        .getTemplate();
        String account = Objects.requireNonNull(template.getSpec()).getServiceAccountName();
        return new InstalledOperator(
                release,
                cluster,
                RenderedPod.start(image, template, release, cluster, directory),
                new AuditTrail(plane.auditLog(), "system:serviceaccount:" + release + ":" + account));
    }

    /** Waits for the pod's probes. */
    public void awaitReady() {
        pod.awaitReady();
    }

    /** What the process has complained of so far. */
    public List<String> complaints() {
        return Complaints.of(pod.log());
    }

    /** What the API server has refused so far, as a person reads it. */
    public List<String> refused() {
        return trail.forbidden();
    }

    /** What the rules grant and the audit log does not show to have been used, such as {@code get configmaps}. */
    public Set<String> unused(List<V1PolicyRule> rules) {
        List<Right> granted =
                rules.stream().flatMap(rule -> Right.of(rule, "").stream()).toList();
        return trail.unused(granted).stream().map(Right::what).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Deletes the pod, which has to end cleanly by SIGTERM, and has helm uninstall the release. */
    public void uninstall() throws IOException, InterruptedException, ApiException {
        pod.delete(cluster.admin());
        Programs.runOn(cluster.plane(), "helm", "uninstall", release, "--namespace=" + release)
                .expectOut();
    }

    @Override
    public void close() throws IOException {
        pod.close();
    }
}
