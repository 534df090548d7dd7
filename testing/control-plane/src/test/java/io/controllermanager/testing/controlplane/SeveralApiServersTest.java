package io.controllermanager.testing.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.nio.file.Files;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("control-plane")
class SeveralApiServersTest {

    private static final String FEATURE_GATES = "feature-gates";

    @Test
    void shareDataButNotFlagsOrLogsAndEndTogether() throws Exception {
        try (ControlPlane plane = ControlPlane.builder()
                        .apiServerFlag(FEATURE_GATES, "ShardedListAndWatch=true")
                        .furtherApiServer(Map.of(FEATURE_GATES, "ShardedListAndWatch=false"))
                        .start();
                TcpProxy proxy = new TcpProxy(plane.apiServerUrls().get(0))) {
            ApiClient client = Clients.client(
                    plane.kubeconfig().replace(plane.apiServerUrl().toString(), proxy.url()));
            create(client, "by-the-first");
            assertThat(codeOfShardSelector(client)).isEqualTo(500);
            long receivedFromFirst = proxy.bytesReceived();
            assertThat(receivedFromFirst).isPositive();

            proxy.redirect(plane.apiServerUrls().get(1));

            create(client, "by-the-second");
            assertThat(codeOfShardSelector(client)).isEqualTo(200);
            assertThat(proxy.bytesReceived()).isGreaterThan(receivedFromFirst);
            assertThat(new CoreV1Api(client)
                            .readNamespacedConfigMap("by-the-first", "default")
                            .execute())
                    .isNotNull();
            assertThat(Files.readString(plane.auditLogs().get(0)))
                    .contains("by-the-first")
                    .doesNotContain("by-the-second");

            plane.killApiServer();

            assertThat(plane.processIds()).as("etcd").hasSize(1);
            assertThatExceptionOfType(ApiException.class).isThrownBy(() -> create(client, "by-none"));

            plane.startApiServer();

            create(client, "by-the-second-again");
        }
    }

    private static void create(ApiClient client, String name) throws ApiException {
        V1ConfigMap object = new V1ConfigMap().metadata(new V1ObjectMeta().name(name));
        new CoreV1Api(client).createNamespacedConfigMap("default", object).execute();
    }

    /** A selector that only a server which knows shards finds wrong. */
    private static int codeOfShardSelector(ApiClient client) throws Exception {
        return client.getHttpClient()
                .newCall(new okhttp3.Request.Builder()
                        .url(client.getBasePath() + "/api/v1/configmaps?shardSelector=foo&limit=1")
                        .build())
                .execute()
                .code();
    }
}
