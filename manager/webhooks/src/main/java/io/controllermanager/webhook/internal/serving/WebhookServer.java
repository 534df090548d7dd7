package io.controllermanager.webhook.internal.serving;

import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.client.internal.transport.Renewable;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import io.controllermanager.webhook.internal.certificate.KeyedCertificate;
import io.controllermanager.webhook.internal.certificate.Pem;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.startup.Tomcat;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.coyote.http2.Http2Protocol;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves webhooks by HTTPS on a port of its own: Tomcat with one servlet, by HTTP/1.1 and HTTP/2. Idle connections take no thread.
 * Safe for use by several threads.
 */
public final class WebhookServer implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(WebhookServer.class);

    /**
     * How long a connection may be idle. An API server ends its own after 90 s: whoever ends one first must not be we, since a
     * request that comes at that moment would fail.
     */
    private static final Duration KEEP_ALIVE = Duration.ofMinutes(5);

    /** How long an API server waits for an answer at most. */
    private static final Duration LONGEST_REQUEST = Duration.ofSeconds(30);

    private static final int CONNECT_MILLIS = 20_000;

    /** As many at a time over one connection as there are threads. */
    private static final int THREADS = 200;

    /**
     * Of TLS 1.3, in order. The JVM's first compiler alone, as images have it, does not use the processor's instructions for AES, which
     * takes four times as long there as ChaCha20. With both compilers the difference is some microseconds.
     */
    private static final String CIPHER_SUITES =
            "TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384";

    /** Of stores that are in memory alone. */
    private static final char[] PASSWORD = {};

    /** Tomcat would tell of a keystore file that it does not read. Held, since a logger that nobody holds forgets its level. */
    private static final java.util.logging.Logger CERTIFICATES =
            java.util.logging.Logger.getLogger("org.apache.tomcat.util.net.NioEndpoint.certificate");

    static {
        CERTIFICATES.setLevel(java.util.logging.Level.WARNING);
    }

    private final ServerSettings settings;
    private final WebhookServlet servlet;
    private final Clock clock;
    private final Timer timer;
    private final Tomcat tomcat = new Tomcat();
    private final Http11NioProtocol protocol = new Http11NioProtocol();
    private final Connector connector = new Connector(protocol);

    /** Those that sign clients' certificates; null to let everybody ask. */
    private final @Nullable Renewable<List<X509Certificate>> clientAuthorities;

    private volatile @Nullable KeyedCertificate leaf;
    private volatile boolean closing;

    /**
     * Does not listen yet.
     *
     * @param timer interrupts handlers whose time is over, and has the file of the clients' authorities read again
     * @throws IllegalStateException if that file is of no use
     */
    public WebhookServer(
            ServerSettings settings, WebhookHandler handler, Clock clock, Timer timer, MeterRegistry registry) {
        this.settings = settings;
        this.clock = clock;
        this.timer = timer;
        this.servlet = new WebhookServlet(handler, settings.clientNames(), clock, timer, registry);
        this.clientAuthorities = settings.clientAuthority() == null ? null : renewable(settings.clientAuthority());
        connector.setPort(settings.port());
        connector.setScheme("https");
        connector.setSecure(true);
        connector.setThrowOnFailure(true);
        // The socket of one that is bound earlier cannot be closed while requests run.
        connector.setProperty("bindOnInit", "false");
        protocol.setSSLEnabled(true);
        protocol.setMaxThreads(THREADS);
        protocol.setMinSpareThreads(2);
        protocol.setConnectionTimeout(CONNECT_MILLIS);
        protocol.setKeepAliveTimeout((int) KEEP_ALIVE.toMillis());
        // The default is 100, after which the connection ends.
        protocol.setMaxKeepAliveRequests(-1);
        // What is left of a body that is refused is not waited for: it may never come.
        protocol.setMaxSwallowSize(0);
        Http2Protocol http2 = new Http2Protocol();
        http2.setMaxConcurrentStreams(THREADS);
        http2.setMaxConcurrentStreamExecution(THREADS);
        http2.setKeepAliveTimeout(KEEP_ALIVE.toMillis());
        connector.addUpgradeProtocol(http2);
    }

    private Renewable<List<X509Certificate>> renewable(Path file) {
        return new Renewable<>(
                "authority of webhooks' clients " + file,
                authorities(file),
                () -> authorities(file),
                each -> {},
                Renewable.FILE_LIFETIME,
                clock);
    }

    private static List<X509Certificate> authorities(Path file) {
        try {
            List<X509Certificate> authorities = Pem.certificates(Files.readString(file));
            if (authorities.isEmpty()) {
                throw new IllegalStateException(file + " has no certificate");
            }
            return authorities;
        } catch (IOException | IllegalArgumentException e) {
            throw new IllegalStateException(file + " cannot be read: " + FailureMessage.words(e), e);
        }
    }

    /**
     * Listens. Until there is a certificate, it shows one that nobody trusts.
     *
     * @throws IllegalStateException if it cannot, as when another has the port
     */
    public void start() {
        show(KeyedCertificate.ofNobody(clock));
        String directory = System.getProperty("java.io.tmpdir");
        tomcat.setBaseDir(directory);
        tomcat.getEngine().setName("webhooks");
        tomcat.getEngine().setBackgroundProcessorDelay(-1);
        tomcat.setConnector(connector);
        Context context = tomcat.addContext("", directory);
        Tomcat.addServlet(context, "webhooks", servlet);
        context.addServletMappingDecoded("/*", "webhooks");
        if (context instanceof StandardContext standard) {
            // Nothing is loaded for it that a stop could leave behind, and Tomcat's look at that asks for open modules.
            standard.setClearReferencesRmiTargets(false);
            standard.setClearReferencesThreadLocals(false);
        }
        try {
            tomcat.start();
        } catch (LifecycleException e) {
            Throwable cause = e;
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            throw new IllegalStateException(
                    "the port " + settings.port() + " of webhooks cannot be listened on: "
                            + FailureMessage.words(cause),
                    e);
        }
        log.info("Webhooks are served on port {}", port());
        if (clientAuthorities != null) {
            timer.schedule(Renewable.FILE_LIFETIME, this::followClients);
        }
    }

    /** Shows this certificate to whoever connects from now on. A connection that is open keeps the one that it began with. */
    public synchronized void use(KeyedCertificate newLeaf) {
        if (!closing && !newLeaf.equals(leaf)) {
            show(newLeaf);
            leaf = newLeaf;
        }
    }

    private synchronized void followClients() {
        if (!closing && clientAuthorities != null) {
            timer.schedule(Renewable.FILE_LIFETIME, this::followClients);
            if (clientAuthorities.readAgain()) {
                show(Objects.requireNonNullElseGet(leaf, () -> KeyedCertificate.ofNobody(clock)));
            }
        }
    }

    private void show(KeyedCertificate shown) {
        try {
            protocol.addSslHostConfig(tls(shown), true);
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("a certificate cannot be used: " + FailureMessage.words(e), e);
        }
    }

    private SSLHostConfig tls(KeyedCertificate shown) throws GeneralSecurityException, IOException {
        SSLHostConfig tls = new SSLHostConfig();
        tls.setProtocols("TLSv1.2+TLSv1.3");
        tls.setCipherSuites(CIPHER_SUITES);
        tls.setHonorCipherOrder(true);
        SSLHostConfigCertificate certificate =
                new SSLHostConfigCertificate(tls, SSLHostConfigCertificate.Type.UNDEFINED);
        KeyStore keys = emptyStore();
        keys.setKeyEntry("leaf", shown.key(), PASSWORD, shown.chain().toArray(X509Certificate[]::new));
        certificate.setCertificateKeystore(keys);
        certificate.setCertificateKeyAlias("leaf");
        certificate.setCertificateKeystorePassword("");
        tls.addCertificate(certificate);
        if (clientAuthorities != null) {
            KeyStore trusted = emptyStore();
            for (X509Certificate each : clientAuthorities.value()) {
                trusted.setCertificateEntry(each.getSubjectX500Principal() + " " + each.getSerialNumber(), each);
            }
            tls.setTrustStore(trusted);
            tls.setCertificateVerification("required");
        }
        return tls;
    }

    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, PASSWORD);
        return store;
    }

    /** The port that it listens on. */
    public int port() {
        return connector.getLocalPort();
    }

    /** Why it cannot be asked; empty if it can. */
    public List<String> faults() {
        List<String> faults = new ArrayList<>();
        if (closing) {
            faults.add("the webhooks' server stops");
        }
        KeyedCertificate shown = leaf;
        if (shown == null) {
            faults.add("the webhooks' server has no certificate yet");
        } else if (!clock.now().isBefore(shown.end())) {
            faults.add("the certificate of the webhooks' server has run out at " + shown.end());
        }
        return faults;
    }

    /**
     * Stops without failing a request. It goes on for the grace, in which readiness tells others not to come and each answer ends
     * its connection; then it takes no new connections, and waits for the requests that run. An interrupt cuts this short.
     */
    @Override
    public void close() {
        synchronized (this) {
            if (closing) {
                return;
            }
            closing = true;
        }
        servlet.endConnections();
        try {
            timer.sleep(settings.grace());
            // Tells connections of HTTP/2 that no more is taken.
            connector.pause();
            connector.getProtocolHandler().closeServerSocketGraceful();
            Phaser running = servlet.running();
            running.awaitAdvanceInterruptibly(running.arrive(), LONGEST_REQUEST.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException e) {
            log.warn("A webhook has not answered within {} s of the end of its server", LONGEST_REQUEST.toSeconds());
        }
        try {
            tomcat.stop();
            tomcat.destroy();
        } catch (LifecycleException e) {
            log.warn("The webhooks' server does not end as it should: {}", FailureMessage.words(e));
        }
        servlet.closeMeters();
    }
}
