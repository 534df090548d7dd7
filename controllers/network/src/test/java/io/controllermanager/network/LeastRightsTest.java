package io.controllermanager.network;

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

/** With no more rights than the controller declares. */
@OnBothServers
class LeastRightsTest {

    private final TestedServer server;

    LeastRightsTest(TestedServer server) {
        this.server = server;
    }

    @Test
    void sufficeForAllThatTheControllerDoes() throws ApiException {
        NetworkCluster cluster = new NetworkCluster(server);
        cluster.installCrd();
        cluster.grantRightsOf("network");
        String namespace = cluster.createNamespace();
        List<String> requests = new CopyOnWriteArrayList<>();
        String kubeconfig = server.kubeconfigFor(
                "system:serviceaccount:controller-manager-system:controller-manager",
                "system:serviceaccounts",
                "system:authenticated");

        try (RunningManager manager = new RunningManager(
                Cluster.recordingClient(kubeconfig, requests), namespace, NetworkController.descriptor())) {
            cluster.create(namespace, "a", "10.0.0.0/8", null);
            await().ignoreExceptions()
                    .untilAsserted(() ->
                            assertThat(cluster.status(namespace, "a").gateway()).isEqualTo("10.0.0.1"));
            manager.awaitIdle(1);
        }
        assertThat(requests)
                .contains("POST /apis/events.k8s.io/v1/namespaces/" + namespace + "/events")
                .noneMatch(line -> line.startsWith("forbidden"));
    }
}
