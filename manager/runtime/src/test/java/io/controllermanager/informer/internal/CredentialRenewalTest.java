package io.controllermanager.informer.internal;

import static io.controllermanager.client.internal.connection.Connected.configMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.access.ApiAccessResolver;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.client.internal.transport.ApiAccessException;
import io.controllermanager.client.internal.transport.TlsFront;
import io.controllermanager.informer.internal.reflector.ReflectorStatus;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.AuthenticationV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1SelfSubjectReview;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Client certificates that are renewed where they come from, before or after they have run out, under open connections. */
@RealControlPlane
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("the servers of CredentialRenewalTest")
class CredentialRenewalTest {

    private static final Duration LIFETIME = Duration.ofSeconds(30);

    private final ControlPlane plane;
    private final String namespace;
    private final SystemTimer timer = new SystemTimer("test-timer");
    private final VirtualTime time = new VirtualTime();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final ApiConnection connection =
            ApiConnection.builder(Clock.system(), timer).metrics(registry).build();
    private final ResourceClient<V1ConfigMap> configMaps =
            new ResourceClient<>(connection.apiClient(), ResourceTypes.CONFIG_MAP);

    @TempDir
    private Path folder = Path.of("");

    CredentialRenewalTest(ControlPlane plane) {
        this.plane = plane;
        this.namespace = plane.createNamespace("renewal");
    }

    @AfterEach
    void close() {
        connection.close();
        timer.close();
    }

    private String shortLived() {
        return plane.kubeconfigFor(LIFETIME, "short", "system:masters");
    }

    private String longLived() {
        return plane.kubeconfigFor("long", "system:masters");
    }

    private void connect(Path kubeconfig) {
        connection.connect(new ApiAccessResolver().resolve(kubeconfig.toString(), null));
    }

    private void awaitRefusal() {
        await().until(() -> {
            try {
                configMaps.get(namespace, "a");
                return false;
            } catch (ApiException e) {
                return e.getCode() == 401;
            }
        });
    }

    /** How often the collection was read though the API server had not forgotten the version where the watch was to go on. */
    private static long unforcedLists(HostInformer<?> informer) {
        ReflectorStatus status = informer.status().reflectors().get(0);
        return status.lists() - status.watchEnds().getOrDefault("expired", 0L);
    }

    private static byte[] pem(String kubeconfig, String field) {
        Matcher found = Pattern.compile(field + ": (\\S+)").matcher(kubeconfig);
        assertThat(found.find()).isTrue();
        return Base64.getDecoder().decode(found.group(1));
    }

