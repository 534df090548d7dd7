package io.controllermanager.webhook.autoconfigure;

import io.controllermanager.informer.internal.InformerFactory;
import io.controllermanager.spring.autoconfigure.ControllerManagerHost;
import io.controllermanager.webhook.internal.answer.WebhookCaches;
import java.util.List;
import java.util.Objects;
import org.springframework.context.SmartLifecycle;

/** Fills the caches that webhooks read, from the start of the host on, with which they are shared. */
final class CachesLifecycle implements SmartLifecycle {

    private final InformerFactory informers;
    private final List<WebhookCaches> caches;
    private volatile boolean running;

    CachesLifecycle(InformerFactory informers, List<WebhookCaches> caches) {
        this.informers = informers;
        this.caches = caches;
    }

    @Override
    public void start() {
        caches.forEach(each -> each.start(informers));
        running = true;
    }

    @Override
    public void stop() {
        // Whoever serves webhooks reads them until it has ended, which is later.
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return ControllerManagerHost.PHASE + 1;
    }

    /** What is not filled yet. */
    List<String> missing() {
        return caches.stream()
                .map(WebhookCaches::missing)
                .filter(Objects::nonNull)
                .map(missing -> "webhooks: " + missing)
                .toList();
    }
}
