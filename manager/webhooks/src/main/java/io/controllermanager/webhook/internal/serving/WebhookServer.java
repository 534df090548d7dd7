package io.controllermanager.webhook.internal.serving;

import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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

    private final ServerSettings settings;
    private final ServedLeaf leaf;
    private final WebhookServlet servlet;
    private final Timer timer;
    private final Tomcat tomcat = new Tomcat();
    private final Connector connector;
    private volatile boolean listening;
    private volatile boolean closing;

    /**
     * Does not listen yet.
     *
     * @param leaf what it shows
     * @param timer interrupts handlers whose time is over
     * @throws IllegalArgumentException if the file of clients' authorities is of no use
     */
    public WebhookServer(
            ServerSettings settings,
            ServedLeaf leaf,
            WebhookHandler handler,
            Clock clock,
            Timer timer,
            MeterRegistry registry) {
        this.settings = settings;
        this.leaf = leaf;
        this.timer = timer;
        this.servlet = new WebhookServlet(handler, clock, timer, registry);
        Path authority = settings.clientAuthority();
        ClientTrust clients = authority == null ? null : new ClientTrust(authority, settings.clientNames(), clock);
        this.connector = connector(settings.port(), new ServerTls(leaf, clients), clients != null);
    }

    private static Connector connector(int port, ServerTls tls, boolean needsClientCertificate) {
        Http11NioProtocol protocol = new Http11NioProtocol();
        Connector connector = new Connector(protocol);
        connector.setPort(port);
        connector.setScheme("https");
        connector.setSecure(true);
        connector.setXpoweredBy(false);
        // The socket of one that is bound earlier cannot be closed while requests run.
        connector.setProperty("bindOnInit", "false");
        protocol.setSSLEnabled(true);
        protocol.setMaxThreads(THREADS);
        protocol.setMinSpareThreads(2);
        protocol.setConnectionTimeout(CONNECT_MILLIS);
        protocol.setKeepAliveTimeout((int) KEEP_ALIVE.toMillis());
        // The default is 100, after which the connection ends.
        protocol.setMaxKeepAliveRequests(-1);
        Http2Protocol http2 = new Http2Protocol();
        http2.setMaxConcurrentStreams(THREADS);
        http2.setMaxConcurrentStreamExecution(THREADS);
        http2.setKeepAliveTimeout(KEEP_ALIVE.toMillis());
        connector.addUpgradeProtocol(http2);
        SSLHostConfig host = new SSLHostConfig();
        host.setProtocols("TLSv1.2+TLSv1.3");
        host.setCertificateVerification(needsClientCertificate ? "required" : "none");
        SSLHostConfigCertificate certificate =
                new SSLHostConfigCertificate(host, SSLHostConfigCertificate.Type.UNDEFINED);
        certificate.setSslContext(tls);
        host.addCertificate(certificate);
        connector.addSslHostConfig(host);
        return connector;
    }

    /**
     * Listens.
     *
     * @throws IllegalStateException if it cannot, as when another has the port
     */
    public void start() {
        tomcat.setBaseDir(System.getProperty("java.io.tmpdir"));
        tomcat.getEngine().setName("webhooks");
        tomcat.getEngine().setBackgroundProcessorDelay(-1);
        connector.setThrowOnFailure(true);
        tomcat.setConnector(connector);
        Context context = tomcat.addContext("", new File(System.getProperty("java.io.tmpdir")).getAbsolutePath());
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
        listening = true;
        log.info("Webhooks are served on port {}", port());
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
        } else if (!listening) {
            faults.add("the webhooks' server does not listen yet");
        }
        String fault = leaf.fault();
        if (fault != null) {
            faults.add(fault);
        }
        return faults;
    }

    /**
     * Stops without failing a request. It goes on for the grace, in which readiness tells others not to come and each answer ends
     * its connection; then it takes no new connections, and waits for the requests that run. An interrupt cuts this short.
     */
    @Override
    public void close() {
        if (!listening || closing) {
            return;
        }
        closing = true;
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