    @Test
    void takesTheCertificateThatTakesTheOthersPlaceInTheKubeconfig() throws Exception {
        Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), shortLived());
        connect(kubeconfig);
        try (InformerFactory factory = new InformerFactory(
                connection, Clock.system(), timer, InformerOptions.DEFAULTS.withNamespaces(Set.of(namespace)))) {
            HostInformer<V1ConfigMap> informer = factory.informer(ResourceTypes.CONFIG_MAP);
            informer.run();
            await().until(() -> informer.status().connected());
            long lists = unforcedLists(informer);
            awaitRefusal();

            // Another user's, in the same entry.
            Files.writeString(kubeconfig, longLived().replace("\"long\"", "\"short\""));

            await().until(() -> {
                try {
                    configMaps.create(configMap(namespace, "a", "1"));
                    return true;
                } catch (ApiException e) {
                    // What was read a moment ago is not read again at once; a connection that is given up breaks off.
                    assertThat(e.getCode()).isIn(0, 401);
                    return false;
                }
            });
            await().until(() -> informer.getIndexer().getByKey(namespace + "/a") != null);
            assertThat(unforcedLists(informer)).as("%s", informer.status()).isEqualTo(lists);
        }
    }

    @Test
    void takesTheCertificateThatAPluginGivesLater() throws Exception {
        Path answer = folder.resolve("answer");
        Files.writeString(answer, execCredential(shortLived()));
        Path plugin = Files.writeString(folder.resolve("plugin"), "#!/bin/sh\ncat '" + answer + "'\n");
        assertThat(plugin.toFile().setExecutable(true)).isTrue();
        String kubeconfig = longLived();
        connect(Files.writeString(folder.resolve("kubeconfig"), withPlugin(kubeconfig)));
        awaitRefusal();

        Files.writeString(answer, execCredential(kubeconfig));

        await().ignoreExceptions().until(() -> configMaps.get(namespace, "a") == null);
    }

    private String whoAmI() throws ApiException {
        return new AuthenticationV1Api(connection.apiClient())
                .createSelfSubjectReview(new V1SelfSubjectReview())
                .execute()
                .getStatus()
                .getUserInfo()
                .getUsername();
    }

    private double refusals() {
        return registry.find("rest_client_requests").tag("code", "401").counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    @Test
    void takesACertificateOfAnotherFileBeforeTheFormerOneIsRefused() throws Exception {
        Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), withFiles());
        writeFiles(longLived());
        connection.connect(new ApiAccessResolver(Map.of(), time).resolve(kubeconfig.toString(), null));
        try (InformerFactory factory = new InformerFactory(
                connection, Clock.system(), timer, InformerOptions.DEFAULTS.withNamespaces(Set.of(namespace)))) {
            HostInformer<V1ConfigMap> informer = factory.informer(ResourceTypes.CONFIG_MAP);
            informer.run();
            await().until(() -> informer.status().connected());
            assertThat(whoAmI()).isEqualTo("long");

            writeFiles(plane.kubeconfigFor("next", "system:masters"));
            assertThat(whoAmI()).isEqualTo("long");
            time.advance(Duration.ofMinutes(1));

            assertThat(whoAmI()).isEqualTo("next");
            configMaps.create(configMap(namespace, "a", "1"));
            await().until(() -> informer.getIndexer().getByKey(namespace + "/a") != null);
            assertThat(informer.status().lists()).isEqualTo(1);
            // The connection with the old certificate has gone, and the watch with it.
            await().until(() -> informer.status().watches() > 1);
            assertThat(refusals()).isZero();
        }
    }

    @Test
    void keepsACertificateWhoseFilesDoNotFitEachOther() throws Exception {
        Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), withFiles());
        writeFiles(longLived());
        connection.connect(new ApiAccessResolver(Map.of(), time).resolve(kubeconfig.toString(), null));
        String next = plane.kubeconfigFor("next", "system:masters");

        Files.write(folder.resolve("certificate"), pem(next, "client-certificate-data"));
        time.advance(Duration.ofMinutes(1));
        assertThat(whoAmI()).isEqualTo("long");

        Files.write(folder.resolve("key"), pem(next, "client-key-data"));
        time.advance(Duration.ofMinutes(1));
        assertThat(whoAmI()).isEqualTo("next");
    }

    @Test
    void refusesACertificateAndAKeyThatDoNotFitEachOtherAtTheStart() throws Exception {
        Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), withFiles());
        writeFiles(longLived());
        Files.write(folder.resolve("key"), pem(plane.kubeconfigFor("next", "system:masters"), "client-key-data"));

        assertThatExceptionOfType(ApiAccessException.class)
                .isThrownBy(() -> connect(kubeconfig))
                .withMessageEndingWith(
                        "user \"long\": the client certificate or its key is of no use: the certificate and the key do not"
                                + " belong together");
    }

    /** The server stays as it is, over HTTP/2; {@link AuthorityRenewalTest} has one that changes, over HTTP/1.1. */
    @Test
    void closesConnectionsWhenTheFileOfTheAuthorityChangesAndGoesOnOverOthers() throws Exception {
        byte[] own = pem(longLived(), "certificate-authority-data");
        Path authority = Files.write(folder.resolve("ca.crt"), own);
        Path kubeconfig = Files.writeString(
                folder.resolve("kubeconfig"),
                longLived().replaceAll("certificate-authority-data: \\S+", "certificate-authority: ca.crt"));
        connection.connect(new ApiAccessResolver(Map.of(), time).resolve(kubeconfig.toString(), null));
        try (InformerFactory factory = new InformerFactory(
                connection, Clock.system(), timer, InformerOptions.DEFAULTS.withNamespaces(Set.of(namespace)))) {
            HostInformer<V1ConfigMap> informer = factory.informer(ResourceTypes.CONFIG_MAP);
            informer.run();
            await().until(() -> informer.status().connected());

            Files.writeString(authority, TlsFront.Identity.make("other").authority());
            time.advance(Duration.ofSeconds(5));
            assertThatExceptionOfType(ApiException.class)
                    .isThrownBy(this::whoAmI)
                    .withCauseInstanceOf(SSLHandshakeException.class);
            await().until(() -> !informer.status().connected());

            Files.write(authority, own);
            time.advance(Duration.ofSeconds(1));
            await().ignoreExceptionsInstanceOf(ApiException.class).until(() -> whoAmI().equals("long"));
            configMaps.create(configMap(namespace, "a", "1"));
            await().until(() -> informer.getIndexer().getByKey(namespace + "/a") != null);
            assertThat(informer.status().lists()).isEqualTo(1);
        }
    }

    private String withFiles() {
        return longLived()
                .replaceAll("client-certificate-data: \\S+", "client-certificate: certificate")
                .replaceAll("client-key-data: \\S+", "client-key: key");
    }

    private void writeFiles(String kubeconfig) throws IOException {
        Files.write(folder.resolve("certificate"), pem(kubeconfig, "client-certificate-data"));
        Files.write(folder.resolve("key"), pem(kubeconfig, "client-key-data"));
    }

    @Test
    void asksAPluginAgainBeforeItsCertificateRunsOut() throws Exception {
        Path answer = folder.resolve("answer");
        Files.writeString(answer, execCredential(longLived()));
        Path plugin = Files.writeString(folder.resolve("plugin"), "#!/bin/sh\ncat '" + answer + "'\n");
        assertThat(plugin.toFile().setExecutable(true)).isTrue();
        Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), withPlugin(longLived()));
        connection.connect(new ApiAccessResolver(Map.of(), time).resolve(kubeconfig.toString(), null));
        Instant end = end(pem(longLived(), "client-certificate-data"));
        Files.writeString(answer, execCredential(plane.kubeconfigFor("next", "system:masters")));

        time.advance(Duration.between(time.now(), end).minusMinutes(5));
        assertThat(whoAmI()).isEqualTo("long");
        time.advance(Duration.ofMinutes(4).plusSeconds(30));

        // A connection that is given up breaks off.
        await().ignoreExceptionsInstanceOf(ApiException.class).until(() -> whoAmI().equals("next"));
        assertThat(refusals()).isZero();
    }

    private static Instant end(byte[] certificate) throws CertificateException {
        return ((X509Certificate) CertificateFactory.getInstance("X.509")
                        .generateCertificate(new ByteArrayInputStream(certificate)))
                .getNotAfter()
                .toInstant();
    }

    private static String withPlugin(String kubeconfig) {
        return kubeconfig.substring(0, kubeconfig.indexOf("    client-certificate-data"))
                + "    exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: ./plugin}\n";
    }

    private static String execCredential(String kubeconfig) {
        return """
                {"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{
                "clientCertificateData":"%s","clientKeyData":"%s"}}
                """.formatted(
                escaped(pem(kubeconfig, "client-certificate-data")), escaped(pem(kubeconfig, "client-key-data")));
    }

    private static String escaped(byte[] pem) {
        return new String(pem, StandardCharsets.UTF_8).replace("\n", "\\n");
    }
}
