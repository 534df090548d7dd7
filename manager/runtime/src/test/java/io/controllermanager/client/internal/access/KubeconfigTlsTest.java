package io.controllermanager.client.internal.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.client.internal.transport.ApiAccessException;
import io.controllermanager.client.internal.transport.TlsFront;
import io.controllermanager.client.internal.transport.TlsFront.Identity;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a kubeconfig says of TLS, before a server that speaks it. */
class KubeconfigTlsTest {

    private final HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    private final SystemTimer timer = new SystemTimer("test-timer");
    private final ApiConnection connection =
            ApiConnection.builder(Clock.system(), timer).build();

    @TempDir
    private Path folder = Path.of("");

    KubeconfigTlsTest() throws IOException {
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void close() {
        connection.close();
        timer.close();
        server.stop(0);
    }

    private TlsFront front(Identity identity) throws Exception {
        return new TlsFront(URI.create("http://127.0.0.1:" + server.getAddress().getPort()), identity);
    }

    private int get(String url, Identity identity, String cluster, String user, @Nullable String master)
            throws Exception {
        Path kubeconfig = Files.writeString(
                folder.resolve("kubeconfig"), """
                    current-context: x
                    contexts: [{name: x, context: {cluster: x, user: x}}]
                    clusters: [{name: x, cluster: {server: "%s", certificate-authority-data: %s%s}}]
                    users: [{name: x, user: {%s}}]
                    """.formatted(url, base64(identity.authority()), cluster, user));
        connection.connect(new ApiAccessResolver(Map.of(), Clock.system()).resolve(kubeconfig.toString(), master));
        try (Response response = connection
                .apiClient()
                .getHttpClient()
                .newCall(new Request.Builder()
                        .url((master == null ? url : master) + "/readyz")
                        .build())
                .execute()) {
            return response.code();
        }
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        127.0.0.1 | dns:kubernetes.default.svc | kubernetes.default.svc | kubernetes.default.svc
        127.0.0.1 | dns:kubernetes             | kubernetes             | kubernetes
        localhost | ip:10.1.2.3                | 10.1.2.3               | no name
        localhost | dns:localhost              | ''                     | localhost
        127.0.0.1 | ip:127.0.0.1               | ''                     | no name
        """)
    void asksForTheNameThatTheCertificateIsToHave(String host, String names, String serverName, String asked)
            throws Exception {
        Identity identity = Identity.make("api", "SAN=" + names, "-keyalg", "EC");
        try (TlsFront front = front(identity)) {
            String url = front.url().replace("127.0.0.1", host);

            assertThat(get(url, identity, ", tls-server-name: \"" + serverName + "\"", "", null))
                    .isEqualTo(200);
            assertThat(front.names()).containsExactly(asked);
        }
    }

    @Test
    void trustsNoOtherNameAndDropsItWithAGivenUrl() throws Exception {
        Identity identity = Identity.make("api", "SAN=dns:kubernetes", "-keyalg", "EC");
        try (TlsFront front = front(identity)) {
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> get(front.url(), identity, ", tls-server-name: other", "", null))
                    .withMessageContaining("subjectAltNames: [kubernetes]");
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> get("https://unused", identity, ", tls-server-name: kubernetes", "", front.url()))
                    .withMessageContaining("Hostname 127.0.0.1 not verified");
            // The server notes a name once its side of the handshake is over; the client has given up by then.
            await().untilAsserted(
                            () -> assertThat(front.names()).startsWith("other").endsWith("no name"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "Ed25519,-sigalg,Ed25519",
        "EC,-groupname,secp256r1",
        "EC,-groupname,secp384r1",
        "EC,-groupname,secp521r1",
        "RSA,-keysize,2048"
    })
    void showsAClientCertificateOfEachKindOfKey(String algorithm, String option, String value) throws Exception {
        Identity identity = Identity.make("me", "SAN=ip:127.0.0.1", "-keyalg", algorithm, option, value);
        try (TlsFront front = front(identity)) {
            front.requireCertificate();
            String user = "client-certificate-data: %s, client-key-data: %s"
                    .formatted(base64(identity.authority()), base64(identity.key()));

            assertThat(get(front.url(), identity, "", user, null)).isEqualTo(200);
        }
    }

    @Test
    void saysThatAKeyIsEncrypted() throws Exception {
        Identity identity = Identity.make("me");
        String user = "client-certificate-data: %s, client-key-data: %s"
                .formatted(
                        base64(identity.authority()),
                        base64("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAA==\n-----END ENCRYPTED PRIVATE KEY-----\n"));

        assertThatExceptionOfType(ApiAccessException.class)
                .isThrownBy(() -> get("https://unused", identity, "", user, null))
                .withMessageEndingWith("user \"x\": the client certificate or its key is of no use:"
                        + " the private key is encrypted, and there is no password for it");
    }
}
