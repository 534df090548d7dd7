package io.controllermanager.client.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.access.ApiAccess;
import io.controllermanager.client.internal.access.ApiAccessResolver;
import io.controllermanager.client.internal.request.ApiRequests;
import io.controllermanager.client.internal.request.RequestFailedException;
import io.controllermanager.client.internal.transport.ApiAccessException;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.Pair;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.EventListener;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a request on its way through a connection's interceptors, against a scripted server. */
class HttpPipelineTest {

    private static final String OBJECT = """
        {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"n"}}\
        """;

    private final HttpServer server;
    private final ExecutorService serverThreads = Executors.newCachedThreadPool();
    private final SystemTimer timer = new SystemTimer("test-timer");
    private final VirtualTime time = new VirtualTime();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<String> userAgents = new CopyOnWriteArrayList<>();
    private final List<String> authorizations = new CopyOnWriteArrayList<>();
    private final List<Map<String, List<String>>> headers = new CopyOnWriteArrayList<>();
    private final AtomicInteger refusals = new AtomicInteger();
    private final ApiConnection connection = ApiConnection.builder(Clock.system(), timer)
            .http(HttpSettings.DEFAULTS.withUserAgent("controller-manager/test"))
            .metrics(registry)
            .build();

    @TempDir
    private Path folder = Path.of("");

    private volatile String goodToken = "";

