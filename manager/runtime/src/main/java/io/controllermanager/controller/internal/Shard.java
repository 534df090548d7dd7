package io.controllermanager.controller.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.client.internal.request.BoundedMap;
import io.controllermanager.time.internal.Timer;
import io.controllermanager.workqueue.internal.Cause;
import io.controllermanager.workqueue.internal.Causes;
import io.controllermanager.workqueue.internal.WorkQueue;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The part of a controller's work that is opened and closed as one: the keys of one shard, or all keys of a controller that is
 * not divided. It has the reconciles that run of it, and remembers keys that change while it is closed. It is closed at
 * first. Entering, closing and interrupting exclude each other; what happens elsewhere happens without the monitor. One thread
 * opens it; all else may be called by any.
 */
public final class Shard {

    /** How long reconciles that were interrupted at the end of a drain are waited for. */
    private static final Duration UNWIND = Duration.ofSeconds(1);

    /** How many keys all shards of a controller remember together; the one that changed longest ago gives way. */
    static final int REMEMBERED = 10_000;

    /** Older changes are the old leader's work, done as a rule. Several times as long as a Lease lasts by default. */
    private static final Duration RECENT = Duration.ofMinutes(1);

    private final int number;
    private final ControllerShards shards;
    private final ControllerParts parts;
    private final WorkQueue<Request> queue;

    /**
     * The keys that changed while this is closed, and when, the oldest first. Whoever opens it has every cached object looked
     * at. These keys add deletions that the old leader did not get to, and have the latest edits come first. A queue would grow
     * by every object that ever lived.
     */
    @GuardedBy("this")
    private final Map<Request, Long> changedAt;

    /** Those that run, each from a worker's entry, made under the monitor, until its key has been given back. */
    private final Set<ReconcileRun> runs = ConcurrentHashMap.newKeySet();

    @GuardedBy("this")
    private boolean paused;

    /** How often it was opened or closed: odd while it is open. Written under the monitor. */
    private volatile int turns;

    /**
     * Makes one that is closed.
     *
     * @param number from 0
     */
    Shard(int number, ControllerShards shards, ControllerParts parts, WorkQueue<Request> queue) {
        this.number = number;
        this.shards = shards;
        this.parts = parts;
        this.queue = queue;
        this.changedAt = new BoundedMap<>(REMEMBERED / parts.shards().count());
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
    void closeUnlessPermitted() {
        // If it was closed and opened meanwhile, that is for the next time to ask.
        for (int before = turns; isOpen(before) && !parts.term().lasts(number); before = turns) {
            if (turn(before)) {
                parts.term().lapsed(number);
            }
        }
    }

    /** Opens or closes it, unless that was done since; returns whether it did. */
    private boolean turn(int before) {
        Deque<Map.Entry<Request, Long>> latestFirst = new ArrayDeque<>();
        synchronized (this) {
            if (turns != before) {
                return false;
            }
            turns++;
            // None if it was open.
            changedAt.forEach((key, at) -> latestFirst.addFirst(Map.entry(key, at)));
            changedAt.clear();
            // Whoever waits for the end of its reconciles need not any more, or has more to wait for.
            notifyAll();
        }
        // After it is open, or a key would be set aside for ever. Before keys are given out, or a worker would be woken
        // for each while there is nothing else to do.
        long now = parts.clock().nanoTime();
        for (Map.Entry<Request, Long> change : latestFirst) {
            boolean recent = now - change.getValue() <= RECENT.toNanos();
            int priority = recent ? WorkQueue.NORMAL_PRIORITY : WorkQueue.LOW_PRIORITY;
            queue.add(change.getKey(), priority, Causes.of(Cause.Kind.STANDBY));
        }
        if (!isOpen(before)) {
            // Before keys are given out, or there would seem to be no living worker for a moment.
            shards.opening.run();
        }
        shards.turned();
        return true;
    }

    /** Whether keys are queued rather than remembered. */
    boolean queues() {
        return isOpen() || !parts.term().moves();
    }

    /** Remembers a key if this is closed; returns false if the key is the caller's to queue. */
    boolean remembers(Request key, int priority) {
        if (queues()) {
            return false;
        }
        synchronized (this) {
            if (isOpen()) {
                return false;
            }
            // One of lower priority comes from a cache, which will be asked again.
            if (priority >= WorkQueue.NORMAL_PRIORITY) {
                changedAt.put(key, parts.clock().nanoTime());
            }
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
        told.forEach(run -> run.worker.interrupted(run));
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
        if (needNotBeAwaited(closed)) {
            return true;
        }
        AtomicBoolean expired = new AtomicBoolean();
        Timer.Cancellable alarm = parts.timer().schedule(limit, () -> {
            expired.set(true);
            wake();
        });
        try {
            while (!needNotBeAwaited(closed) && !expired.get()) {
                wait();
            }
            return needNotBeAwaited(closed);
        } finally {
            alarm.cancel();
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
