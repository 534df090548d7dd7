package io.controllermanager.controller.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.time.internal.Timer;
import io.controllermanager.workqueue.internal.WorkQueue;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * The part of a controller's work that is opened and closed as one: the keys of one shard, or all keys of a controller that is
 * not divided. It has the reconciles that run of it, and remembers keys that change while it is closed. It is closed at
 * first. Entering, closing and interrupting exclude each other; what happens elsewhere happens without the monitor. One thread
 * opens it; all else may be called by any.
 */
public final class Shard {

    /** How long reconciles that were interrupted at the end of a drain are waited for. */
    private static final Duration UNWIND = Duration.ofSeconds(1);

    private final int number;
    private final WorkQueue<Request> queue;
    private final Timer timer;
    private final Owner owner;

    @GuardedBy("this")
    private final StandbyKeys remembered;

    /** Those that run, each from a worker's entry, made under the monitor, until its key has been given back. */
    private final Set<ReconcileRun> runs = ConcurrentHashMap.newKeySet();

    @GuardedBy("this")
    private boolean paused;

    private volatile boolean queues;

    /** How often it was opened or closed: odd while it is open. Written under the monitor. */
    private volatile int turns;

    /** Told without the monitor. */
    interface Owner {

        /** It is about to be opened. */
        void opening();

        /** It was opened or closed. */
        void turned();

        /** It was closed since its Lease is not held for certain; that may turn out to be wrong. */
        void lapsed(int shard);

        /** A reconcile was interrupted since it was closed. */
        void interrupted(ReconcileRun run);
    }

    /**
     * Makes one that is closed.
     *
     * @param number from 0
     */
    Shard(int number, WorkQueue<Request> queue, StandbyKeys remembered, Timer timer, Owner owner) {
        this.number = number;
        this.queue = queue;
        this.remembered = remembered;
        this.timer = timer;
        this.owner = owner;
    }

    /** Its number, from 0. */
    public int number() {
        return number;
    }

    /** Whether reconciles may begin. */
    public boolean isOpen() {
        return isOpen(turns);
    }

    private static boolean isOpen(int turns) {
        return turns % 2 == 1;
    }

    /**
     * Lets reconciles begin, and queues the keys that were remembered. Whoever calls this has every cached object looked at
     * afterwards. Does nothing if it is open.
     *
     * @throws IllegalStateException once the controller is closed
     */
    public void open() {
        int before = turns;
        if (queue.isShuttingDown()) {
            throw new IllegalStateException("controller \"" + queue.name() + "\" is closed");
        }
        if (!isOpen(before)) {
            owner.opening();
            turn(before);
        }
    }

    /**
     * When this returns, no reconcile begins any more; those that run go on. Of its keys, only those of the latest live changes
     * are remembered from now on, so that a long standby costs no memory. What is queued stays queued. Does nothing if it is
     * closed.
     */
    public void close() {
        int before = turns;
        if (isOpen(before)) {
            turn(before);
        }
    }

    /**
     * Closes it, unless reconciles may begin: as a rule the Lease has been lost, which the host is about to follow. The host
     * opens it again when it may be worked on.
     */
    void closeUnless(BooleanSupplier permitted) {
        // If it was closed and opened meanwhile, that is for the next time to ask.
        for (int before = turns; isOpen(before) && !permitted.getAsBoolean(); before = turns) {
            if (turn(before)) {
                owner.lapsed(number);
            }
        }
    }

    /** Opens or closes it, unless that was done since; returns whether it did. */
    private boolean turn(int before) {
        List<StandbyKeys.Change> changes;
        synchronized (this) {
            if (turns != before) {
                return false;
            }
            turns++;
            // None if it was open.
            changes = remembered.takeAll();
            // Whoever waits for the end of its reconciles need not any more, or has more to wait for.
            notifyAll();
        }
        owner.turned();
        // It is open by now: what is queued would else be set aside for ever.
        changes.forEach(change -> queue.add(change.key(), change.priority()));
        return true;
    }

    /** From now on its keys are queued while it is closed, too: no other process works on it. */
    public void queueWhileClosed() {
        queues = true;
    }

