package io.controllermanager.webhook.autoconfigure;

import io.controllermanager.spring.autoconfigure.ControllerManagerHost;
import io.controllermanager.webhook.internal.serving.WebhookServing;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Serves webhooks in the application's life cycle: before the host starts, whose caches may have to be converted here, and until
 * after it has stopped.
 */
final class WebhookLifecycle implements SmartLifecycle {

    private final Supplier<WebhookServing> made;
    private final Runnable ended;
    private volatile @Nullable WebhookServing serving;

    /**
     * Starts nothing.
     *
     * @param ended is told each time that nothing is served any more
     */
    WebhookLifecycle(Supplier<WebhookServing> made, Runnable ended) {
        this.made = made;
        this.ended = ended;
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
    }

    @Override
    public void stop() {
        WebhookServing running = serving;
        serving = null;
        if (running != null) {
            running.close();
            ended.run();
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

    /** Why this process is not ready to be asked; empty if it is. */
    List<String> readiness() {
        WebhookServing running = serving;
        return running == null ? List.of("webhooks are not served") : running.readiness();
    }
}
