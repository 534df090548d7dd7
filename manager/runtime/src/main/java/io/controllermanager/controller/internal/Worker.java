package io.controllermanager.controller.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import io.controllermanager.workqueue.internal.WorkQueue;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Takes keys, one after the other, and reconciles them on a thread of its own until it is retired or the queue ends. An
 * interrupt from outside reaches it only where it is meant to: while it waits for a key (to retire it) or during the very
 * reconcile that is to be interrupted, never between two of them or while an outcome is being dealt with.
 */
final class Worker implements Runnable {

    /** How long a worker whose term does not last waits before it takes a key again. */
    private static final Duration HELD_BACK = Duration.ofMillis(100);

    /** The delay of a key for which the queue has none to give, because its rate limiter throws. */
    private static final Duration UNLIMITED = Duration.ofSeconds(1);

    private final WorkQueue<Request> queue;
    private final ReconcileTerm term;
    private final ShardGates shards;
    private final Clock clock;
    private final Timer timer;
    private final Work work;
    private final Owner owner;

    @GuardedBy("this")
    private @Nullable Thread thread;

    @GuardedBy("this")
    private boolean retired;

    @GuardedBy("this")
    private boolean taking;

    /** Whether it has a key, from taking it to giving it back. */
    @GuardedBy("this")
    private boolean holdsKey;

    /** When it took a key last, or was made. */
    @GuardedBy("this")
    private long tookAt;

    @GuardedBy("this")
    private @Nullable ReconcileRun current;

    /** The reconcile that has ended, until its key has been given back. */
    @GuardedBy("this")
    private @Nullable ReconcileRun settling;

    /**
     * Makes a worker; it works once a thread runs it.
     *
     * @param term asked before each reconcile
     * @param shards which keys are worked on at all
     * @param clock says when a key was taken
     * @param timer ends the wait after a term has ended
     */
    Worker(
            WorkQueue<Request> queue,
            ReconcileTerm term,
            ShardGates shards,
            Clock clock,
            Timer timer,
            Work work,
            Owner owner) {
        this.queue = queue;
        this.term = term;
        this.shards = shards;
        this.clock = clock;
        this.timer = timer;
        this.work = work;
        this.owner = owner;
        this.tookAt = clock.nanoTime();
    }

    /** Told what becomes of a worker, on its thread. */
    interface Owner {

        /** The worker is at its end, for whatever reason. */
        void ended(Worker worker);

        /** It has given back a key of a shard that is closed. */
        void gaveBack();
    }

    /** What a worker does with a key. */
    interface Work {

        /** How long the key has to wait before it may be reconciled, zero for not at all. */
        Duration delay(Request request);

        /** Prepares a reconcile of a key of the shard. */
        ReconcileRun begin(Request request, int shard);

        /** Calls the reconciler, now that nothing keeps it from running; whatever that throws is kept in the run. */
        void reconcile(Worker worker, ReconcileRun run);

        /** Deals with what came of it. The worker has no part in the run any more, but still has the key. */
        void settle(ReconcileRun run);

        /** Forgets what came of a key's reconcile that was outdated while it was being settled. */
        void renew(Request request);
    }

    @Override
    public void run() {
        synchronized (this) {
            thread = Thread.currentThread();
        }
        try {
            while (beginTaking()) {
                Request request = takeUnlessRetired();
                boolean mayWork = endTaking(request != null);
                if (request == null) {
                    if (mayWork && !queue.isShuttingDown()) {
                        continue; // an interrupt that nobody of ours sent
                    }
                    return;
                }
                if (!workOn(request)) {
                    holdBack();
                }
            }
        } finally {
            owner.ended(this);
        }
    }

    /** Returns false if the term does not last; the key is back in the queue then, as if it had not been taken. */
    private boolean workOn(Request request) {
        boolean settled = false;
        int shard = KeyShards.UNKNOWN;
        try {
            // What is deleted after this is not what is about to be reconciled.
            KeyShards.Deletion deletion = shards.keys.deletion(request);
            shard = shards.of(request);
            if (!shards.isOpen(shard)) {
                setAside(request, shard);
                settled = true;
                return true;
            }
            if (!term.lasts(shard)) {
                boolean otherShards = shards.divide();
                if (otherShards) {
                    queue.addAfter(request, HELD_BACK);
                } else {
                    queue.addAgain(request);
                }
                settled = true;
                return otherShards;
            }
            Duration delay = work.delay(request);
            if (!delay.isZero()) {
                queue.addAfter(request, delay);
                settled = true;
                return true;
            }
            ReconcileRun run = work.begin(request, shard);
            if (!enter(run)) {
                putBack(request, shard);
                settled = true;
                return true;
            }
            try {
                work.reconcile(this, run);
            } finally {
                leave();
            }
            if (run.stopped) {
                putBack(request, shard);
            }
            boolean outdatedBefore = run.outdated;
            work.settle(run);
            if (isOutdated(run) && !outdatedBefore) {
                work.renew(request);
            }
            if (deletion != null && run.over && !run.stopped) {
                shards.keys.dealtWith(request, deletion);
            }
            settled = true;
            return true;
        } finally {
            try {
                if (!settled) {
                    // Our own code threw, for want of memory for example. Whatever it was, the key must not be lost.
                    comeAgain(request);
                }
            } finally {
                endTimeLimit();
                queue.done(request);
                giveBack();
                if (!shards.isOpen(shard)) {
                    owner.gaveBack();
                }
            }
        }
    }

    /** The key is as it was before it was taken. */
    private void putBack(Request request, int shard) {
        if (shards.isOpen(shard)) {
            queue.addAgain(request);
        } else {
            setAside(request, shard);
        }
    }

