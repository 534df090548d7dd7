package io.controllermanager.webhook.autoconfigure;

import io.controllermanager.spring.autoconfigure.ReadinessReasons;
import io.controllermanager.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Ready once webhooks are served and the caches are filled. A process that converts its own types waits for caches only a while:
 * they may hold objects in an old version, which the API server can list only once some replica is ready to convert them.
 */
final class WebhookReadiness implements ReadinessReasons {

    /** Caches are filled by then, unless they wait for this. */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Supplier<List<String>> serving;
    private final Supplier<List<String>> caches;
    private final boolean converts;
    private final Clock clock;
    private final long madeAt;

    /**
     * Counts from now.
     *
     * @param serving why webhooks are not served
     * @param caches which caches of webhooks are not filled
     * @param converts whether types are converted here
     */
    WebhookReadiness(Supplier<List<String>> serving, Supplier<List<String>> caches, boolean converts, Clock clock) {
        this.serving = serving;
        this.caches = caches;
        this.converts = converts;
        this.clock = clock;
        this.madeAt = clock.nanoTime();
    }

    @Override
    public List<String> get() {
        List<String> reasons = new ArrayList<>(serving.get());
        if (waitsForCaches()) {
            reasons.addAll(caches.get());
        }
        return reasons;
    }

    @Override
    public boolean waitsForCaches() {
        return !converts || clock.nanoTime() - madeAt < PATIENCE.toNanos();
    }
}
