package io.controllermanager.manager.internal;

import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.informer.internal.InformerFactory;
import io.controllermanager.informer.internal.InformerOptions;
import io.controllermanager.leaderelection.internal.ElectionConfigs;
import io.controllermanager.leaderelection.internal.LeaderElectionConfig;
import io.controllermanager.recorder.internal.EventBroadcaster;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import java.io.IOException;
import java.io.StringReader;
import java.time.Duration;
import java.util.Set;

/** What one process has besides its host, as the starter puts it together, on a real API server. */
final class ApiReplica implements AutoCloseable {

    final SystemTimer timer;
    final ApiConnection connection;
    private final InformerFactory factory;
    private final EventBroadcaster events;

    /**
     * Makes a connection, on which nothing is asked yet.
     *
     * @param client its way to the API server
     * @param namespace the one that it watches
     */
    ApiReplica(String identity, ApiClient client, String namespace) {
        this.timer = new SystemTimer("timer-" + identity);
        this.connection =
                ApiConnection.builder(Clock.system(), timer).apiClient(client).build();
        this.factory = new InformerFactory(
                connection, Clock.system(), timer, InformerOptions.DEFAULTS.withNamespaces(Set.of(namespace)));
        this.events = new EventBroadcaster(connection.eventClient(), Clock.system(), identity);
    }

    static ApiClient client(String kubeconfig) throws IOException {
        return ClientBuilder.kubeconfig(KubeConfig.loadKubeConfig(new StringReader(kubeconfig)))
                .build();
    }

    /** How replicas compete: they try often, and a busy machine costs none its Lease. */
    static LeaderElectionConfig election(String identity, String namespace) {
        return ElectionConfigs.withTimings(
                ElectionConfigs.of(namespace, "manager", identity),
                Duration.ofSeconds(15),
                Duration.ofSeconds(10),
                Duration.ofMillis(500));
    }

    /** A host without controllers. */
    HostBuilder host(Leadership leadership) {
        return host(leadership, new Cluster(factory, connection.monitor()));
    }

    /** A host without controllers, which sees its own writes. */
    HostBuilder hostThatObservesWrites() {
        return host(
                Leadership.always(connection.apiClient()),
                new Cluster(factory, connection.monitor(), connection::observeWrites));
    }

    private HostBuilder host(Leadership leadership, Cluster cluster) {
        return new HostBuilder(leadership, cluster, Clock.system(), timer, events::recorder);
    }

    @Override
    public void close() {
        events.close();
        factory.close();
        connection.close();
        timer.close();
    }
}
