package io.controllermanager.foo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.test.RunningManager;
import io.controllermanager.testing.bothservers.OnBothServers;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.testing.controllers.Cluster;
import io.kubernetes.client.openapi.ApiException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/**
 * With no more rights than the controller declares. The real API server is strict about owner references too, the embedded
 * one is not.
 */
@OnBothServers
class LeastRightsTest {

    private final TestedServer server;

    LeastRightsTest(TestedServer server) {
        this.server = server;
    }

    @Test
    void sufficeForAllThatTheControllerDoes() throws ApiException {
        FooCluster cluster = new FooCluster(server);
        cluster.installCrd(Foo.TYPE, FooCrd.OWN.manifest());
        cluster.grantRightsOf("foo");
        String namespace = cluster.createNamespace();
        List<String> requests = new CopyOnWriteArrayList<>();
        String kubeconfig = server.kubeconfigFor(
                "system:serviceaccount:controller-manager-system:controller-manager",
                "system:serviceaccounts",
                "system:authenticated");

        try (RunningManager manager = new RunningManager(
                Cluster.recordingClient(kubeconfig, requests), namespace, FooController.descriptor())) {
            cluster.createFoo(namespace, "foo", "web", 1);
            await().untilAsserted(() -> assertThat(cluster.foo(namespace, "foo").availableReplicas())
                    .isZero());
            cluster.patchFoo(namespace, "foo", "{\"spec\":{\"replicas\":2}}");
            await().untilAsserted(() -> assertThat(
                            cluster.deployment(namespace, "web").getSpec().getReplicas())
                    .isEqualTo(2));
            manager.awaitIdle(2);
        }
        assertThat(requests)
                .contains("POST /apis/events.k8s.io/v1/namespaces/" + namespace + "/events")
                .noneMatch(line -> line.startsWith("forbidden"));
    }
}
