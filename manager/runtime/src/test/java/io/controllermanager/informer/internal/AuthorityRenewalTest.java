package io.controllermanager.informer.internal;

import static io.controllermanager.client.internal.connection.Connected.configMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.access.ApiAccessResolver;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.client.internal.transport.ApiAccessException;
import io.controllermanager.client.internal.transport.LinesWith;
import io.controllermanager.client.internal.transport.TlsFront;
import io.controllermanager.client.internal.transport.TlsFront.Identity;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** A certificate authority that is replaced where it stands, after or before the API server's certificate. */
class AuthorityRenewalTest {

    private static final Identity OLD = Identity.make("old");
    private static final Identity NEXT = Identity.make("next");

    /** When a request is to have looked at files; somebody who competes for a Lease sends one each few seconds. */
    private static final Duration AGE = Duration.ofSeconds(5);

    private final ApiServer server = ApiServer.start();
    private final TlsFront front = new TlsFront(server.url(), OLD);
    private final String namespace = server.createNamespace("renewal");
    private final VirtualTime time = new VirtualTime();
    private final SystemTimer timer = new SystemTimer("test-timer");
    private final ApiConnection connection =
            ApiConnection.builder(Clock.system(), timer).build();
    private final InformerFactory factory = new InformerFactory(
            connection, Clock.system(), timer, InformerOptions.DEFAULTS.withNamespaces(Set.of(namespace)));
    private final ResourceClient<V1ConfigMap> configMaps =
            new ResourceClient<>(connection.apiClient(), ResourceTypes.CONFIG_MAP);
    private final ResourceClient<V1ConfigMap> overLeaseClient =
            new ResourceClient<>(connection.leaseClient(Duration.ofSeconds(5)), ResourceTypes.CONFIG_MAP);
    private final Logger logger =
            (Logger) LoggerFactory.getLogger("io.controllermanager.client.internal.transport.Renewable");
    private ListAppender<ILoggingEvent> logged = new ListAppender<>();

    @TempDir
    private Path folder = Path.of("");

    AuthorityRenewalTest() throws Exception {}

    @BeforeEach
    void listen() {
        logged = LinesWith.text(folder.toString());
        logger.addAppender(logged);
    }

    @AfterEach
    void close() throws IOException {
        logger.detachAppender(logged);
        factory.close();
        connection.close();
        timer.close();
        front.close();
        server.close();
    }

    private Path ca() {
        return folder.resolve("ca.crt");
    }

    /** With a kubeconfig that names the file. */
    private void connectWith(String authority) throws IOException {
        Files.writeString(ca(), authority);
        connect("certificate-authority: ca.crt");
    }

    private void connect(String authority) throws IOException {
        Path kubeconfig = writeKubeconfig(authority);
        connection.connect(new ApiAccessResolver(Map.of(), time).resolve(kubeconfig.toString(), null));
    }

    private Path writeKubeconfig(String authority) throws IOException {
        return Files.writeString(folder.resolve("kubeconfig"), """
                current-context: here
                contexts: [{name: here, context: {cluster: c, user: u}}]
                clusters: [{name: c, cluster: {server: "%s", %s}}]
                users: [{name: u, user: {token: t}}]
                """.formatted(front.url(), authority));
    }

    private HostInformer<V1ConfigMap> watching() {
        HostInformer<V1ConfigMap> informer = factory.informer(ResourceTypes.CONFIG_MAP);
        informer.run();
        await().until(() -> informer.hasSynced() && informer.status().connected());
        return informer;
    }

    private void assertRefused(ResourceClient<V1ConfigMap> client) {
        assertThatExceptionOfType(ApiException.class)
                .isThrownBy(() -> client.get(namespace, "a"))
                .withCauseInstanceOf(SSLHandshakeException.class);
    }

    /** The monitor asks too, and may be the one who finds the file changed and closes all connections. */
    private void awaitWorking(ResourceClient<V1ConfigMap> client) {
        await().ignoreExceptionsInstanceOf(ApiException.class).until(() -> client.get(namespace, "a") == null);
    }