    /** Its shard is worked on elsewhere, or nowhere; what is known of the key here is outdated by the time that it comes. */
    private void setAside(Request request, int shard) {
        work.renew(request);
        shards.setAside(request, shard);
    }

    /** Sees to it that the key comes again: after its delay, else after any delay, else at once. */
    private void comeAgain(Request request) {
        try {
            queue.addRateLimited(request);
        } catch (RuntimeException | Error noDelay) {
            try {
                queue.addAfter(request, UNLIMITED);
            } catch (RuntimeException | Error noTimer) {
                queue.addAgain(request);
            }
        }
    }

    /** Waits a moment, or until retired: the workers are about to be stopped. */
    private void holdBack() {
        if (!beginTaking()) {
            return;
        }
        try {
            timer.sleep(HELD_BACK);
        } catch (InterruptedException retiredOrStray) {
            // Either way the next step is to see whether there is more to do.
        } finally {
            endTaking(false);
        }
    }

    /** Takes no more keys; a reconcile that runs goes on. */
    synchronized void retire() {
        retired = true;
        if (taking && thread != null) {
            thread.interrupt();
        }
    }

    /**
     * Takes no more keys; a reconcile that runs is interrupted, and its key put back when it ends.
     *
     * @return the reconcile that was interrupted, null if there was none or it had been interrupted so before
     */
    synchronized @Nullable ReconcileRun stop() {
        retire();
        ReconcileRun run = current;
        return run == null ? null : interrupt(run.shard);
    }

    /**
     * A reconcile of a key of that shard is interrupted; the worker goes on with other keys.
     *
     * @return as for {@link #stop}
     */
    synchronized @Nullable ReconcileRun interrupt(int shard) {
        ReconcileRun run = current;
        if (run == null || run.shard != shard || run.stopped || thread == null) {
            return null;
        }
        run.stopped = true;
        thread.interrupt();
        return run;
    }

    /** When this returns, a reconcile that was about to begin has begun, or will find its shard as that is now. */
    synchronized void passEntry() {
        // To have been in the monitor is all it takes.
    }

    /** Interrupts a reconcile that has reached its time limit, if it still runs; returns whether it does. */
    synchronized boolean timeOut(ReconcileRun run) {
        if (current != run || thread == null) {
            return false;
        }
        run.timedOut = true;
        thread.interrupt();
        return true;
    }

    /** Calls a reconcile stuck if its key has not been given back; returns its thread, or null if the key has. */
    synchronized @Nullable Thread markStuck(ReconcileRun run) {
        if ((current != run && settling != run) || run.stuck) {
            return null;
        }
        run.stuck = true;
        return thread;
    }

    /** If it works on this key, that is of an object which another has taken the place of. */
    synchronized void outdate(Request key) {
        ReconcileRun run = current == null ? settling : current;
        if (run != null && run.request.equals(key)) {
            run.outdated = true;
        }
    }

    /** Whether a reconcile runs, or what came of it is still to be dealt with. Once retired, that begins no more. */
    synchronized boolean isReconciling() {
        return current != null || settling != null;
    }

    /** The same for keys of one shard; once that is closed, none begins any more. */
    synchronized boolean isReconciling(int shard) {
        ReconcileRun run = current == null ? settling : current;
        return run != null && run.shard == shard;
    }

    /** The reconcile that runs now. */
    synchronized @Nullable ReconcileRun current() {
        return current;
    }

    /** Whether it has a key, from taking it to giving it back. */
    synchronized boolean holdsKey() {
        return holdsKey;
    }

    /** By the monotonic clock, when it took a key last, or was made if it never has. */
    synchronized long tookAt() {
        return tookAt;
    }

    /** The reconcile that is stuck, or what comes after it. */
    synchronized @Nullable ReconcileRun stuck() {
        ReconcileRun run = current == null ? settling : current;
        return run != null && run.stuck ? run : null;
    }

    /** Whether it reconciles, and is neither stuck nor was told by {@link #stop} or {@link #interrupt} to end. */
    synchronized boolean holdsPlace() {
        return current != null && !current.stuck && !current.stopped;
    }

    /** Whether it is stuck, or reconciles though it was told to end. */
    synchronized boolean isGivenUp() {
        return stuck() != null || (current != null && current.stopped);
    }

    synchronized String threadName() {
        return thread == null ? "" : thread.getName();
    }

    private @Nullable Request takeUnlessRetired() {
        try {
            return queue.take();
        } catch (InterruptedException retiredOrStray) {
            return null;
        }
    }

    private synchronized boolean beginTaking() {
        taking = !retired;
        return taking;
    }

    private synchronized boolean endTaking(boolean took) {
        taking = false;
        if (took) {
            holdsKey = true;
            tookAt = clock.nanoTime();
        }
        clearInterrupt();
        return !retired;
    }

    private synchronized boolean enter(ReconcileRun run) {
        if (retired || !shards.isOpen(run.shard)) {
            return false;
        }
        current = run;
        return true;
    }

    private synchronized void leave() {
        settling = current;
        current = null;
        clearInterrupt();
    }

    private synchronized boolean isOutdated(ReconcileRun run) {
        return run.outdated;
    }

    private synchronized void endTimeLimit() {
        if (settling != null && settling.timeLimit != null) {
            settling.timeLimit.cancel();
        }
    }

    private synchronized void giveBack() {
        settling = null;
        holdsKey = false;
    }

    /** What was meant for the wait or the reconcile that has just ended must not hit what comes next. */
    private static void clearInterrupt() {
        boolean ignored = Thread.interrupted();
    }
}
