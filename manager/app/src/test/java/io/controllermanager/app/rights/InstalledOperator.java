package io.controllermanager.app.rights;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.app.install.Chart;
import io.controllermanager.app.process.Image;
import io.controllermanager.app.support.Programs;
import io.controllermanager.app.support.YamlDocument;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.support.Waiting;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.models.V1ClusterRole;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.util.Yaml;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An application that helm has installed on a real API server. Processes of this machine stand for the containers of its pods, one
 * unless more are asked for, and have the pods' environment and their service account's token. For one thread.
 */
public final class InstalledOperator implements AutoCloseable {

    private final String release;
    private final TestCluster cluster;
    private final Chart chart;
    private final Path directory;
    private final AuditTrail trail;
    private final WebhookEndpoints endpoints;
    private final List<RenderedPod> pods = new ArrayList<>();

    private InstalledOperator(
            String release, TestCluster cluster, Chart chart, Path directory, AuditTrail trail, RenderedPod pod) {
        this.release = release;
        this.cluster = cluster;
        this.chart = chart;
        this.directory = directory;
        this.trail = trail;
        this.endpoints = new WebhookEndpoints(cluster.admin(), release);
        pods.add(pod);
    }

    /**
     * Has helm install a release, and starts a pod of its Deployment.
     *
     * @param chart ours, or the application's own
     * @param image what the container runs
     * @param release the release's name, and that of a namespace that helm makes for it
     * @param directory for files of the pod
     * @param options of helm
     */
    public static InstalledOperator install(
            ControlPlane plane, Chart chart, Image image, String release, Path directory, String... options)
            throws IOException, InterruptedException, ApiException {
        helm(plane, "install", release, chart, options);
        TestCluster cluster = TestCluster.of(plane);
        V1PodTemplateSpec template = template(cluster, release);
        String account = Objects.requireNonNull(template.getSpec()).getServiceAccountName();
        return new InstalledOperator(
                release,
                cluster,
                chart,
                directory,
                new AuditTrail(plane.auditLog(), "system:serviceaccount:" + release + ":" + account),
                RenderedPod.start(image, template, release, cluster, directory));
    }

    private static void helm(ControlPlane plane, String command, String release, Chart chart, String... options)
            throws IOException, InterruptedException {
        List<String> helm = new ArrayList<>(List.of(
                command,
                release,
                chart.directory().toString(),
                "--namespace=" + release,
                // A leader that a busy machine keeps from renewing for 10 s would have something to complain of.
                "--set=leaderElection.leaseDuration=60s,leaderElection.renewDeadline=50s"));
        if (command.equals("install")) {
            helm.add("--create-namespace");
        }
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
    }

    static V1PodTemplateSpec template(TestCluster cluster, String release) throws ApiException {
        return new AppsV1Api(cluster.admin())
                .listNamespacedDeployment(release).execute().getItems().stream()
                        .findAny()
                        .orElseThrow()
                        .getSpec()
                        .getTemplate();
    }

    /** Starts one more pod, waits until it is ready, and has requests for webhooks go there too. */
    public void addPod(Image image) throws IOException, ApiException {
        RenderedPod pod = RenderedPod.start(image, template(cluster, release), release, cluster, directory);
        pods.add(pod);
        pod.awaitReady();
        endpoints.add(pod);
    }

    /** Has helm upgrade the release, and puts as many new pods in the place of the old ones, each once a new one is ready. */
    public void upgrade(Image image, String... options) throws IOException, InterruptedException, ApiException {
        helm(cluster.plane(), "upgrade", release, chart, options);
        for (RenderedPod old : List.copyOf(pods)) {
            addPod(image);
            endpoints.remove(old);
            old.delete(cluster.admin());
            old.close();
            pods.remove(old);
        }
    }