    /** Remembers a key if this is closed; returns false if the key is the caller's to queue. */
    boolean remembers(Request key, int priority) {
        if (isOpen() || queues) {
            return false;
        }
        synchronized (this) {
            if (isOpen()) {
                return false;
            }
            remembered.add(key, priority);
            return true;
        }
    }

    /** Whether it is paused, besides being open. When this returns, no reconcile begins while it is. */
    synchronized void pause(boolean newPaused) {
        paused = newPaused;
    }

    /** A reconcile begins on this thread; false if it may not. */
    synchronized boolean enter(ReconcileRun run) {
        return isOpen() && !paused && runs.add(run);
    }

    /** The call of the reconciler has ended. What was meant for that must not interrupt what comes after it. */
    synchronized void leave(ReconcileRun run) {
        run.reconciling = false;
        boolean ignored = Thread.interrupted();
    }

    /** The key of a run has been given back. */
    void gaveBack(ReconcileRun run) {
        runs.remove(run);
        wake();
    }

    private synchronized void wake() {
        notifyAll();
    }

    /** Interrupts what runs, and returns without waiting for it. What was interrupted before is left alone. */
    public void interrupt() {
        List<ReconcileRun> told = new ArrayList<>();
        synchronized (this) {
            for (ReconcileRun run : runs) {
                if (run.reconciling && !run.stopped) {
                    run.stopped = true;
                    run.thread.interrupt();
                    told.add(run);
                }
            }
        }
        told.forEach(owner::interrupted);
    }

    /**
     * Waits until nothing of it runs, once it has been closed. Ends early if it is opened again, and does not wait for what is
     * stuck.
     *
     * @param limit how long reconciles may go on before they are interrupted; zero interrupts them at once and does not wait
     * @return whether every one has ended, or none has to any more
     */
    public boolean drain(Duration limit) throws InterruptedException {
        int closed = turns;
        if (isOpen(closed)) {
            return true;
        }
        boolean now = limit.isZero() || limit.isNegative();
        try {
            if (!now && !awaitEnd(closed, limit)) {
                interrupt();
                awaitEnd(closed, UNWIND);
            }
        } finally {
            if (turns == closed) {
                interrupt();
            }
        }
        return turns != closed || isIdle();
    }

    private synchronized boolean awaitEnd(int closed, Duration limit) throws InterruptedException {
        AtomicBoolean expired = new AtomicBoolean();
        Timer.Cancellable alarm = null;
        try {
            while (!needNotBeAwaited(closed) && !expired.get()) {
                if (alarm == null) {
                    alarm = timer.schedule(limit, () -> {
                        expired.set(true);
                        wake();
                    });
                }
                wait();
            }
            return needNotBeAwaited(closed);
        } finally {
            if (alarm != null) {
                alarm.cancel();
            }
        }
    }

    private boolean needNotBeAwaited(int closed) {
        return turns != closed || runs.stream().allMatch(run -> run.stuck);
    }

    /** Whether nothing of it runs, what was interrupted and does not end included. Once it is closed, nothing begins. */
    public boolean isIdle() {
        // For a moment its size may count one that is gone, which a drain would take for one that has not ended.
        return !runs.iterator().hasNext();
    }

    /** Whether a reconcile runs on though it was told to end. */
    public boolean hasGivenUp() {
        return runs.stream().anyMatch(run -> run.stuck || (run.reconciling && run.stopped));
    }

    /** Interrupts a reconcile that has reached its time limit, if it still runs; returns whether it does. */
    synchronized boolean timeOut(ReconcileRun run) {
        if (run.reconciling) {
            run.timedOut = true;
            run.thread.interrupt();
        }
        return run.reconciling;
    }

    /** Calls a run stuck if its key has not been given back; false if it has, or the run is called so already. */
    synchronized boolean markStuck(ReconcileRun run) {
        boolean stuck = runs.contains(run) && !run.stuck;
        run.stuck |= stuck;
        notifyAll();
        return stuck;
    }

    /** If the key is worked on, that is of an object which another has taken the place of. */
    void outdate(Request key) {
        runs.stream().filter(run -> run.request.equals(key)).forEach(run -> run.outdated = true);
    }

    /** What runs now. */
    Set<ReconcileRun> runs() {
        return Set.copyOf(runs);
    }
}
