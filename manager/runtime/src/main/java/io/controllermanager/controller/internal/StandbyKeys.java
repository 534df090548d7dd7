package io.controllermanager.controller.internal;

import io.controllermanager.client.internal.request.BoundedMap;
import io.controllermanager.time.Clock;
import io.controllermanager.workqueue.internal.WorkQueue;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * What a standby remembers of the events it sees, instead of a queue that grows by every object that ever lived: the keys
 * of the latest live changes, up to a bound. Everything that exists is looked at when this process begins to lead, from
 * the caches; what these keys add is deletions that the old leader did not get to, and that the latest edits come before
 * all the rest. Guarded by its shard.
 */
final class StandbyKeys {

    /** How many keys a controller remembers in all; the one that changed longest ago gives way. */
    static final int MOST = 10_000;

    /** Older changes are the old leader's work, done as a rule. Several times as long as a Lease lasts by default. */
    private static final Duration RECENT = Duration.ofMinutes(1);

    private final Clock clock;
    /** By the time of the last change, the oldest first. */
    private final Map<Request, Long> changedAt;

    /** A key, and the priority at which it is to be queued. */
    record Change(Request key, int priority) {}

    /**
     * Remembers nothing yet.
     *
     * @param most how many keys are remembered
     */
    StandbyKeys(Clock clock, int most) {
        this.clock = clock;
        this.changedAt = new BoundedMap<>(most);
    }

    /** One at a priority below that of live changes comes from a cache, which will be asked again, and is not remembered. */
    void add(Request key, int priority) {
        if (priority >= WorkQueue.NORMAL_PRIORITY) {
            changedAt.put(key, clock.nanoTime());
        }
    }

    /** Forgets what was remembered, and returns it, what changed last first: the old leader hardly got to that. */
    List<Change> takeAll() {
        long now = clock.nanoTime();
        List<Change> latestFirst = new ArrayList<>();
        changedAt.forEach((key, at) -> latestFirst.add(
                new Change(key, now - at <= RECENT.toNanos() ? WorkQueue.NORMAL_PRIORITY : WorkQueue.LOW_PRIORITY)));
        Collections.reverse(latestFirst);
        changedAt.clear();
        return latestFirst;
    }
}
