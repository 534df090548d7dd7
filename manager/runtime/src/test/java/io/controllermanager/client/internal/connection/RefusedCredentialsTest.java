package io.controllermanager.client.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.faults.Fault;
import io.controllermanager.apiserver.faults.RequestMatcher;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.access.ApiAccessResolver;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a connection knows of an API server that answers 401. */
class RefusedCredentialsTest {

    private final ApiServer server = ApiServer.start();
    private final VirtualTime time = new VirtualTime();
    private final ApiConnection connection = ApiConnection.builder(time, time).build();
    private final ResourceClient<V1ConfigMap> configMaps =
            new ResourceClient<>(connection.apiClient(), ResourceTypes.CONFIG_MAP);
    private final AtomicInteger recoveries = new AtomicInteger();

    @TempDir
    private Path folder = Path.of("");

    @AfterEach
    void close() {
        connection.close();
        server.close();
    }

    private Path connect() throws Exception {
        Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), server.kubeconfig());
        connection.connect(new ApiAccessResolver(Map.of(), time).resolve(kubeconfig.toString(), null));
        connection.monitor().onRecovery(recoveries::incrementAndGet);
        return kubeconfig;
    }

    private void assertRefused() {
        assertThatExceptionOfType(ApiException.class)
                .isThrownBy(() -> configMaps.get("default", "a"))
                .satisfies(e -> assertThat(e.getCode()).isEqualTo(401));
    }

    @Test
    void saysWhoseCredentialsAreRefusedUntilTheyAreAccepted() throws Exception {
        Path kubeconfig = connect();
        Fault refusal = server.faults().when(RequestMatcher.any()).respond(401);
        assertRefused();

        await().until(() -> {
            time.advance(Duration.ofSeconds(1));
            return connection.monitor().trouble() != null;
        });

        assertThat(connection.monitor().trouble())
                .isEqualTo("the API server refuses our credentials (401 Unauthorized): kubeconfig " + kubeconfig
                        + ", context embedded");
        assertRefused();
        assertThat(recoveries).hasValue(0);
        refusal.remove();
        await().until(() -> {
            time.advance(Duration.ofSeconds(1));
            return recoveries.get() > 0;
        });
        assertThat(connection.monitor().trouble()).isNull();
    }

    @Test
    void leavesAResourceThatAloneIsRefusedToThoseWhoAskForIt() throws Exception {
        connect();
        server.faults().when(RequestMatcher.any().resource("configmaps")).respond(401);
        Fault probes = server.faults()
                .when(RequestMatcher.any().where(target -> target.path().equals("/readyz")))
                .delay(Duration.ofMillis(1));

        await().until(() -> {
            assertRefused();
            time.advance(Duration.ofSeconds(1));
            assertThat(connection.monitor().trouble()).isNull();
            return probes.hits() >= 10;
        });

        assertThat(recoveries).hasValue(0);
    }
}
