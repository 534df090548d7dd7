package io.controllermanager.manager.internal;

import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.time.internal.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queues what a controller's caches hold of shards that are opened. One pass at a time, on a thread of its own: shards that come
 * during one share the next, as each of them has to see all that was there when it was opened. What fails is tried again, and
 * holds nothing else up. The loop's thread begins all of it; other threads may end it and ask.
 */
final class Requeue {

    private static final Logger log = LoggerFactory.getLogger(Requeue.class);

    private static final Duration RETRY = Duration.ofSeconds(5);

    private final String controller;
    private final HostLoop loop;

    /** Each goes through what a source holds, for those shards. */
    private final List<Consumer<IntPredicate>> sources;

    private final Map<Integer, Opening> openings = new ConcurrentHashMap<>();
    private boolean passes;
    private Timer.Cancellable retry = () -> {};

    /** What is still to be gone through for a shard since it was opened; changed by the pass. */
    private static final class Opening {

        private final List<Consumer<IntPredicate>> left;

        private Opening(List<Consumer<IntPredicate>> sources) {
            this.left = new ArrayList<>(sources);
        }
    }

    Requeue(String controller, List<Consumer<IntPredicate>> sources, HostLoop loop) {
        this.controller = controller;
        this.sources = sources;
        this.loop = loop;
    }

    /** Has everything gone through for a shard that is open by the end of this event. */
    void begin(int shard) {
        openings.put(shard, new Opening(sources));
        loop.post(this::pass);
    }

    /** What is not queued of a shard is not queued any more. Any thread may call. */
    void end(int shard) {
        openings.remove(shard);
    }

    /** Whether what the caches hold of a shard is still to be queued; any thread may ask. */
    boolean isUnderWay(int shard) {
        return openings.containsKey(shard);
    }

    /** Goes through what is left, also what has failed. */
    void pass() {
        if (passes || openings.isEmpty()) {
            return;
        }
        retry.cancel();
        Map<Integer, Opening> those = Map.copyOf(openings);
        try {
            HostLoop.background("controller-manager-requeue-" + controller, () -> goThrough(those));
            passes = true;
        } catch (RuntimeException | Error noThread) {
            retry = loop.later(RETRY, this::pass);
            throw noThread;
        }
    }

    private void goThrough(Map<Integer, Opening> those) {
        try {
            sources.forEach(source -> goThrough(source, those));
            those.values().stream().filter(opening -> opening.left.isEmpty()).forEach(openings.values()::remove);
        } finally {
            loop.post(() -> passed(those));
        }
    }

    private void passed(Map<Integer, Opening> those) {
        passes = false;
        if (!openings.isEmpty() && those.values().containsAll(openings.values())) {
            retry = loop.later(RETRY, this::pass);
        } else {
            pass();
        }
    }

    private void goThrough(Consumer<IntPredicate> source, Map<Integer, Opening> those) {
        // Those that were closed meanwhile need not be gone through.
        Map<Integer, Opening> now = new HashMap<>(those);
        now.entrySet()
                .removeIf(one -> one.getValue() != openings.get(one.getKey())
                        || !one.getValue().left.contains(source));
        try {
            if (!now.isEmpty()) {
                source.accept(now::containsKey);
                now.values().forEach(opening -> opening.left.remove(source));
            }
        } catch (Throwable e) {
            log.atWarn()
                    .addKeyValue("controller", controller)
                    .setCause(e)
                    .log(
                            "Controller {}: what a cache holds could not be queued, and is tried again: {}",
                            controller,
                            FailureMessage.of(e));
        }
    }
}
