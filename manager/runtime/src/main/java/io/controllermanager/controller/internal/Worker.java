package io.controllermanager.controller.internal;

import io.controllermanager.workqueue.internal.Causes;
import io.controllermanager.workqueue.internal.WorkQueue;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Takes keys, one after the other, and reconciles them on a thread of its own until its pool lets it go or the queue ends. It is
 * interrupted by others only during a reconcile that is to be interrupted, never between two of them or while an outcome is
 * being dealt with: its {@link Shard} sees to that.
 */
final class Worker implements Runnable {

    /** The delay of a key for which the queue has none to give, because its rate limiter throws. */
    private static final Duration UNLIMITED = Duration.ofSeconds(1);

    private final WorkerPool pool;
    private final ControllerShards shards;
    private final RequestHandler work;

    /** Another has its place although its reconcile has not ended. Written under the pool's monitor. */
    volatile boolean replaced;

    /** From taking a key to giving it back. Written by its own thread, as is what follows. */
    volatile boolean holdsKey;

    /** By the monotonic clock, when it took a key last, or was made if it never has. */
    volatile long tookAt;

    /** Makes a worker; it works once a thread runs it. */
    Worker(WorkerPool pool, ControllerShards shards, RequestHandler work) {
        this.pool = pool;
        this.shards = shards;
        this.work = work;
        this.tookAt = work.clock.nanoTime();
    }

    @Override
    public void run() {
        try {
            while (true) {
                try {
                    Request request = work.queue.takeWhile(() -> pool.needs(this));
                    if (request != null) {
                        workOn(request);
                    } else if (pool.releases(this) || work.queue.isShuttingDown()) {
                        return;
                    }
                } catch (InterruptedException stray) {
                    // Nobody of ours interrupts this.
                }
            }
        } finally {
            pool.ended(this);
        }
    }

    private void workOn(Request request) {
        tookAt = work.clock.nanoTime();
        holdsKey = true;
        ReconcileRun run = null;
        try {
            // What is deleted after this is not what is about to be reconciled.
            KeyMemories.Deletion deletion = shards.deletion(request);
            Shard shard = shards.of(request);
            if (shard == null) {
                work.renew(request);
            } else {
                run = enter(request, shard);
            }
            if (run != null) {
                reconcile(run);
                if (deletion != null && run.over && !run.stopped) {
                    work.parts.memories().dealtWith(request, deletion);
                }
            }
        } catch (Throwable ours) {
            // Our own code threw, for want of memory for example. Whatever it was, the key must not be lost.
            comeAgain(request);
            throw ours;
        } finally {
            giveBack(request, run);
        }
    }

    /** Begins a reconcile, or sees to it that the key comes again, if it is not paused, and returns null. */
    private @Nullable ReconcileRun enter(Request request, Shard shard) {
        if (shard.isOpen() && work.paused.holds(request)) {
            return null;
        }
        Duration delay = shard.isOpen() ? work.delay(request) : Duration.ZERO;
        if (!delay.isZero()) {
            Causes.Delay why = work.isUndone(request) ? Causes.Delay.UNDONE_WRITES : Causes.Delay.MIN_INTERVAL;
            work.queue.addAfter(
                    request, delay, work.queue.taken(request).causes().delayed(why, delay.toNanos()), null);
            return null;
        }
        shard.closeUnlessPermitted();
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
        work.conclude(run);
    }

    /**
     * Has a key come again that is not reconciled. While the queue gives out keys of other shards, a closed shard's is remembered
     * there instead: what is known of it here is outdated by the time that it comes.
     */
    private void putBack(Request request, Shard shard) {
        if (shards.anyIsOpen() && shard.remembers(request, WorkQueue.NORMAL_PRIORITY)) {
            work.renew(request);
        } else {
            work.queue.addAgain(request);
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

    /** Its reconcile was interrupted since the shard was closed. */
    void interrupted(ReconcileRun run) {
        work.interrupted(run);
        replace();
    }

    /** Its reconcile was told to end, and perhaps does not: another worker takes its place at once. */
    void replace() {
        pool.replace(this);
    }
}
