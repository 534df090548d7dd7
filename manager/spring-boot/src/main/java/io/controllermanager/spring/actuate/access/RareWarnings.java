package io.controllermanager.spring.actuate.access;

import io.controllermanager.time.Clock;
import java.time.Duration;

/** At most one warning a minute, however many have a reason for one: whoever reaches the port could fill the log. */
final class RareWarnings {

    static final Duration INTERVAL = Duration.ofMinutes(1);

    private final Clock clock;
    private boolean warned;
    private long lastNanos;

    RareWarnings(Clock clock) {
        this.clock = clock;
    }

    /** Whether to warn now; who is told so does. */
    synchronized boolean isDue() {
        long now = clock.nanoTime();
        if (warned && now - lastNanos < INTERVAL.toNanos()) {
            return false;
        }
        warned = true;
        lastNanos = now;
        return true;
    }
}
