package io.controllermanager.client.internal.connection;

import static io.controllermanager.client.internal.connection.Connected.configMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.access.ApiAccessResolver;
import io.controllermanager.client.internal.transport.LinesWith;
import io.controllermanager.client.internal.transport.TlsFront;
import io.controllermanager.client.internal.transport.TlsFront.Identity;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Proxies on the way to an API server whose name nobody but the proxy can look up. */
class ProxyTest {

    private static final String HOST = "api.cluster.invalid";
    private static final Identity SERVER = Identity.make("api", "SAN=dns:" + HOST, "-keyalg", "EC");
    private static final Identity PROXY = Identity.make("proxy");

    private final ApiServer server = ApiServer.start();
    private final TlsFront front = new TlsFront(server.url(), SERVER);
    private final String namespace = server.createNamespace("proxy");
    private final SystemTimer timer = new SystemTimer("test-timer");
    private final ApiConnection connection = ApiConnection.builder(Clock.system(), timer)
            .http(new HttpSettings(
                    Duration.ofSeconds(2), Duration.ofSeconds(65), Duration.ofSeconds(10), RequestLimits.NONE, "test"))
            .build();
    private final Logger logger = (Logger) LoggerFactory.getLogger(ApiServerMonitor.class);
    private ListAppender<ILoggingEvent> logged = new ListAppender<>();

    @TempDir
    private Path folder = Path.of("");

    ProxyTest() throws Exception {}

    @BeforeEach
    void listen() {
        logged = LinesWith.text(HOST);
        logger.addAppender(logged);
    }

    @AfterEach
    void close() throws IOException {
        logger.detachAppender(logged);
        connection.close();
        timer.close();
        front.close();
        server.close();
    }