    /** Kills the container of the pod that leads. It is not started again, and requests for webhooks go to it until the end of this. */
    public void killLeader() throws IOException, InterruptedException, ApiException {
        String holder = Programs.runOn(
                        cluster.plane(),
                        "kubectl",
                        "get",
                        "leases",
                        "--namespace=" + release,
                        "--output=jsonpath={.items[*].spec.holderIdentity}")
                .expectOut();
        RenderedPod leader = pods.stream()
                .filter(pod -> holder.contains(pod.name()))
                .findAny()
                .orElseThrow();
        leader.kill();
        endpoints.remove(leader);
        leader.close();
        pods.remove(leader);
    }

    /**
     * What the operator has written so far: how often, by verb and resource, such as {@code patch deployments}. Leases and
     * Events are left out: they are none of its controller's objects.
     */
    public Map<String, Long> writes() {
        return trail.requests().stream()
                .filter(AuditTrail.Request::isWrite)
                .map(request -> Objects.requireNonNull(request.right()).what())
                .filter(what -> !what.endsWith(" leases") && !what.endsWith(" events"))
                .collect(Collectors.groupingBy(what -> what, TreeMap::new, Collectors.counting()));
    }

    /** How often a controller has reconciled in this container so far, whatever came of it. */
    public long reconciles(String controller) {
        return (long) metric("controller_runtime_reconcile_total{controller=\"" + controller + "\"");
    }

    /** Whether a controller has nothing to do: no key waits, and none is reconciled. */
    public boolean isIdle(String controller) {
        return metric("workqueue_depth{controller=\"" + controller + "\"") == 0
                && metric("controller_runtime_active_workers{controller=\"" + controller + "\"") == 0;
    }

    /** The sum of a metric's samples that begin so. */
    private double metric(String prefix) {
        return pod().get("/actuator/prometheus", "")
                .body()
                .lines()
                .filter(line -> line.startsWith(prefix))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    /** Does something to a controller, as somebody would by its endpoint; for an operator that asks nobody who they are. */
    public void act(String controller, String json) {
        RenderedPod.Answer answer = pod().post("/actuator/controllers/" + controller, "", json);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }

    /** Kills the container and waits until another is ready in the same pod. */
    public void killAndRestart() throws IOException, InterruptedException {
        pod().killAndRestart();
        pod().awaitReady();
    }

    /** Waits for the pod's probes, and has requests for webhooks go there. */
    public void awaitReady() throws ApiException {
        pod().awaitReady();
        endpoints.add(pod());
    }

    private RenderedPod pod() {
        return pods.get(0);
    }

    /**
     * Nothing was refused, nothing was complained of, and all that the file declares was asked for.
     *
     * @param notSeen what the audit log does not show, such as {@code get configmaps}
     */
    public void expectAllUsed(Path rights, Set<String> notSeen) throws IOException {
        assertThat(trail.forbidden()).isEmpty();
        YamlDocument file = YamlDocument.all(Files.readString(rights)).get(0);
        List<Right> granted = new ArrayList<>(granted(file.at("rules"), ""));
        granted.addAll(granted(file.at("hostRules"), release));
        assertThat(trail.unused(granted)).extracting(Right::what).isSubsetOf(notSeen);
        assertThat(Complaints.of(pod().log())).isEmpty();
    }

    private static List<Right> granted(@Nullable Object rules, String namespace) {
        String role = Yaml.dump(Map.of("rules", rules == null ? List.of() : rules));
        return Yaml.loadAs(role, V1ClusterRole.class).getRules().stream()
                .flatMap(rule -> Right.of(rule, namespace).stream())
                .toList();
    }

    /** Deletes the pod, which has to end cleanly by SIGTERM, and has helm uninstall the release. */
    public void uninstall() throws IOException, InterruptedException, ApiException {
        for (RenderedPod pod : pods) {
            endpoints.remove(pod);
            pod.delete(cluster.admin());
        }
        Programs.runOn(cluster.plane(), "helm", "uninstall", release, "--namespace=" + release)
                .expectOut();
    }

    @Override
    public void close() throws IOException {
        for (RenderedPod pod : pods) {
            pod.close();
        }
    }
}
