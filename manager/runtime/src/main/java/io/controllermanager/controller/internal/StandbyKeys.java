package io.controllermanager.controller.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.time.Clock;
import io.controllermanager.workqueue.internal.WorkQueue;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What a standby remembers of the events it sees, instead of a queue that grows by every object that ever lived: the keys
 * of the latest live changes, up to a bound. Everything that exists is looked at when this process begins to lead, from
 * the caches; what these keys add is deletions that the old leader did not get to, and that the latest edits come before
 * all the rest. Safe for use by several threads.
 */
final class StandbyKeys {

    /** How many keys a controller remembers in all; the one that changed longest ago gives way. */
    static final int MOST = 10_000;

    /** Older changes are the old leader's work, done as a rule. Several times as long as a Lease lasts by default. */
    private static final Duration RECENT = Duration.ofMinutes(1);

    private final Clock clock;
    private final int most;

    /** By the time of the last change, the oldest first; null while not standing by. */
    @GuardedBy("this")
    private @Nullable Map<Request, Long> changedAt;

    /**
     * Remembers nothing yet.
     *
     * @param most how many keys are remembered
     */
    StandbyKeys(Clock clock, int most) {
        this.clock = clock;
        this.most = most;
    }

    /** Begins to remember; does nothing if it does already. */
    synchronized void begin() {
        if (changedAt == null) {
            changedAt = new BoundedMap<>(most);
        }
    }

    /**
     * Takes a key, or leaves it to the caller if this is not a standby. One at a priority below that of live changes comes
     * from a cache, which will be asked again, and is not remembered.
     */
    synchronized boolean take(Request key, int priority) {
        Map<Request, Long> remembered = changedAt;
        if (remembered == null) {
            return false;
        }
        if (priority >= WorkQueue.NORMAL_PRIORITY) {
            remembered.put(key, clock.nanoTime());
        }
        return true;
    }

    /**
     * Ends the remembering and hands over what was remembered, what changed last first: of that it is least likely that the
     * old leader still got to it.
     *
     * @param queue takes each key and its priority
     */
    synchronized void end(BiConsumer<Request, Integer> queue) {
        Map<Request, Long> remembered = changedAt;
        if (remembered == null) {
            return;
        }
        changedAt = null;
        long now = clock.nanoTime();
        List<Map.Entry<Request, Long>> latestFirst = new ArrayList<>(remembered.entrySet());
        Collections.reverse(latestFirst);
        latestFirst.forEach(change -> queue.accept(
                change.getKey(),
                now - change.getValue() <= RECENT.toNanos() ? WorkQueue.NORMAL_PRIORITY : WorkQueue.LOW_PRIORITY));
    }
}
