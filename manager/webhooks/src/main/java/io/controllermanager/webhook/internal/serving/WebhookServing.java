package io.controllermanager.webhook.internal.serving;

import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import io.controllermanager.webhook.internal.certificate.CertificateLoop;
import io.controllermanager.webhook.internal.certificate.CertificateSettings;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves webhooks, with certificates that are looked after. Every replica does, whether it leads or not. Safe for use by several
 * threads.
 */
public final class WebhookServing implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(WebhookServing.class);

    /** How long a start waits for the API server. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final WebhookServer server;
    private final IntFunction<CertificateLoop> made;
    private @Nullable CertificateLoop certificates;

    /**
     * Starts nothing.
     *
     * @param certificateSettings which certificates, given the port that is listened on
     * @param connection leads to the API server. Its fence does not count here: whoever does not lead looks after certificates too.
     * @param leads whether this process is the leader
     */
    public WebhookServing(
            ServerSettings serverSettings,
            IntFunction<CertificateSettings> certificateSettings,
            WebhookHandler handler,
            ApiConnection connection,
            BooleanSupplier leads,
            Clock clock,
            Timer timer,
            MeterRegistry registry) {
        this.server = new WebhookServer(serverSettings, handler, clock, timer, registry);
        this.made = port -> new CertificateLoop(
                certificateSettings.apply(port), connection, server::use, leads, clock, timer, registry);
    }

    /**
     * Listens, and has certificates made or read. Returns once there is one and every bundle has been written, or after five
     * seconds: where the API server is not there, that goes on in the background.
     *
     * @throws IllegalStateException if the port cannot be listened on
     */
    public void start() throws InterruptedException {
        server.start();
        CertificateLoop loop = made.apply(server.port());
        certificates = loop;
        if (!loop.start(PATIENCE)) {
            log.warn("Webhooks are not all registered yet; that goes on in the background");
        }
    }

    /** The port that it listens on. */
    public int port() {
        return server.port();
    }

    /** Why this process is not ready to be asked; empty if it is. */
    public List<String> readiness() {
        return server.faults();
    }

    /** Stops without failing a request, which takes as long as the grace and the requests that run. */
    @Override
    public void close() {
        server.close();
        if (certificates != null) {
            certificates.close();
        }
    }
}
