package io.controllermanager.informer.internal;

import static io.controllermanager.client.internal.connection.Connected.configMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.client.internal.connection.StorageHistory;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The API server's storage is put back to an older state, and its versions with it. */
class RestoredStorageTest {

    private final ApiServer server = ApiServer.start();
    private final SystemTimer timer = new SystemTimer("test-timer");
    private final ApiConnection connection = ApiConnection.builder(Clock.system(), timer)
            .apiClient(server.client())
            .build();
    private final ResourceClient<V1ConfigMap> ours =
            new ResourceClient<>(connection.apiClient(), ResourceTypes.CONFIG_MAP);
    private final ResourceClient<V1ConfigMap> others = new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP);
    private final InformerFactory factory =
            new InformerFactory(connection, Clock.system(), timer, InformerOptions.DEFAULTS);
    private final HostInformer<V1ConfigMap> informer = factory.informer(ResourceTypes.CONFIG_MAP);
    private final EventLog<V1ConfigMap> log = new EventLog<>();

    @BeforeEach
    void start() throws ApiException {
        others.create(configMap("default", "a", "1"));
        others.create(configMap("default", "b", "1"));
        informer.subscribe("test", log, Duration.ZERO);
        informer.run();
        awaitShown(Map.of("a", "1", "b", "1"));
        await().until(() -> informer.status().connected());
    }

    @AfterEach
    void close() {
        factory.close();
        connection.close();
        timer.close();
        server.close();
    }

    private void awaitShown(Map<String, String> expected) {
        ShownConfigMaps.await(informer, expected);
    }

    private void change(String name, String value) throws ApiException {
        others.update(configMap("default", name, value));
    }

    @Test
    void allIsReadAgain() throws ApiException {
        long backup = server.version();
        change("a", "2");
        others.delete("default", "b");
        others.create(configMap("default", "c", "1"));
        awaitShown(Map.of("a", "2", "c", "1"));

        server.restore(backup);

        awaitShown(Map.of("a", "1", "b", "1"));
        assertThat(StorageHistory.restores(connection.apiClient())).isEqualTo(1);
        change("b", "3");
        awaitShown(Map.of("a", "1", "b", "3"));
        await().untilAsserted(() -> assertThat(log.entries())
                .endsWith("vanished a", "created a", "created b", "vanished c", "updated b")
                .hasSize(10));
    }

    @Test
    void anObjectOfTheSameVersionIsAnotherOne() throws ApiException {
        long backup = server.version();
        change("a", "2");
        change("b", "2");
        change("b", "3");
        awaitShown(Map.of("a", "2", "b", "3"));

        server.restore(backup);
        change("a", "x");

        awaitShown(Map.of("a", "x", "b", "1"));
    }

    @Test
    void whatThisProcessHasWrittenIsForgotten() throws ApiException {
        long backup = server.version();
        ours.create(configMap("default", "ghost", "1"));
        ours.delete("default", "b");
        awaitShown(Map.of("a", "1", "ghost", "1"));
        assertThat(informer.writtenVersions()).isNotEmpty();

        server.restore(backup);

        awaitShown(Map.of("a", "1", "b", "1"));
        assertThat(informer.status().ownWrites()).isZero();
        assertThat(informer.writtenVersions()).as("nobody waits for them").isEmpty();
    }

    @Test
    void aRestartAloneHasNothingReadAgain() throws ApiException {
        change("a", "2");
        awaitShown(Map.of("a", "2", "b", "1"));

        server.restart();

        others.create(configMap("default", "c", "1"));
        awaitShown(Map.of("a", "2", "b", "1", "c", "1"));
        ours.create(configMap("default", "d", "1"));
        assertThat(informer.status().lists()).isEqualTo(1);
        assertThat(StorageHistory.restores(connection.apiClient())).isZero();
    }
}
