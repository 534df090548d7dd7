package io.controllermanager.webhook.autoconfigure;

import io.controllermanager.informer.internal.InformerFactory;
import io.controllermanager.spring.autoconfigure.ControllerManagerHost;
import io.controllermanager.spring.autoconfigure.ReadinessReasons;
import io.controllermanager.time.Clock;
import io.controllermanager.webhook.internal.answer.WebhookCaches;
import io.controllermanager.webhook.internal.serving.WebhookServing;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Serves webhooks in the application's life cycle: before the host starts, whose caches may have to be converted here, and until
 * after it has stopped. Then fills the caches that webhooks read, which they share with the host.
 *
 * <p>Ready once webhooks are served and the caches are filled. A process that converts its own types waits for caches only a while:
 * they may hold objects in an old version, which the API server can list only once some replica is ready to convert them.
 */
final class WebhookLifecycle implements SmartLifecycle, ReadinessReasons {

    /** Caches are filled by then, unless they wait for this. */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    private final WebhookBeans webhooks;
    private final InformerFactory informers;
    private final Supplier<WebhookServing> made;
    private final Clock clock;
    private volatile @Nullable WebhookServing serving;

    /** When all was registered, null before. */
    private volatile @Nullable Long registeredAt;

    /** Starts nothing. */
    WebhookLifecycle(WebhookBeans webhooks, InformerFactory informers, Supplier<WebhookServing> made, Clock clock) {
        this.webhooks = webhooks;
        this.informers = informers;
        this.made = made;
        this.clock = clock;
    }

    @Override
    public void start() {
        WebhookServing started = made.get();
        serving = started;
        try {
            started.start();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        registered();
        webhooks.caches().forEach(caches -> caches.start(informers));
    }

    /** From now on the API server can ask. */
    void registered() {
        registeredAt = clock.nanoTime();
    }

    @Override
    public void stop() {
        WebhookServing running = serving;
        if (running != null) {
            running.close();
            serving = null;
            webhooks.caches().forEach(caches -> caches.stop(informers));
        }
    }

    @Override
    public boolean isRunning() {
        return serving != null;
    }

    @Override
    public int getPhase() {
        return ControllerManagerHost.PHASE - 1;
    }

    /** Why webhooks are not served; empty if they are. */
    List<String> faults() {
        WebhookServing running = serving;
        return running == null ? List.of("webhooks are not served") : running.readiness();
    }

    @Override
    public List<String> get() {
        Stream<String> unfilled = waitsForCaches()
                ? webhooks.caches().stream()
                        .map(WebhookCaches::missing)
                        .filter(Objects::nonNull)
                        .map(missing -> "webhooks: " + missing)
                : Stream.of();
        return Stream.concat(faults().stream(), unfilled).toList();
    }

    @Override
    public boolean waitsForCaches() {
        Long since = registeredAt;
        return webhooks.webhooks().converters().isEmpty()
                || since == null
                || clock.nanoTime() - since < PATIENCE.toNanos();
    }
}
