package io.controllermanager.manager.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.client.internal.request.FailureMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queues what a controller's caches hold of shards that are opened. One pass at a time, on a thread of its own: shards that come
 * during one share the next, as each of them has to see all that was there when it was opened. What fails is tried again, and
 * holds nothing else up. Safe for use by several threads.
 */
final class Requeue {

    private static final Logger log = LoggerFactory.getLogger(Requeue.class);

    private static final Duration RETRY = Duration.ofSeconds(5);

    private final String controller;
    private final RetryWait retryWait;

    /** Each goes through what a source holds, for those shards. */
    private final List<Consumer<IntPredicate>> sources;

    @GuardedBy("this")
    private final Set<Integer> opening = new HashSet<>();

    /** What is still to be gone through for each shard. */
    @GuardedBy("this")
    private final Map<Integer, List<Consumer<IntPredicate>>> left = new HashMap<>();

    @GuardedBy("this")
    private @Nullable Thread thread;

    /** Whether the thread waits until it tries again. */
    @GuardedBy("this")
    private boolean waiting;

    Requeue(String controller, List<Consumer<IntPredicate>> sources, RetryWait retryWait) {
        this.controller = controller;
        this.sources = sources;
        this.retryWait = retryWait;
    }

    /** Opens a shard and has everything gone through for it. It shows as under way before it is open. */
    void begin(int shard, Runnable open) {
        synchronized (this) {
            opening.add(shard);
        }
        open.run();
        synchronized (this) {
            opening.remove(shard);
            left.put(shard, new ArrayList<>(sources));
            if (thread == null) {
                thread = HostLoop.background("controller-manager-requeue-" + controller, this::run);
            } else {
                tryNow();
            }
        }
    }

    /** What is not queued of a shard is not queued any more. */
    synchronized void end(int shard) {
        opening.remove(shard);
        left.remove(shard);
        tryNow();
    }

    /** Whether what the caches hold of a shard is still to be queued. */
    synchronized boolean isUnderWay(int shard) {
        return opening.contains(shard) || left.containsKey(shard);
    }

    @GuardedBy("this")
    private void tryNow() {
        if (waiting && thread != null) {
            thread.interrupt();
        }
    }

    private void run() {
        try {
            passes();
        } finally {
            synchronized (this) {
                // Of an error that none of this expects, such as want of memory: the next opening begins anew.
                thread = thread == Thread.currentThread() ? null : thread;
            }
        }
    }

    private void passes() {
        for (var pass = next(); !pass.isEmpty(); pass = next()) {
            boolean failed = false;
            for (Consumer<IntPredicate> source : sources) {
                Set<Integer> shards = lacking(source, pass);
                boolean done = shards.isEmpty() || succeeds(source, shards);
                if (done) {
                    gone(source, shards, pass);
                }
                failed |= !done;
            }
            if (failed) {
                await();
            }
        }
    }

    /** What the next pass is for; none, and the thread ends, once nothing is left. */
    private synchronized Map<Integer, List<Consumer<IntPredicate>>> next() {
        left.values().removeIf(List::isEmpty);
        if (left.isEmpty()) {
            thread = null;
        }
        return Map.copyOf(left);
    }

    private synchronized Set<Integer> lacking(
            Consumer<IntPredicate> source, Map<Integer, List<Consumer<IntPredicate>>> pass) {
        Set<Integer> shards = new HashSet<>();
        pass.forEach((shard, sources) -> {
            if (sources.contains(source)) {
                shards.add(shard);
            }
        });
        // Those that were closed meanwhile need not be gone through.
        shards.retainAll(left.keySet());
        return shards;
    }

    private synchronized void gone(
            Consumer<IntPredicate> source, Set<Integer> shards, Map<Integer, List<Consumer<IntPredicate>>> pass) {
        shards.forEach(shard -> Objects.requireNonNull(pass.get(shard)).remove(source));
    }

    private void await() {
        try {
            synchronized (this) {
                waiting = true;
            }
            retryWait.await(RETRY);
        } catch (InterruptedException e) {
            // There is something else to go through, or nothing any more.
        } finally {
            synchronized (this) {
                waiting = false;
                boolean ignored = Thread.interrupted();
            }
        }
    }

    private boolean succeeds(Consumer<IntPredicate> source, Set<Integer> shards) {
        try {
            source.accept(shards::contains);
            return true;
        } catch (Throwable e) {
            log.atWarn()
                    .addKeyValue("controller", controller)
                    .setCause(e)
                    .log(
                            "Controller {}: what a cache holds could not be queued, and is tried again: {}",
                            controller,
                            FailureMessage.of(e));
            return false;
        }
    }
}
