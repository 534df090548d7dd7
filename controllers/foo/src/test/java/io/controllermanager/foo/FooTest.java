package io.controllermanager.foo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.Patch;
import io.controllermanager.test.RunningManager;
import io.controllermanager.testing.bothservers.OnBothServers;
import io.controllermanager.testing.bothservers.TestedServer;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The Foo controller in a running manager, seen from outside as a user sees it. */
@OnBothServers(with = FooCrd.class)
class FooTest {

    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final FooCluster cluster;
    private final FooCrd crd;
    private final String namespace;
    private @Nullable RunningManager running;

    FooTest(TestedServer server, FooCrd crd) {
        this.crd = crd;
        cluster = new FooCluster(server);
        namespace = cluster.createNamespace();
    }

    private void startManager() {
        running = new RunningManager(cluster.recordingClient(requests), namespace, FooController.descriptor());
        manager().awaitIdle(0);
    }

    @BeforeEach
    void start() throws ApiException {
        cluster.installCrd(Foo.TYPE, crd.manifest());
        startManager();
    }

    @AfterEach
    void stop() {
        manager().close();
    }

    private RunningManager manager() {
        return Objects.requireNonNull(running);
    }

    private List<String> writes() {
        return requests.stream().filter(line -> !line.startsWith("GET")).toList();
    }

    /** The Events about a Foo, each as {@code type reason note}. */
    private List<String> events(String name) throws ApiException {
        return cluster.events(namespace, name).stream()
                .map(event -> event.getType() + " " + event.getReason() + " " + event.getNote())
                .toList();
    }

    private void awaitReplicas(String deployment, int replicas) {
        await().untilAsserted(() -> assertThat(
                        cluster.deployment(namespace, deployment).getSpec().getReplicas())
                .isEqualTo(replicas));
    }

    private void awaitAvailable(String foo, int available) {
        await().untilAsserted(() ->
                assertThat(cluster.foo(namespace, foo).availableReplicas()).isEqualTo(available));
    }

    @Test
    void turnsTheExampleIntoADeployment() throws ApiException {
        cluster.foos()
                .patch(namespace, "example-foo", new Patch.Apply(crd.example().json(), "kubectl", false));

        awaitReplicas("example-foo", 1);
        awaitAvailable("example-foo", 0);
        await().untilAsserted(() ->
                assertThat(events("example-foo")).containsExactly("Normal Synced Foo synced successfully"));

        cluster.setAvailableReplicas(namespace, "example-foo", 1);
        awaitAvailable("example-foo", 1);
    }

    @Test
    void keepsReplicasAsTheFooWantsThem() throws ApiException {
        cluster.createFoo(namespace, "foo", "web", 2);
        awaitReplicas("web", 2);

        cluster.patchFoo(namespace, "foo", "{\"spec\":{\"replicas\":5}}");
        awaitReplicas("web", 5);

        cluster.patchDeployment(namespace, "web", "{\"spec\":{\"replicas\":1}}");
        awaitReplicas("web", 5);

        cluster.deployments().delete(namespace, "web");
        awaitReplicas("web", 5);
    }

    @Test
    void leavesAForeignDeploymentAloneUntilItIsGone() throws ApiException {
        V1Deployment foreign = DeploymentTemplate.forFoo(
                new Foo(new V1ObjectMeta().namespace(namespace).name("other"), new FooSpec("web", 1)));
        foreign.getMetadata().setOwnerReferences(null);
        V1Deployment before = cluster.deployments().create(foreign);
        cluster.createFoo(namespace, "foo", "web", 3);

        await().untilAsserted(() -> assertThat(events("foo"))
                .containsExactly(
                        "Warning ErrResourceExists Resource \"web\" already exists and is not managed by Foo"));
        assertThat(cluster.deployment(namespace, "web")).isEqualTo(before);

        cluster.deployments().delete(namespace, "web");
        awaitReplicas("web", 3);
    }

    @Test
    void reportsAnEmptyNameOnceAndDoesNotRetry() throws ApiException {
        cluster.createFoo(namespace, "foo", "", 1);
        await().untilAsserted(() ->
                assertThat(events("foo")).singleElement().asString().startsWith("Warning DeploymentNameMissing"));
        manager().awaitIdle(1);
        long reconciles = manager().status().reconciles();

        cluster.patchFoo(namespace, "foo", "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
        manager().awaitIdle(reconciles + 1);
        assertThat(manager().status().reconciles()).isEqualTo(reconciles + 1);
        assertThat(manager().status().delayed()).isZero();
        assertThat(events("foo")).hasSize(1);

        cluster.patchFoo(namespace, "foo", "{\"spec\":{\"deploymentName\":\"web\"}}");
        awaitReplicas("web", 1);
    }

    @Test
    void writesNothingAfterARestart() throws ApiException {
        for (int i = 0; i < 20; i++) {
            cluster.createFoo(namespace, "foo-" + i, "web-" + i, 2);
        }
        for (int i = 0; i < 20; i++) {
            awaitReplicas("web-" + i, 2);
            awaitAvailable("foo-" + i, 0);
        }
        manager().close();

        requests.clear();
        startManager();
        manager().awaitIdle(20);
        assertThat(writes()).isEmpty();
        manager().close();
        assertThat(writes()).as("Events are flushed at the end").isEmpty();
    }

    @Test
    void comesToRestAfterItsOwnWrites() throws ApiException {
        cluster.createFoo(namespace, "foo", "web", 2);
        awaitAvailable("foo", 0);
        cluster.setAvailableReplicas(namespace, "web", 2);
        awaitAvailable("foo", 2);
        manager().awaitIdle(1);
        long writes = writesOf("foo");

        cluster.patchFoo(namespace, "foo", "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
        // Made later, so reconciled later: by then the controller has seen all that its writes brought about.
        cluster.createFoo(namespace, "marker", "marker", 1);
        awaitAvailable("marker", 0);
        manager().awaitIdle(2);
        assertThat(writesOf("foo")).isEqualTo(writes);
    }

    private long writesOf(String foo) {
        return writes().stream().filter(line -> line.contains("/foos/" + foo)).count();
    }
}
