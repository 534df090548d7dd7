package io.controllermanager.app.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.app.process.Kubeconfigs;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.Base64;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** HTTPS with the files of a Secret, which the kubelet renews by turning a symbolic link. */
@ExtendWith(OutputCaptureExtension.class)
class CertificateRenewalTests {

    private static final char[] PASSWORD = "changeit".toCharArray();

    @TempDir
    Path directory;

    @Test
    void aRenewedCertificateIsServedWithoutARestartAndABrokenOneIsNot(CapturedOutput output) throws Exception {
        Path mount = Files.createDirectory(directory.resolve("mount"));
        X509Certificate first = renew(mount, "first");
        Files.createSymbolicLink(mount.resolve("tls.crt"), Path.of("..data/tls.crt"));
        Files.createSymbolicLink(mount.resolve("tls.key"), Path.of("..data/tls.key"));
        String bundle = "--spring.ssl.bundle.pem.web.";
        try (HostedManager manager = HostedManager.start(
                "--controller-manager.kubeconfig=" + Kubeconfigs.unreachable(directory),
                "--server.ssl.bundle=web",
                bundle + "reload-on-update=true",
                bundle + "keystore.certificate=" + mount.resolve("tls.crt"),
                bundle + "keystore.private-key=" + mount.resolve("tls.key"),
                "--spring.ssl.bundle.watch.file.quiet-period=100ms")) {
            assertThat(liveness(manager.port(), first)).isEqualTo(200);
            assertThat(served(manager.port())).isEqualTo(first);

            X509Certificate second = renew(mount, "second");
            await("the second is served").until(() -> served(manager.port()).equals(second));
            assertThat(liveness(manager.port(), second)).isEqualTo(200);

            swap(mount, "broken", "-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n", "nonsense");
            await("the log says so")
                    .until(() -> output.getAll().contains("SSL bundle web: what was renewed cannot be used"));
            assertThat(output.getAll()).contains("Could not load store: ").doesNotContain("\tat ");
            assertThat(served(manager.port())).isEqualTo(second);

            X509Certificate third = renew(mount, "third");
            await("the third is served").until(() -> served(manager.port()).equals(third));
        }
    }

    /** Makes a key and a certificate, and has the mount show them. */
    private X509Certificate renew(Path mount, String name) throws Exception {
        Path store = directory.resolve(name + ".p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "it",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        "SAN=dns:localhost",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        new String(PASSWORD),
                        "-keystore",
                        store.toString())
                .inheritIO()
                .start();
        assertThat(keytool.waitFor()).isZero();
        KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD);
        X509Certificate certificate = (X509Certificate) keys.getCertificate("it");
        swap(
                mount,
                name,
                pem("CERTIFICATE", certificate.getEncoded()),
                pem("PRIVATE KEY", keys.getKey("it", PASSWORD).getEncoded()));
        return certificate;
    }

    /** As kubelet's atomic writer does it: a new folder, a new link to it in the old one's place, the old folder gone. */
    private static void swap(Path mount, String name, String certificate, String key) throws IOException {
        Path data = mount.resolve("..data");
        Path before = Files.exists(data) ? data.toRealPath() : null;
        Path folder = Files.createDirectory(mount.resolve(".." + name));
        Files.writeString(folder.resolve("tls.crt"), certificate);
        Files.writeString(folder.resolve("tls.key"), key);
        Path link = Files.createSymbolicLink(mount.resolve("..data_tmp"), folder.getFileName());
        Files.move(link, data, StandardCopyOption.ATOMIC_MOVE);
        if (before != null) {
            Files.delete(before.resolve("tls.crt"));
            Files.delete(before.resolve("tls.key"));
            Files.delete(before);
        }
    }

    private static String pem(String what, byte[] content) {
        return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
                .formatted(what, Base64.getMimeEncoder().encodeToString(content), what);
    }

    /** The certificate that a new connection is shown. */
    private static X509Certificate served(int port) throws IOException, GeneralSecurityException {
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(null, new TrustManager[] {new TrustsAll()}, new SecureRandom());
        try (SSLSocket socket = (SSLSocket) tls.getSocketFactory().createSocket("localhost", port)) {
            return (X509Certificate) socket.getSession().getPeerCertificates()[0];
        }
    }

    /** The answer to the kubelet's probe, given to one who trusts this certificate alone. */
    private static int liveness(int port, X509Certificate trusted)
            throws IOException, GeneralSecurityException, InterruptedException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, PASSWORD);
        store.setCertificateEntry("it", trusted);
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(null, trust.getTrustManagers(), new SecureRandom());
        URI uri = URI.create("https://localhost:" + port + "/actuator/health/liveness");
        return HttpClient.newBuilder()
                .sslContext(tls)
                .build()
                .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    private static final class TrustsAll implements X509TrustManager {

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
