package io.controllermanager.controller.internal;

import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes keys, one after the other, and reconciles them on a thread of its own until it is retired or the queue ends. It is
 * interrupted by others only during a reconcile that is to be interrupted, never between two of them or while an outcome is
 * being dealt with: its {@link Shard} sees to that.
 */
final class Worker implements Runnable {

    /** The delay of a key for which the queue has none to give, because its rate limiter throws. */
    private static final Duration UNLIMITED = Duration.ofSeconds(1);

    private final ControllerShards shards;
    private final RequestHandler work;
    private final Consumer<Worker> ended;
    private volatile boolean retired;

    /** Whether another has its place although its reconcile has not ended. */
    private volatile boolean replaced;

    private volatile boolean holdsKey;
    private volatile long tookAt;

    /**
     * Makes a worker; it works once a thread runs it.
     *
     * @param ended told on its thread when it is at its end, for whatever reason
     */
    Worker(ControllerShards shards, RequestHandler work, Consumer<Worker> ended) {
        this.shards = shards;
        this.work = work;
        this.ended = ended;
        this.tookAt = work.clock.nanoTime();
    }

    @Override
    public void run() {
        try {
            while (!retired) {
                Request request = take();
                if (request != null) {
                    workOn(request);
                } else if (work.queue.isShuttingDown()) {
                    return;
                }
            }
        } finally {
            ended.accept(this);
        }
    }

    private @Nullable Request take() {
        try {
            return work.queue.takeWhile(() -> !retired);
        } catch (InterruptedException stray) {
            // Nobody of ours interrupts this.
            return null;
        }
    }

    private void workOn(Request request) {
        tookAt = work.clock.nanoTime();
        holdsKey = true;
        boolean settled = false;
        ReconcileRun run = null;
        try {
            // What is deleted after this is not what is about to be reconciled.
            ControllerShards.Deletion deletion = shards.deletion(request);
            Shard shard = shards.of(request);
            if (shard == null) {
                work.renew(request);
            } else {
                run = enter(request, shard);
            }
            if (run != null) {
                reconcile(run);
                if (deletion != null && run.over && !run.stopped) {
                    shards.dealtWith(request, deletion);
                }
            }
            settled = true;
        } finally {
            try {
                if (!settled) {
                    // Our own code threw, for want of memory for example. Whatever it was, the key must not be lost.
                    comeAgain(request);
                }
            } finally {
                giveBack(request, run);
            }
        }
    }

    /** Begins a reconcile, or sees to it that the key comes again and returns null. */
    private @Nullable ReconcileRun enter(Request request, Shard shard) {
        Duration delay = shard.isOpen() ? work.delay(request) : Duration.ZERO;
        if (!delay.isZero()) {
            work.queue.addAfter(request, delay);
            return null;
        }
        shard.closeUnless(() -> work.term.lasts(shard.number()));
        ReconcileRun run = work.begin(request, shard, this);
        if (shard.enter(run)) {
            return run;
        }
        putBack(request, shard);
        return null;
    }

    private void reconcile(ReconcileRun run) {
        try {
            work.reconcile(run);
        } finally {
            run.shard.leave(run);
        }
        if (run.stopped) {
            putBack(run.request, run.shard);
        }
        boolean outdatedBefore = run.outdated;
        work.settle(run);
        if (run.outdated && !outdatedBefore) {
            work.renew(run.request);
        }
    }

    private void putBack(Request request, Shard shard) {
        if (!shards.putBack(request, shard)) {
            work.renew(request);
        }
    }

    private void giveBack(Request request, @Nullable ReconcileRun run) {
        try {
            if (run != null && run.timeLimit != null) {
                run.timeLimit.cancel();
            }
            work.queue.done(request);
        } finally {
            holdsKey = false;
            if (run != null) {
                run.shard.gaveBack(run);
            }
        }
    }

    /** Sees to it that the key comes again: after its delay, else after any delay, else at once. */
    private void comeAgain(Request request) {
        try {
            work.queue.addRateLimited(request);
        } catch (RuntimeException | Error noDelay) {
            try {
                work.queue.addAfter(request, UNLIMITED);
            } catch (RuntimeException | Error noTimer) {
                work.queue.addAgain(request);
            }
        }
    }

    /**
     * Takes no more keys; a reconcile that runs goes on.
     *
     * @param newReplaced whether another takes its place at once
     */
    void retire(boolean newReplaced) {
        replaced |= newReplaced;
        retired = true;
        work.queue.recall();
    }

    boolean isRetired() {
        return retired;
    }

    boolean isReplaced() {
        return replaced;
    }

    /** Whether it has a key, from taking it to giving it back. */
    boolean holdsKey() {
        return holdsKey;
    }

    /** By the monotonic clock, when it took a key last, or was made if it never has. */
    long tookAt() {
        return tookAt;
    }
}
