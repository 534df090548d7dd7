package io.controllermanager.foo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.test.RunningManager;
import io.controllermanager.testing.bothservers.OnBothServers;
import io.controllermanager.testing.bothservers.TestedServer;
import io.kubernetes.client.openapi.ApiException;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** What becomes of a Deployment whose Foo goes. */
@OnBothServers
class FooDeletionTest {

    private final FooCluster cluster;
    private final String namespace;

    FooDeletionTest(TestedServer server) {
        cluster = new FooCluster(server);
        namespace = cluster.createNamespace();
    }

    @Test
    void theDeploymentGoesAndStaysAway() throws ApiException {
        cluster.installCrd(Foo.TYPE, FooCrd.OWN.manifest());
        try (RunningManager manager = new RunningManager(
                cluster.recordingClient(new CopyOnWriteArrayList<>()), namespace, FooController.descriptor())) {
            cluster.createFoo(namespace, "foo", "web", 1);
            await().untilAsserted(() ->
                    assertThat(cluster.deployments().get(namespace, "web")).isNotNull());

            cluster.foos().delete(namespace, "foo");
            await().untilAsserted(() ->
                    assertThat(cluster.deployments().get(namespace, "web")).isNull());
            cluster.createFoo(namespace, "marker", "marker", 1);
            await().untilAsserted(
                            () -> assertThat(cluster.foo(namespace, "marker").availableReplicas())
                                    .isZero());
            manager.awaitIdle(2);
            assertThat(cluster.deployments().get(namespace, "web")).isNull();
        }
    }
}
