package io.controllermanager.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.apiserver.faults.RequestMatcher;
import io.controllermanager.testing.support.Waiting;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import java.io.IOException;
import java.io.StringReader;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLHandshakeException;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The server with TLS, by HTTP/2 and by HTTP/1.1. */
class TlsTest {

    private final ApiServer server =
            ApiServer.builder().tls(true).authorization(true).start();

    @AfterEach
    void stop() {
        server.close();
    }

    /** Asks with this version of HTTP at most. */
    private Response get(String path, Protocol best) throws IOException {
        OkHttpClient client = server.client()
                .getHttpClient()
                .newBuilder()
                .protocols(List.copyOf(EnumSet.of(best, Protocol.HTTP_1_1)))
                .readTimeout(Waiting.LIMIT)
                .build();
        return client.newCall(new Request.Builder().url(server.url() + path).build())
                .execute();
    }

    private static V1ConfigMap configMap(String name, int size) {
        return new V1ConfigMap().metadata(new V1ObjectMeta().name(name)).data(Map.of("key", "x".repeat(size)));
    }

    @Test
    void isWhereTheKubeconfigLeads() throws Exception {
        assertThat(server.url()).hasScheme("https").hasHost("127.0.0.1");
        ApiClient client = ClientBuilder.kubeconfig(KubeConfig.loadKubeConfig(new StringReader(server.kubeconfig())))
                .build();
        assertThat(new CoreV1Api(client).listNamespace().execute().getItems()).isNotEmpty();
    }

    @Test
    void isTrustedByNobodyElse() {
        OkHttpClient stranger = new OkHttpClient();
        assertThatThrownBy(() -> stranger.newCall(new Request.Builder()
                                .url(server.url() + "/version")
                                .build())
                        .execute())
                .isInstanceOf(SSLHandshakeException.class);
    }

    @Test
    void speaksHttp2ToThoseThatDo() throws IOException {
        try (Response response = get("/version", Protocol.HTTP_2)) {
            assertThat(response.protocol()).isEqualTo(Protocol.HTTP_2);
            assertThat(response.code()).isEqualTo(200);
            assertThat(response.body().string()).contains("v1.36");
        }
        try (Response response = get("/version", Protocol.HTTP_1_1)) {
            assertThat(response.protocol()).isEqualTo(Protocol.HTTP_1_1);
            assertThat(response.code()).isEqualTo(200);
        }
    }

    /** A body larger than a window of HTTP/2, both ways. */
    @Test
    void carriesLargeBodies() throws Exception {
        CoreV1Api api = new CoreV1Api(server.client());
        api.createNamespacedConfigMap("default", configMap("large", 900_000)).execute();
        assertThat(api.readNamespacedConfigMap("large", "default").execute().getData())
                .containsEntry("key", "x".repeat(900_000));
    }

    /** As in {@code LimitsContractTest}, but the client speaks HTTP/2. */
    @Test
    void refusesBodiesThatAreTooLarge() {
        CoreV1Api api = new CoreV1Api(server.client());
        assertThatThrownBy(() -> api.createNamespacedConfigMap("default", configMap("large", 3_200_000))
                        .execute())
                .hasMessageContaining("Request entity too large: limit is 3145728");
    }

    @Test
    void saysWhenToTryAgain() throws Exception {
        server.faults().when(RequestMatcher.verb("list")).respond(429, Duration.ofSeconds(7));
        try (Response response = get("/api/v1/namespaces/default/configmaps", Protocol.HTTP_2)) {
            assertThat(response.header("Retry-After")).isEqualTo("7");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"HTTP_2", "HTTP_1_1"})
    void watchesAreCutAndGoOn(Protocol protocol) throws Exception {
        server.faults().when(RequestMatcher.verb("watch")).times(1).closeAfterEvents(1);
        CoreV1Api api = new CoreV1Api(server.client());
        api.createNamespacedConfigMap("default", configMap("a", 1)).execute();
        String path = "/api/v1/namespaces/default/configmaps?watch=true";
        try (Response cut = get(path, protocol)) {
            assertThat(cut.body().source().readUtf8Line()).contains("\"ADDED\"");
            assertThatThrownBy(() -> cut.body().source().readUtf8Line()).isInstanceOf(IOException.class);
        }
        try (Response whole = get(path, protocol)) {
            assertThat(whole.body().source().readUtf8Line()).contains("\"ADDED\"");
            api.createNamespacedConfigMap("default", configMap("b", 1)).execute();
            assertThat(whole.body().source().readUtf8Line()).contains("\"name\":\"b\"");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"HTTP_2", "HTTP_1_1"})
    void watchesEndWithTheServer(Protocol protocol) throws Exception {
        try (Response watch = get("/api/v1/namespaces/default/configmaps?watch=true", protocol)) {
            server.close();
            assertThatThrownBy(() -> watch.body().source().readUtf8Line())
                    .isInstanceOf(IOException.class)
                    .isNotInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void keepsItsCertificateWhenItIsRestarted() throws Exception {
        CoreV1Api api = new CoreV1Api(server.client());
        api.createNamespacedConfigMap("default", configMap("a", 1)).execute();
        server.restart();
        assertThat(api.readNamespacedConfigMap("a", "default").execute()).isNotNull();
    }
}