    @Test
    void goesOnOnceTheFileHoldsTheAuthorityOfTheServersNewCertificate() throws Exception {
        connectWith(OLD.authority());
        HostInformer<V1ConfigMap> informer = watching();
        front.restartAs(NEXT);
        assertRefused(configMaps);
        Files.writeString(ca(), NEXT.authority());
        time.advance(Duration.ofSeconds(1));

        awaitWorking(configMaps);
        awaitWorking(overLeaseClient);
        configMaps.create(configMap(namespace, "a", "1"));
        await().until(() -> informer.getIndexer().getByKey(namespace + "/a") != null);
        assertThat(informer.status().lists()).isEqualTo(1);
        assertThat(logged.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("The certificate authority " + ca() + " has been renewed");
    }

    @Test
    void closesConnectionsOfTheFormerAuthority() throws Exception {
        connectWith(OLD.authority());
        HostInformer<V1ConfigMap> informer = watching();
        overLeaseClient.get(namespace, "a");
        Files.writeString(ca(), NEXT.authority());
        configMaps.get(namespace, "a");
        time.advance(AGE);

        assertRefused(configMaps);

        await().until(() -> !informer.status().connected());
        assertRefused(overLeaseClient);
        await().until(() -> front.connections() == 0);
        front.restartAs(NEXT);
        configMaps.create(configMap(namespace, "a", "1"));
        await().until(() -> informer.getIndexer().getByKey(namespace + "/a") != null);
        assertThat(informer.status().lists()).isEqualTo(1);
    }

    /** As the kubelet and cert-manager hand out a new authority: beside the former one, for a time. */
    @Test
    void worksAcrossEachStepOfAChangeWithBothAuthorities() throws Exception {
        connectWith(OLD.authority());
        configMaps.get(namespace, "a");
        Files.writeString(ca(), OLD.authority() + NEXT.authority());
        time.advance(AGE);
        configMaps.get(namespace, "a");
        front.restartAs(NEXT);
        configMaps.get(namespace, "a");
        Files.writeString(ca(), NEXT.authority());
        time.advance(AGE);
        configMaps.get(namespace, "a");
    }

    static Stream<Arguments> badContents() throws Exception {
        String next = NEXT.authority();
        return Stream.of(
                Arguments.of("empty", "", "it holds no certificate"),
                Arguments.of("garbage", "nonsense\n", "it holds something that is no certificate"),
                Arguments.of(
                        "half written",
                        next.substring(0, next.length() / 2),
                        "it holds something that is no certificate"),
                Arguments.of(
                        "one and a half",
                        next + next.substring(0, next.length() / 2),
                        "it holds something that is no certificate"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("badContents")
    void keepsTheFormerAuthorityWhileTheFileIsOfNoUse(String name, String content, String reason) throws Exception {
        connectWith(OLD.authority());
        HostInformer<V1ConfigMap> informer = watching();
        for (int i = 0; i < 3; i++) {
            Files.writeString(ca(), content);
            time.advance(AGE);
            configMaps.get(namespace, "a");
        }

        assertThat(informer.status().watches()).isEqualTo(1);
        assertThat(logged.list).hasSize(1).allSatisfy(event -> {
            assertThat(event.getLevel()).isEqualTo(Level.WARN);
            assertThat(event.getFormattedMessage())
                    .isEqualTo("The certificate authority " + ca() + " cannot be renewed, the former one stays in use: "
                            + reason);
        });
    }

    @Test
    void keepsTheFormerAuthorityWhileThereIsNoFile() throws Exception {
        connectWith(OLD.authority());
        Files.delete(ca());
        time.advance(AGE);

        configMaps.get(namespace, "a");

        assertThat(logged.list)
                .hasSize(1)
                .allSatisfy(event -> assertThat(event.getFormattedMessage())
                        .endsWith("cannot read certificate-authority " + ca() + ": there is no such file"));
    }

    @Test
    void followsTheAuthorityInTheKubeconfigItself() throws Exception {
        connect(inline(OLD));
        configMaps.get(namespace, "a");
        front.restartAs(NEXT);
        writeKubeconfig(inline(NEXT));
        time.advance(Duration.ofSeconds(1));

        configMaps.get(namespace, "a");

        // As it is while somebody writes it: what has been read last stays, not what was read first.
        Files.writeString(folder.resolve("kubeconfig"), "");
        time.advance(AGE);
        configMaps.get(namespace, "a");
        writeKubeconfig("tls-server-name: \"\"");
        time.advance(AGE);
        configMaps.get(namespace, "a");
    }

    private static String inline(Identity identity) throws Exception {
        return "certificate-authority-data: "
                + Base64.getEncoder()
                        .encodeToString(identity.authority().getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    }

    @Test
    void followsTheAuthorityOfAPod() throws Exception {
        Files.writeString(ca(), OLD.authority());
        Files.writeString(folder.resolve("token"), "t");
        String port = front.url().substring(front.url().lastIndexOf(':') + 1);
        connection.connect(new ApiAccessResolver(
                        Map.of(
                                "KUBERNETES_SERVICE_HOST",
                                "127.0.0.1",
                                "KUBERNETES_SERVICE_PORT",
                                port,
                                "KUBERNETES_SERVICE_ACCOUNT_DIRECTORY",
                                folder.toString()),
                        time)
                .resolve(null, null));
        configMaps.get(namespace, "a");
        front.restartAs(NEXT);
        assertRefused(configMaps);
        Files.writeString(ca(), NEXT.authority());
        time.advance(Duration.ofSeconds(1));

        awaitWorking(configMaps);
    }

    @Test
    void refusesAnAuthorityThatIsOfNoUseAtTheStart() {
        assertThatExceptionOfType(ApiAccessException.class)
                .isThrownBy(() -> connectWith("nonsense"))
                .withMessage("the certificate authority " + ca()
                        + " is of no use: it holds something that is no certificate");
    }
}