    /** Connects by a kubeconfig that trusts server and proxy. */
    private void connect(String url, String cluster, Map<String, String> environment) throws Exception {
        String authorities = Base64.getEncoder()
                .encodeToString(
                        (SERVER.authority() + PROXY.authority()).getBytes(java.nio.charset.StandardCharsets.UTF_8));
        Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), """
            current-context: x
            contexts: [{name: x, context: {cluster: x, user: x}}]
            clusters: [{name: x, cluster: {server: "%s", certificate-authority-data: %s%s}}]
            users: [{name: x, user: {token: t}}]
            """.formatted(url, authorities, cluster));
        connection.connect(new ApiAccessResolver(environment, Clock.system()).resolve(kubeconfig.toString(), null));
    }

    private void connectThrough(String proxy) throws Exception {
        connect("https://" + HOST + ":6443", ", proxy-url: \"" + proxy + "\"", Map.of());
    }

    private ResourceClient<V1ConfigMap> configMaps() {
        return configMaps(connection.apiClient());
    }

    private static ResourceClient<V1ConfigMap> configMaps(ApiClient client) {
        return new ResourceClient<>(client, ResourceTypes.CONFIG_MAP);
    }

    private void requestsArrive() throws ApiException {
        configMaps().create(configMap(namespace, "a", "1"));
        assertThat(configMaps(connection.leaseClient(Duration.ofSeconds(20))).get(namespace, "a"))
                .isNotNull();
    }

    @Test
    void connectsThroughTheProxyOfTheEnvironment() throws Exception {
        try (TestProxy proxy = TestProxy.to(front.url())) {
            connect(
                    "https://" + HOST + ":6443",
                    "",
                    Map.of("HTTPS_PROXY", "http://u:p%40ss@" + proxy.address(), "HTTP_PROXY", "http://127.0.0.1:1"));
            requestsArrive();

            assertThat(proxy.asked()).hasSize(2).containsOnly("CONNECT " + HOST + ":6443 HTTP/1.1");
            assertThat(proxy.logins())
                    .hasSize(2)
                    .containsOnly("Basic " + Base64.getEncoder().encodeToString("u:p@ss".getBytes()));
        }
    }

    @Test
    void prefersTheProxyOfTheKubeconfig() throws Exception {
        try (TestProxy proxy = TestProxy.to(front.url())) {
            connect(
                    "https://" + HOST + ":6443",
                    ", proxy-url: \"http://" + proxy.address() + "\"",
                    Map.of("https_proxy", "127.0.0.1:1", "no_proxy", HOST));
            requestsArrive();

            assertThat(proxy.asked()).hasSize(2);
            assertThat(proxy.logins()).isEmpty();
        }
    }

    @Test
    void forwardsRequestsToAServerWithoutTls() throws Exception {
        try (TestProxy proxy = TestProxy.to(server.url().toString())) {
            connect(
                    "http://" + HOST + ":8080",
                    "",
                    Map.of("HTTP_PROXY", "http://" + proxy.address(), "HTTPS_PROXY", "http://127.0.0.1:1"));
            requestsArrive();

            assertThat(proxy.asked()).first().asString().startsWith("POST http://" + HOST + ":8080/api/v1/");
        }
    }

    @Test
    void speaksTlsToTheProxy() throws Exception {
        try (TestProxy proxy = new TestProxy(URI.create(front.url()), PROXY, "200 OK")) {
            connectThrough("https://u:p@" + proxy.address());
            requestsArrive();

            assertThat(proxy.asked()).hasSize(2).containsOnly("CONNECT " + HOST + ":6443 HTTP/1.1");
            assertThat(proxy.logins()).hasSize(2);
        }
    }

    @Test
    void trustsAProxyNoMoreThanAServer() throws Exception {
        Identity elsewhere = Identity.make("elsewhere");
        try (TestProxy unknown = new TestProxy(URI.create(front.url()), elsewhere, "200 OK");
                TestProxy misnamed = new TestProxy(URI.create(front.url()), SERVER, "200 OK")) {
            connectThrough("https://" + unknown.address());
            fails("unable to find valid certification path");
            connectThrough("https://" + misnamed.address());
            fails("the certificate of proxy 127.0.0.1 is for another host");

            assertThat(unknown.asked()).isEmpty();
            assertThat(misnamed.asked()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"socks5", "socks5h"})
    void letsASocksProxyLookUpTheServer(String scheme) throws Exception {
        try (TestProxy proxy = TestProxy.to(front.url())) {
            connectThrough(scheme + "://" + proxy.address());
            requestsArrive();

            assertThat(proxy.asked()).hasSize(2).containsOnly("SOCKS " + HOST + ":6443");
        }
    }

    @Test
    void saysInOneLineWhichProxyIsDown() throws Exception {
        connectThrough("http://u:s3cret@127.0.0.1:1");
        fails("Failed to connect to");
        says("http://127.0.0.1:1", "Failed to connect to /127.0.0.1:1");
    }

    @Test
    void saysInOneLineWhichProxyRefuses() throws Exception {
        try (TestProxy proxy = new TestProxy(
                URI.create(front.url()), null, "407 Proxy Authentication Required\r\nContent-Length: 0")) {
            connectThrough("http://u:s3cret@" + proxy.address());
            fails("Failed to authenticate with proxy");
            says("http://" + proxy.address(), "Failed to authenticate with proxy");
        }
    }

    @Test
    void doesNotWaitForAProxyThatSaysNothing() throws Exception {
        try (TestProxy proxy = new TestProxy(URI.create(front.url()), null, "")) {
            connectThrough("http://u:s3cret@" + proxy.address());
            fails("");
            says("http://" + proxy.address(), "");
        }
    }

    private void fails(String reason) {
        assertThatExceptionOfType(ApiException.class)
                .isThrownBy(() -> configMaps().get(namespace, "a"))
                .withMessageContaining(reason)
                .satisfies(e -> assertThat(e.toString()).doesNotContain("s3cret"));
    }

    private void says(String proxy, String reason) {
        await().until(() -> !logged.list.isEmpty());
        assertThat(logged.list)
                .first()
                .extracting(ILoggingEvent::getFormattedMessage)
                .asString()
                .startsWith("API server https://%s:6443 through proxy %s cannot be reached: %s"
                        .formatted(HOST, proxy, reason));
        assertThat(logged.list)
                .allSatisfy(line ->
                        assertThat(line.toString() + line.getKeyValuePairs()).doesNotContain("s3cret"));
    }

    @Test
    void leavesTheProxyWithTheKubeconfigThatNamesIt() throws Exception {
        try (TestProxy proxy = new TestProxy(URI.create(front.url()), PROXY, "200 OK")) {
            connectThrough("https://" + proxy.address());
            requestsArrive();
            connect(server.url().toString(), "", Map.of("HTTP_PROXY", "127.0.0.1:1"));

            assertThat(configMaps().get(namespace, "a")).isNotNull();
            assertThat(proxy.asked()).hasSize(2);
            assertThat(connection.apiClient().getHttpClient().proxySelector()).isSameAs(ProxySelector.getDefault());
        }
    }

    /** An application's own choice, as by an {@code ApiClientCustomizer}. */
    @Test
    void leavesAClientTheProxyThatItWasGiven() throws Exception {
        try (TestProxy proxy = TestProxy.to(front.url())) {
            ApiClient client = connection.apiClient();
            client.setHttpClient(client.getHttpClient()
                    .newBuilder()
                    .proxySelector(new Always(proxy.address()))
                    .build());
            connect("https://" + HOST + ":6443", "", Map.of("HTTPS_PROXY", "127.0.0.1:1"));
            configMaps().create(configMap(namespace, "a", "1"));

            assertThat(proxy.asked()).hasSize(1);
        }
    }

    private static final class Always extends ProxySelector {

        private final URI proxy;

        Always(String address) {
            this.proxy = URI.create("http://" + address);
        }

        @Override
        public List<Proxy> select(URI uri) {
            return List.of(new Proxy(
                    Proxy.Type.HTTP, new InetSocketAddress(Objects.requireNonNull(proxy.getHost()), proxy.getPort())));
        }

        @Override
        public void connectFailed(URI uri, SocketAddress address, IOException failure) {}
    }

    @Test
    void holdsInAPodToo() throws Exception {
        try (TestProxy proxy = TestProxy.to(front.url())) {
            Files.writeString(folder.resolve("token"), "t");
            Files.writeString(folder.resolve("ca.crt"), SERVER.authority());
            connection.connect(new ApiAccessResolver(
                            Map.of(
                                    "KUBERNETES_SERVICE_HOST",
                                    HOST,
                                    "KUBERNETES_SERVICE_PORT",
                                    "443",
                                    "KUBERNETES_SERVICE_ACCOUNT_DIRECTORY",
                                    folder.toString(),
                                    "HTTPS_PROXY",
                                    proxy.address()),
                            Clock.system())
                    .resolve(null, null));
            requestsArrive();

            assertThat(proxy.asked()).hasSize(2).containsOnly("CONNECT " + HOST + ":443 HTTP/1.1");
        }
    }
}
