package io.controllermanager.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.reconciler.Conditions;
import io.controllermanager.test.RunningManager;
import io.controllermanager.testing.bothservers.OnBothServers;
import io.controllermanager.testing.bothservers.TestedServer;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Condition;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The Network controller in a running manager, seen from outside as a user sees it. */
@OnBothServers
class NetworkTest {

    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final NetworkCluster cluster;
    private final String namespace;
    private @Nullable RunningManager running;

    NetworkTest(TestedServer server) {
        cluster = new NetworkCluster(server);
        namespace = cluster.createNamespace();
    }

    @BeforeEach
    void start() throws ApiException {
        cluster.installCrd();
        startManager();
    }

    @AfterEach
    void stop() {
        manager().close();
    }

    private void startManager() {
        running = new RunningManager(cluster.recordingClient(requests), namespace, NetworkController.descriptor());
        manager().awaitIdle(0);
    }

    private RunningManager manager() {
        return Objects.requireNonNull(running);
    }

    private void awaitReady(String name, String reason) {
        String status = "Ready".equals(reason) ? "True" : "False";
        await().untilAsserted(() -> assertThat(readyOf(name)).isEqualTo(status + " " + reason));
    }

    /** The Ready condition's status and reason, or why they do not count yet. */
    private String readyOf(String name) throws ApiException {
        Network network = cluster.networks().get(namespace, name);
        NetworkStatus status = network == null ? null : network.status();
        V1Condition ready = network == null ? null : Conditions.of(network, "Ready");
        if (network == null || status == null || ready == null) {
            return "none";
        }
        return Objects.equals(status.observedGeneration(), network.getMetadata().getGeneration())
                ? ready.getStatus() + " " + ready.getReason()
                : "of an older generation";
    }

    private List<String> events(String name) throws ApiException {
        return cluster.events(namespace, name).stream()
                .map(event -> event.getType() + " " + event.getReason())
                .toList();
    }

    @Test
    void derivesWhatFollowsFromTheSpec() throws ApiException {
        cluster.create(namespace, "a", "192.168.0.0/16", "192.168.0.1");
        awaitReady("a", "Ready");

        NetworkStatus status = cluster.status(namespace, "a");
        assertThat(status.networkAddress()).isEqualTo("192.168.0.0");
        assertThat(status.prefixLength()).isEqualTo(16);
        assertThat(status.gateway()).isEqualTo("192.168.0.1");
        assertThat(status.capacity()).isEqualTo("65534");
        await().untilAsserted(() -> assertThat(events("a")).containsExactly("Normal Derived"));
    }

    @Test
    void tellsOverlapsAndHealsThem() throws ApiException {
        cluster.create(namespace, "a", "10.0.0.0/8", null);
        awaitReady("a", "Ready");
        cluster.create(namespace, "b", "10.1.0.0/16", null);
        awaitReady("a", "Overlap");
        awaitReady("b", "Overlap");

        cluster.patch(namespace, "b", "{\"spec\":{\"cidr\":\"11.1.0.0/16\"}}");
        awaitReady("a", "Ready");
        awaitReady("b", "Ready");

        cluster.create(namespace, "c", "0.0.0.0/0", null);
        awaitReady("a", "Overlap");
        awaitReady("b", "Overlap");
        cluster.networks().delete(namespace, "c");
        awaitReady("a", "Ready");
        awaitReady("b", "Ready");
        await().untilAsserted(() ->
                assertThat(events("a")).contains("Normal Derived", "Warning Overlap", "Normal OverlapEnded"));
    }

    @Test
    void judgesWhatTheCrdLetsThrough() throws ApiException {
        cluster.create(namespace, "a", "10.0.0.0/8", "10.255.255.255");
        awaitReady("a", "Invalid");
        await().untilAsserted(() -> assertThat(events("a")).containsExactly("Warning GatewayIsBroadcastAddress"));

        cluster.patch(namespace, "a", "{\"spec\":{\"gateway\":\"10.255.255.254\"}}");
        awaitReady("a", "Ready");
    }

    @Test
    void writesNothingAfterARestart() throws ApiException {
        cluster.create(namespace, "all", "10.0.0.0/8", null);
        for (int i = 0; i < 20; i++) {
            cluster.create(namespace, "n" + i, "10." + i + ".0.0/16", null);
        }
        for (int i = 0; i < 20; i++) {
            awaitReady("n" + i, "Overlap");
        }
        manager().awaitIdle(21);
        manager().close();

        requests.clear();
        startManager();
        manager().awaitIdle(21);
        manager().close();
        assertThat(requests).isNotEmpty().allMatch(line -> line.startsWith("GET"));
    }

    @Test
    void comesToTheSameVerdictInWhateverOrderNetworksAppear() throws ApiException {
        // Each holds the next, all made while the manager works on the ones before.
        for (int length = 8; length <= 28; length++) {
            cluster.create(namespace, "n" + length, new Cidr(IpAddress.parse("10.0.0.0"), length).toString(), null);
        }
        for (int length = 8; length <= 28; length++) {
            awaitReady("n" + length, "Overlap");
        }
        for (int length = 9; length <= 28; length++) {
            cluster.networks().delete(namespace, "n" + length);
        }
        awaitReady("n8", "Ready");
    }
}
