package io.controllermanager.webhook.internal.certificate;

import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.client.internal.connection.WriteFence;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.informer.PartialObjectMetadata;
import io.controllermanager.informer.Selection;
import io.controllermanager.informer.internal.HostInformer;
import io.controllermanager.informer.internal.InformerFactory;
import io.controllermanager.informer.internal.InformerOptions;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import io.controllermanager.webhook.internal.certificate.CertificateSettings.Source;
import io.controllermanager.workqueue.internal.Backoff;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after certificates and bundles on a thread of its own: at the start, when one of their objects changes, and when something
 * falls due. Informers tell of changes, and everything is read anew then. Safe for use by several threads.
 */
public final class CertificateLoop implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(CertificateLoop.class);

    /** A machine may have slept, and nobody tells that this process leads now. */
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(10);

    /** A look may read whole CRDs. */
    private static final Backoff AFTER_FAILURE = Backoff.exponential(Duration.ofSeconds(1), Duration.ofMinutes(1));

    /** What is done. For one thread. */
    interface Work {

        /**
         * Does all that can be done now. What is to be served has been handed on by then, also if this fails.
         *
         * @return how long until there is something to do again, unless something changes before
         * @throws ApiException if a request fails, whose work is to be tried again
         */
        Duration look() throws ApiException;
    }

    private final CertificateSettings settings;
    private final Work work;
    private final CertificateMetrics metrics;
    private final InformerFactory informers;
    private final Thread thread = new Thread(this::run, "webhook-certificates");
    private final CountDownLatch done = new CountDownLatch(1);
    private volatile boolean closed;
    private @Nullable String toldFailure;
    private int failures;

    /** One at most: everything is read anew, whatever has changed. */
    private final BlockingQueue<Object> changes = new ArrayBlockingQueue<>(1);

    /**
     * Starts nothing.
     *
     * @param connection reads and writes
     * @param serve is told what to serve, each time that it is read
     * @param leads whether this process is the leader
     */
    public CertificateLoop(
            CertificateSettings settings,
            ApiConnection connection,
            Consumer<KeyedCertificate> serve,
            BooleanSupplier leads,
            Clock clock,
            Timer timer,
            MeterRegistry registry) {
        this.settings = settings;
        this.metrics = new CertificateMetrics(registry);
        this.informers = new InformerFactory(connection, clock, timer, InformerOptions.DEFAULTS);
        // Every replica writes, whoever leads.
        ApiClient client = connection.fencedClient(WriteFence.open());
        Bundles bundles = new Bundles(client, settings.targets(), settings.name());
        Consumer<CertificateSecret> taken = secret -> {
            KeyedCertificate leaf = Objects.requireNonNull(secret.leaf());
            metrics.served(leaf, secret.authorities());
            serve.accept(leaf);
        };
        this.work = settings.source() instanceof Source.Own
                ? new OwnCertificates(client, settings, bundles, taken, leads, clock)
                : new GivenCertificates(client, settings, bundles, taken, clock);
        thread.setDaemon(true);
    }

    /**
     * Starts, and waits until there is a certificate and all bundles have been written once, or for some time: the rest goes on in
     * the background.
     *
     * @return whether that is done
     */
    public boolean start(Duration patience) throws InterruptedException {
        String secret = settings.secret();
        if (secret != null) {
            follow(Selection.metadataOf(ResourceTypes.SECRET).inNamespaces(Set.of(settings.namespace())), secret);
        }
        if (settings.injectsBundles() || settings.source() instanceof Source.Own) {
            settings.targets().all().forEach(target -> follow(Selection.metadataOf(target.type()), target.name()));
        }
        informers.start();
        thread.start();
        return done.await(patience.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void follow(Selection<PartialObjectMetadata> selection, String name) {
        HostInformer<PartialObjectMetadata> informer = informers.informer(selection.fields("metadata.name=" + name));
        informer.subscribe("webhook-certificates", event -> changes.offer(event), Duration.ZERO);
    }

    private void run() {
        try {
            while (!closed) {
                changes.poll(Math.min(look().toNanos(), LONGEST_WAIT.toNanos()), TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException e) {
            // Closed.
        }
    }

    /** Returns how long to wait until the next, unless something changes before. */
    Duration look() {
        try {
            Duration wait = work.look();
            failures = 0;
            if (toldFailure != null) {
                toldFailure = null;
                log.info("The certificates and caBundles of webhooks are as they should be again");
            }
            done.countDown();
            return wait;
        } catch (ApiException | RuntimeException e) {
            if (closed) {
                return Duration.ZERO;
            }
            metrics.failed();
            String failure = FailureMessage.words(e);
            if (!failure.equals(toldFailure)) {
                toldFailure = failure;
                log.warn("The certificates or caBundles of webhooks cannot be looked after, trying again: {}", failure);
            }
            return AFTER_FAILURE.after(++failures);
        }
    }

    /** Ends the thread and the informers. The certificates stay where they are. */
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        informers.close();
        metrics.close();
    }
}
