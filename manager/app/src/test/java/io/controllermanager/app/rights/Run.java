package io.controllermanager.app.rights;

import static io.controllermanager.app.rights.Stage.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.app.install.Chart.Rendered;
import io.controllermanager.app.process.Image;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ClusterRole;
import io.kubernetes.client.openapi.models.V1PolicyRule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One installation, from its first pod to its last. For one thread. */
final class Run implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Run.class);

    /**
     * The audit log does not show the first, which an admission plugin asks for; the second is needed only where a copy is
     * behind, which happens by chance. That both are needed is shown by taking them away.
     */
    private static final Set<String> NOT_SEEN = Set.of("update foos/finalizers", "get deployments");

    private final TestCluster cluster;
    private final Image image;
    private final Release release;
    private final Path directory;
    private final Set<String> controllers;
    private final AuditTrail trail;
    private final Stage stage;
    private final List<Work> works = new ArrayList<>();
    private final LeaseWork leases;
    private final List<RenderedPod> pods = new ArrayList<>();
    private int readers;

    /**
     * With no pod yet.
     *
     * @param watched a namespace where the controllers work
     * @param controllers those that are on
     * @param directory for files of the pods
     */
    Run(
            TestCluster cluster,
            Image image,
            Rendered rendered,
            String system,
            String watched,
            Set<String> controllers,
            Path directory)
            throws ApiException {
        this.cluster = cluster;
        this.image = image;
        this.release = Release.install(cluster, rendered, system);
        this.directory = directory;
        this.controllers = controllers;
        this.trail = new AuditTrail(cluster.plane().auditLog(), release.user());
        cluster.allow(
                system + "-operator",
                List.of(new V1PolicyRule()
                        .nonResourceURLs(List.of("/actuator/*"))
                        .verbs(List.of("get", "post"))),
                "system:serviceaccount:" + system + ":operator");
        this.stage = new Stage(cluster, release, trail, watched, cluster.token(system, "operator"));
        this.leases = new LeaseWork(stage);
        if (controllers.contains("foo")) {
            works.add(new FooWork(stage));
        }
        if (controllers.contains("network")) {
            works.add(new NetworkWork(stage));
        }
        List<V1PolicyRule> mayRead = metricsReader(rendered);
        works.add(new EndpointWork(stage, () -> {
            String reader = "reader-" + ++readers;
            cluster.allow(system + "-" + reader, mayRead, "system:serviceaccount:" + system + ":" + reader);
            return cluster.token(system, reader);
        }));
    }

    /** What the release has for those who read metrics, if it has. */
    private static List<V1PolicyRule> metricsReader(Rendered rendered) {
        return rendered.all(V1ClusterRole.class).stream()
                .filter(role ->
                        Objects.requireNonNull(role.getMetadata().getName()).endsWith("metrics-reader"))
                .findAny()
                .map(V1ClusterRole::getRules)
                .orElseGet(() -> List.of(new V1PolicyRule()
                        .nonResourceURLs(List.of("/actuator/prometheus"))
                        .verbs(List.of("get"))));
    }

    List<Right> granted() {
        return release.granted();
    }

    /** Starts pods, and has all work done once by the one that leads. */
    void start(int replicas) throws Exception {
        for (int i = 0; i < replicas; i++) {
            pods.add(RenderedPod.start(image, release.pod(), release.namespace(), cluster, directory));
        }
        pods.forEach(RenderedPod::awaitReady);
        // Where each controller has a Lease they share them, and that is settled when nobody is without.
        int leaders = Math.min(replicas, leases.count());
        soon(
                "as many lead as can",
                () -> assertThat(pods.stream().filter(this::leads))
                        .hasSizeGreaterThanOrEqualTo(leaders)
                        .isNotEmpty());
        stage.enter(pods.stream().filter(this::leads).findAny().orElseThrow());
        round("first");
    }

    private boolean leads(RenderedPod pod) {
        return stage.get(pod, "/actuator/leaderelection").contains("\"leading\":true");
    }

    /** Has the other pod take over, and then its container killed; its token is renewed, and the first is revoked. */
    void failOver() throws Exception {
        RenderedPod leader = stage.pod();
        RenderedPod other = pods.get(pods.get(0) == leader ? 1 : 0);
        leader.delete(cluster.admin());
        stage.enter(other);
        leases.awaitLeading();
        round("second");
        String first = other.mountRevocableToken(cluster.admin());
        other.killAndRestart();
        other.awaitReady();
        leases.awaitLeading();
        other.renewToken(cluster.admin());
        round("third");
        soon(
                "the first token is revoked",
                () -> assertThat(cluster.knows(first)).isFalse());
        round("fourth");
    }

    /** Plays with the Lease, if there is one. */
    void loseLease() throws Exception {
        leases.round("lost");
    }

    /** Waits until a Lease was renewed, which is the first update of one that was made. */
    void awaitRenewal() {
        soon(
                "a Lease is renewed",
                () -> assertThat(trail.unused(release.granted()))
                        .noneMatch(right -> right.what().equals("update leases")));
    }

    /** Nothing was refused, what was granted was asked for, and what is off was not. */
    void expectAllUsed(Set<String> notNeeded) {
        assertThat(trail.forbidden()).isEmpty();
        assertThat(trail.unused(release.granted()))
                .allMatch(right -> NOT_SEEN.contains(right.what()) || notNeeded.contains(right.what()));
        expectNothingOf("foo");
        expectNothingOf("network");
    }

    /** Where it is off. */
    private void expectNothingOf(String controller) {
        if (!controllers.contains(controller)) {
            assertThat(trail.requests()).noneMatch(request -> request.uri().contains(controller));
        }
    }

    /**
     * Nobody has anything to complain of, but for the Deployment of somebody else's that a Foo wants, for an API server that
     * takes its time where the machine is busy, and for that no controller runs where all are off.
     */
    void expectNoComplaint() {
        assertThat(Complaints.of(stage.pod().log()))
                .allMatch(line -> line.contains("already exists and is not managed by Foo")
                        || (controllers.isEmpty() && line.contains("No controller runs")));
    }

    /** Takes away each of these rights. */
    void failWithout(List<Right> rights) throws Exception {
        Map<Proof.Group, List<Proof>> groups = rights.stream()
                .map(right -> workThatNeeds(right).proof(right))
                .sorted(Comparator.comparingInt(Proof::position))
                .collect(Collectors.groupingBy(Proof::group, TreeMap::new, Collectors.toList()));
        for (Map.Entry<Proof.Group, List<Proof>> group : groups.entrySet()) {
            long begun = System.nanoTime();
            stage.without(group.getValue());
            log.atInfo()
                    .addKeyValue("namespace", release.namespace())
                    .addKeyValue("group", group.getKey())
                    .addKeyValue("rights", group.getValue().size())
                    .addKeyValue("milliseconds", (System.nanoTime() - begun) / 1_000_000)
                    .log("Each is needed");
        }
    }

    private Work workThatNeeds(Right right) {
        if (leases.needs(right)) {
            return leases;
        }
        return works.stream()
                .filter(work -> work.needs(right))
                .findFirst()
                .orElseThrow(() -> new AssertionError("nothing is known to need the right to " + right));
    }

    private void round(String name) throws Exception {
        for (Work work : works) {
            work.round(name);
        }
    }

    /** The pod has survived it all, and ends as it should. */
    void finish() throws Exception {
        assertThat(stage.pod().isAlive()).as(stage.pod().log()).isTrue();
        stage.pod().delete(cluster.admin());
    }

    @Override
    public void close() throws IOException, ApiException {
        for (RenderedPod pod : pods) {
            pod.close();
        }
        release.close();
    }
}