    HttpPipelineTest() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(serverThreads);
        server.createContext("/", this::answer);
        server.start();
        connection.connect(at("http://127.0.0.1:" + server.getAddress().getPort()));
    }

    @AfterEach
    void close() {
        connection.close();
        timer.close();
        server.stop(0);
        serverThreads.shutdownNow();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (exchange.getRequestURI().getPath().equals("/readyz")) {
                // The monitor's own business, which a request that failed may bring about at any time.
                send(exchange, 200, "ok");
                return;
            }
            requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
            userAgents.add(String.valueOf(exchange.getRequestHeaders().getFirst("User-Agent")));
            String authorization = String.valueOf(exchange.getRequestHeaders().getFirst("Authorization"));
            authorizations.add(authorization);
            headers.add(Map.copyOf(exchange.getRequestHeaders()));
            exchange.getRequestBody().readAllBytes();
            if (!goodToken.isEmpty() && !authorization.equals("Bearer " + goodToken)) {
                send(
                        exchange,
                        401,
                        "{\"kind\":\"Status\",\"code\":401,\"reason\":\"Unauthorized\",\"message\":\"Unauthorized\"}");
            } else if (refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                exchange.getResponseHeaders().add("Retry-After", "0");
                send(exchange, 429, "later");
            } else if (exchange.getRequestURI().getPath().endsWith("/missing")) {
                send(
                        exchange,
                        404,
                        "{\"kind\":\"Status\",\"code\":404,\"reason\":\"NotFound\",\"message\":\"configmaps"
                                + " \\\"missing\\\" not found\"}");
            } else if (exchange.getRequestURI().getPath().endsWith("/unserved")) {
                send(exchange, 404, "404 page not found\n");
            } else {
                send(exchange, 200, OBJECT);
            }
        }
    }

    private static void send(HttpExchange exchange, int code, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(code, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private ResourceClient<V1ConfigMap> configMaps(ApiClient client) {
        return new ResourceClient<>(client, ResourceTypes.CONFIG_MAP);
    }

    private static V1ConfigMap object() {
        return new V1ConfigMap().metadata(new V1ObjectMeta().namespace("n").name("a"));
    }

    /** A connection that has sent the one request that it may send in a quarter of an hour. */
    private ApiConnection withLimitUsedUp() throws ApiException {
        ApiConnection limited = ApiConnection.builder(Clock.system(), timer)
                .http(HttpSettings.DEFAULTS.withLimits(new RequestLimits(0.001, 1)))
                .build();
        limited.connect(at("http://127.0.0.1:" + server.getAddress().getPort()));
        configMaps(limited.apiClient()).get("n", "a");
        return limited;
    }

    @Test
    void saysWhoAsks() throws ApiException {
        configMaps(connection.apiClient()).get("n", "a");

        assertThat(userAgents).containsExactly("controller-manager/test");
    }

    /** Else a body waits until the API server acknowledges the headers before it, up to 40 ms. */
    @Test
    void sendsAtOnceWhatItIsGiven() throws Exception {
        Duration limit = Duration.ofSeconds(5);
        for (ApiClient client :
                List.of(connection.apiClient(), connection.leaseClient(limit), connection.eventClient())) {
            try (Socket socket = client.getHttpClient().socketFactory().createSocket()) {
                assertThat(socket.getTcpNoDelay()).isTrue();
            }
        }
    }

    /** As when the network is cut, and whole again when another leads: what nobody has received must never arrive. */
    @Test
    void anAbortTakesBackWhatWasWrittenAndNotReceived() throws Exception {
        try (ServerSocket deaf = new ServerSocket();
                ApiConnection cut = ApiConnection.builder(Clock.system(), timer).build()) {
            deaf.setReceiveBufferSize(4096);
            deaf.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            cut.connect(at("http://127.0.0.1:" + deaf.getLocalPort()));
            V1ConfigMap big = object().data(Map.of("text", "x".repeat(20_000_000)));
            Future<V1ConfigMap> answer =
                    serverThreads.submit(() -> configMaps(cut.apiClient()).create(big));
            try (Socket accepted = deaf.accept()) {
                InputStream received = accepted.getInputStream();
                assertThat(received.read()).isEqualTo('P');

                cut.abort();

                assertThatExceptionOfType(ExecutionException.class).isThrownBy(answer::get);
                assertThatExceptionOfType(SocketException.class).isThrownBy(received::readAllBytes);
            }
            assertThat(cut.leaseClient(Duration.ofSeconds(5)).getHttpClient().socketFactory())
                    .isNotSameAs(cut.apiClient().getHttpClient().socketFactory());
        }
    }

    @Test
    void sendsAWriteAgainThatWasTurnedAway() throws ApiException {
        refusals.set(3);

        configMaps(connection.apiClient()).create(object());

        assertThat(requests).hasSize(4).allMatch(request -> request.startsWith("POST "));
    }

    @Test
    void givesUpWhenTurnedAwayTooOften() {
        refusals.set(1_000);

        assertThatExceptionOfType(RequestFailedException.class)
                .isThrownBy(() -> configMaps(connection.apiClient()).create(object()))
                .withMessage("create configmaps n/a: HTTP 429: later");
        assertThat(requests).hasSize(1 + RetryAfter.MAX_RETRIES);
    }

    @Test
    void holdsBackWritesThatTheFenceRefuses() throws ApiException {
        connection.writeFence(() -> {
            throw new WriteFence.WriteRefusedException("no longer the leader");
        });
        ResourceClient<V1ConfigMap> client = configMaps(connection.apiClient());

        assertThatExceptionOfType(RequestFailedException.class)
                .isThrownBy(() -> client.create(object()))
                .withMessage("create configmaps n/a: no longer the leader")
                .withCauseInstanceOf(WriteFence.WriteRefusedException.class);
        assertThatExceptionOfType(RequestFailedException.class).isThrownBy(() -> client.delete("n", "a"));
        client.get("n", "a");

        assertThat(requests).containsExactly("GET /api/v1/namespaces/n/configmaps/a");
        assertThat(connection.monitor().reachable()).isTrue();
    }

    /** A connection may take seconds to make, and leadership may go meanwhile. */
    @Test
    void holdsBackAWriteWhoseConnectionCameTooLate() {
        AtomicBoolean leading = new AtomicBoolean(true);
        connection.writeFence(() -> {
            if (!leading.get()) {
                throw new WriteFence.WriteRefusedException("no longer the leader");
            }
        });
        ApiClient client = connection.apiClient();
        client.setHttpClient(client.getHttpClient()
                .newBuilder()
                .eventListener(new EventListener() {
                    @Override
                    public void connectEnd(
                            Call call, InetSocketAddress address, Proxy proxy, @Nullable Protocol protocol) {
                        leading.set(false);
                    }
                })
                .build());

        assertThatExceptionOfType(ApiException.class)
                .isThrownBy(() -> configMaps(client).create(object()))
                .withCauseInstanceOf(WriteFence.WriteRefusedException.class);
        assertThat(leading).isFalse();
        assertThat(requests).isEmpty();
        assertThat(connection.monitor().reachable()).isTrue();
    }

    @Test
    void asksAClientsOwnFenceInsteadOfTheCommonOne() throws ApiException {
        WriteFence closed = () -> {
            throw new WriteFence.WriteRefusedException("not that Lease's leader");
        };
        ApiClient refused = connection.fencedClient(closed);
        configMaps(connection.apiClient()).create(object());
        assertThatExceptionOfType(RequestFailedException.class)
                .isThrownBy(() -> configMaps(refused).create(object()))
                .withMessage("create configmaps n/a: not that Lease's leader");

        ApiClient open = connection.fencedClient(WriteFence.open());
        connection.writeFence(closed);
        configMaps(open).create(object());

        assertThat(requests).hasSize(2);
    }

    @Test
    void theFenceThatIsInForceWhereACallIsMadeDecidesThoughAnotherThreadSendsIt() throws Exception {
        List<String> told = new CopyOnWriteArrayList<>();
        ApiClient client = connection.apiClient();
        client.setHttpClient(client.getHttpClient()
                .newBuilder()
                .eventListener(new EventListener() {
                    @Override
                    public void callStart(Call call) {
                        told.add(call.request().method());
                    }
                })
                .build());
        ScopedFence fence = new ScopedFence(WriteFence.open());
        connection.writeFence(fence);
        ScopedFence own = new ScopedFence(WriteFence.open());
        List<ApiClient> clients =
                List.of(client, connection.fencedClient(own), connection.fencedClient(WriteFence.open()));
        WriteFence closed = () -> {
            throw new WriteFence.WriteRefusedException("lost meanwhile");
        };

        List<String> within = fence.within(closed, () -> own.within(closed, () -> sendAll(clients)));
        List<String> outside = sendAll(clients);

        assertThat(within).containsExactly("lost meanwhile", "lost meanwhile", "HTTP 200");
        assertThat(outside).containsOnly("HTTP 200").hasSize(3);
        assertThat(told).hasSize(6);
    }

    private static List<String> sendAll(List<ApiClient> clients) {
        return clients.stream().map(HttpPipelineTest::send).toList();
    }

    /** Sends a write on a thread of OkHttp's, and waits for what comes of it. */
    private static String send(ApiClient client) {
        CompletableFuture<String> answer = new CompletableFuture<>();
        Request write = new Request.Builder()
                .url(client.getBasePath() + "/api/v1/namespaces/n/configmaps/a")
                .delete()
                .build();
        client.getHttpClient().newCall(write).enqueue(new Callback() {
            @Override
            public void onFailure(Call call, IOException e) {
                answer.complete(String.valueOf(e.getMessage()));
            }

            @Override
            public void onResponse(Call call, Response response) {
                response.close();
                answer.complete("HTTP " + response.code());
            }
        });
        return answer.join();
    }

    @Test
    void letsLeaseTrafficPastTheFence() throws ApiException {
        connection.writeFence(() -> {
            throw new WriteFence.WriteRefusedException("no longer the leader");
        });

        configMaps(connection.leaseClient(Duration.ofSeconds(5))).create(object());

        assertThat(requests).hasSize(1);
    }

    @Test
    void letsLeaseTrafficPastALimitThatIsUsedUp() throws ApiException {
        try (ApiConnection limited = withLimitUsedUp()) {
            ApiClient lease = limited.leaseClient(Duration.ofSeconds(5));
            configMaps(lease).create(object());
            configMaps(lease).create(object());
        }

        assertThat(requests).hasSize(3);
    }

    @Test
    void letsEventsPastTheFence() throws ApiException {
        connection.writeFence(() -> {
            throw new WriteFence.WriteRefusedException("no longer the leader");
        });

        configMaps(connection.eventClient()).create(object());

        assertThat(requests).hasSize(1);
    }

    @Test
    void givesEventsALimitOfTheirOwn() throws ApiException {
        try (ApiConnection limited = withLimitUsedUp()) {
            configMaps(limited.eventClient()).create(object());
        }

        assertThat(requests).hasSize(2);
    }

    /** As in client-go's {@code rest/request.go}, whose {@code Watch} says that it does not mean to. */
    @Test
    void limitsListsAndNotWatches() throws Exception {
        try (ApiConnection limited = ApiConnection.builder(time, time)
                .http(HttpSettings.DEFAULTS.withLimits(new RequestLimits(0.5, 1)))
                .build()) {
            limited.connect(at("http://127.0.0.1:" + server.getAddress().getPort()));
            ApiRequests asking = new ApiRequests(limited.apiClient());
            Thread lists = new Thread(() -> {
                for (int i = 0; i < 2; i++) {
                    send(asking, List.of());
                }
            });
            lists.start();
            Awaitility.await().until(() -> time.untilNextTask() != null);
            assertThat(requests).containsExactly("GET /api/v1/configmaps");

            send(asking, List.of(new Pair("watch", "true")));
            assertThat(requests).last().isEqualTo("GET /api/v1/configmaps?watch=true");
            time.advance(Duration.ofSeconds(2));
            lists.join();
        }
        assertThat(requests).hasSize(3).last().isEqualTo("GET /api/v1/configmaps");
    }

    private static void send(ApiRequests asking, List<Pair> query) {
        try {
            asking.call(asking.request("GET", "/api/v1/configmaps", query, null, null))
                    .execute()
                    .close();
        } catch (ApiException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void takesEveryDerivedClientAlongWhenPointedElsewhere() throws ApiException {
        try (ApiConnection unconnected =
                ApiConnection.builder(Clock.system(), timer).build()) {
            List<ApiClient> clients = List.of(
                    unconnected.leaseClient(Duration.ofSeconds(5)),
                    unconnected.fencedClient(WriteFence.open()),
                    unconnected.fencedClient(WriteFence.open()),
                    unconnected.eventClient());
            unconnected.connect(at("http://127.0.0.1:1"));
            unconnected.connect(at("http://127.0.0.1:" + server.getAddress().getPort()));
            for (ApiClient client : clients) {
                configMaps(client).get("n", "a");
            }
        }

        assertThat(requests).hasSize(4);
    }

    @Test
    void keepsItsInterceptorsWhenPointedElsewhere() throws ApiException {
        connection.connect(at("http://127.0.0.1:1"));
        assertThatExceptionOfType(RequestFailedException.class)
                .isThrownBy(() -> configMaps(connection.apiClient()).get("n", "a"));
        connection.connect(at("http://127.0.0.1:" + server.getAddress().getPort()));
        refusals.set(1);

        configMaps(connection.apiClient()).get("n", "a");

        assertThat(requests).hasSize(2);
        assertThat(userAgents).containsOnly("controller-manager/test");
    }

    @Test
    void tellsAMissingObjectFromAMissingType() throws ApiException {
        ResourceClient<V1ConfigMap> client = configMaps(connection.apiClient());

        assertThat(client.get("n", "missing")).isNull();
        assertThat(client.delete("n", "missing")).isFalse();
        assertThatExceptionOfType(RequestFailedException.class)
                .isThrownBy(() -> client.get("n", "unserved"))
                .withMessage("get configmaps n/unserved: HTTP 404: 404 page not found");
    }

    @Test
    void countsEachTryByItsOutcome() throws ApiException {
        refusals.set(1);
        configMaps(connection.apiClient()).create(object());

        String host = "127.0.0.1:" + server.getAddress().getPort();
        assertThat(registry.get("rest_client_requests")
                        .tags("code", "429", "method", "POST", "host", host)
                        .counter()
                        .count())
                .isEqualTo(1);
        assertThat(registry.get("rest_client_requests")
                        .tags("code", "200", "method", "POST", "host", host)
                        .counter()
                        .count())
                .isEqualTo(1);
        assertThat(registry.get("rest_client_request_duration")
                        .tags("verb", "POST", "host", host)
                        .timer()
                        .count())
                .isEqualTo(2);
    }

    private ApiAccess at(String url) {
        return new ApiAccessResolver(Map.of(), time).resolve(null, url);
    }

    /** Connects by a kubeconfig file with such a user, in YAML's flow style. */
    private void connectAs(String user) throws IOException {
        connectTo("http://127.0.0.1:" + server.getAddress().getPort(), "", user);
    }

    private void connectTo(String url, String cluster, String user) throws IOException {
        Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), """
            current-context: x
            contexts: [{name: x, context: {cluster: x, user: x}}]
            clusters: [{name: x, cluster: {server: "%s"%s}}]
            users: [{name: x, user: %s}]
            """.formatted(url, cluster, user));
        connection.connect(new ApiAccessResolver(Map.of(), time).resolve(kubeconfig.toString(), null));
    }

    @Test
    void sendsATokenThatStandsInTheKubeconfig() throws Exception {
        connectAs("{token: fixed}");
        configMaps(connection.apiClient()).get("n", "a");
        time.advance(Duration.ofDays(400));
        configMaps(connection.apiClient()).get("n", "a");

        assertThat(authorizations).containsExactly("Bearer fixed", "Bearer fixed");
    }

    @Test
    void sendsANameAndPassword() throws Exception {
        connectAs("{username: me, password: secret}");
        configMaps(connection.apiClient()).get("n", "a");

        assertThat(authorizations).containsExactly("Basic bWU6c2VjcmV0");
    }

    @Test
    void sendsANameWithoutPassword() throws Exception {
        connectAs("{username: me}");
        configMaps(connection.apiClient()).get("n", "a");

        assertThat(authorizations).containsExactly("Basic bWU6");
    }

    @Test
    void prefersATokenFileToATokenWhileItCanBeRead() throws Exception {
        Path token = Files.writeString(folder.resolve("token"), "of the file");
        connectAs("{tokenFile: token, token: beside}");
        configMaps(connection.apiClient()).get("n", "a");
        Files.writeString(token, "two\nlines");
        time.advance(Duration.ofMinutes(1));
        configMaps(connection.apiClient()).get("n", "a");
        Files.delete(token);
        time.advance(Duration.ofMinutes(1));
        configMaps(connection.apiClient()).get("n", "a");

        assertThat(authorizations).containsExactly("Bearer of the file", "Bearer beside", "Bearer beside");
    }

    @Test
    void asksForCompressionUnlessTheClusterIsNotToCompress() throws Exception {
        connectTo("http://127.0.0.1:" + server.getAddress().getPort(), ", disable-compression: true", "{token: t}");
        configMaps(connection.apiClient()).get("n", "a");
        connectAs("{token: t}");
        configMaps(connection.apiClient()).get("n", "a");

        assertThat(headers.get(0)).containsEntry("Accept-encoding", List.of("identity"));
        assertThat(headers.get(1)).containsEntry("Accept-encoding", List.of("gzip"));
    }

    @Test
    void readsATokenFileAgainAfterAMinute() throws Exception {
        Path token = Files.writeString(folder.resolve("token"), "old\n");
        connectAs("{tokenFile: token}");
        Files.writeString(token, "new\n");
        configMaps(connection.apiClient()).get("n", "a");
        time.advance(Duration.ofMinutes(1));
        configMaps(connection.apiClient()).get("n", "a");

        assertThat(authorizations).containsExactly("Bearer old", "Bearer new");
    }

    @Test
    void readsATokenAgainWhenItIsRefused() throws Exception {
        Path token = Files.writeString(folder.resolve("token"), "old\n");
        connectAs("{tokenFile: token}");
        goodToken = "old";
        configMaps(connection.apiClient()).get("n", "a");
        goodToken = "new";
        Files.writeString(token, "new\n");

        configMaps(connection.apiClient()).get("n", "a");

        assertThat(authorizations).containsExactly("Bearer old", "Bearer old", "Bearer new");
    }

    @Test
    void runsACredentialPlugin() throws Exception {
        Path plugin = Files.writeString(folder.resolve("plugin"), """
            #!/bin/sh
            echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"minted"}}'
            """);
        assertThat(plugin.toFile().setExecutable(true)).isTrue();
        connectAs("{exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: ./plugin}}");

        configMaps(connection.apiClient()).get("n", "a");

        assertThat(authorizations).containsExactly("Bearer minted");
    }

    @ParameterizedTest
    @ValueSource(strings = {"s3cret-token", "\"s3cret-token\"", "{\"token\":\"s3cret-token\"}", "[\"s3cret-token\""})
    void aPluginThatPrintsABareTokenIsNotQuoted(String output) throws Exception {
        Path plugin = Files.writeString(folder.resolve("plugin"), "#!/bin/sh\necho '%s'\n".formatted(output));
        assertThat(plugin.toFile().setExecutable(true)).isTrue();

        assertThatExceptionOfType(ApiAccessException.class)
                .isThrownBy(
                        () -> connectAs(
                                "{exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: ./plugin}}"))
                .withMessageContaining("credential plugin " + plugin)
                .withMessageNotContaining("s3cret")
                .withNoCause();
    }

    @Test
    void sendsATokenBesideAClientCertificate() throws Exception {
        Path store = folder.resolve("store.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "k",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=nobody",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        "changeit",
                        "-keystore",
                        store.toString())
                .inheritIO()
                .start();
        assertThat(keytool.waitFor()).isZero();
        KeyStore keys = KeyStore.getInstance(store.toFile(), "changeit".toCharArray());
        connectAs("{token: fixed, client-certificate-data: %s, client-key-data: %s}"
                .formatted(
                        pem("CERTIFICATE", keys.getCertificate("k").getEncoded()),
                        pem(
                                "PRIVATE KEY",
                                keys.getKey("k", "changeit".toCharArray()).getEncoded())));

        configMaps(connection.apiClient()).get("n", "a");

        assertThat(authorizations).containsExactly("Bearer fixed");
        assertThat(connection.apiClient().getKeyManagers()).hasSize(1);
    }

    /** As a kubeconfig holds it: base64 in base64. */
    private static String pem(String what, byte[] content) {
        String text = "-----BEGIN %s-----\n%s\n-----END %s-----\n"
                .formatted(what, Base64.getMimeEncoder().encodeToString(content), what);
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void passesForSomebodyElse() throws Exception {
        connectAs("{token: t, as: jane, as-uid: u1, as-groups: [a, b], as-user-extra: {example.com/k%: [v, w]}}");
        configMaps(connection.apiClient()).get("n", "a");
        configMaps(connection.leaseClient(Duration.ofSeconds(5))).get("n", "a");

        assertThat(headers)
                .hasSize(2)
                .allSatisfy(sent -> assertThat(sent)
                        .containsEntry("Authorization", List.of("Bearer t"))
                        .containsEntry("Impersonate-user", List.of("jane"))
                        .containsEntry("Impersonate-uid", List.of("u1"))
                        .containsEntry("Impersonate-group", List.of("a", "b"))
                        .containsEntry("Impersonate-extra-example.com%2fk%25", List.of("v", "w")));

        connectAs("{token: t}");
        configMaps(connection.apiClient()).get("n", "a");
        assertThat(headers.get(2)).doesNotContainKeys("Impersonate-user", "Impersonate-group", "Impersonate-uid");
    }

    @Test
    void goesThroughTheProxyThatTheKubeconfigNames() throws Exception {
        String own = "http://127.0.0.1:" + server.getAddress().getPort();
        connectTo("http://cluster.invalid", ", proxy-url: \"" + own + "\"", "{token: t}");
        configMaps(connection.apiClient()).get("n", "a");
        assertThat(requests).containsExactly("GET http://cluster.invalid/api/v1/namespaces/n/configmaps/a");

        connectAs("{token: t}");
        configMaps(connection.apiClient()).get("n", "a");
        assertThat(requests).last().isEqualTo("GET /api/v1/namespaces/n/configmaps/a");
    }
}
