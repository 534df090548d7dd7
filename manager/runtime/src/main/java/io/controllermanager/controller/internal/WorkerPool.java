package io.controllermanager.controller.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.time.internal.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * As many workers as there are to be. Those that leave (retired, or stuck and replaced) are kept in sight until their
 * threads end. One that was retired keeps its place while its reconcile runs, so that no more keys are reconciled at once
 * than there are places; one that is stuck, or was interrupted by a stop, does not. Locks are taken in this order: the pool's,
 * a worker's; never the other way round.
 */
final class WorkerPool implements Worker.Owner {

    private static final Logger log = LoggerFactory.getLogger(WorkerPool.class);

    /** How long reconciles that were interrupted at the end of a drain are waited for. */
    private static final Duration UNWIND = Duration.ofSeconds(1);

    private static final Duration RETRY_START = Duration.ofSeconds(1);

    private final String controller;
    private final Function<Worker.Owner, Worker> newWorker;
    private final ThreadFactory threads;
    private final Timer timer;
    private final BiConsumer<Worker, ReconcileRun> interrupted;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final Map<Worker, Thread> workers = new LinkedHashMap<>();

    @GuardedBy("lock")
    private final Map<Worker, Thread> leaving = new LinkedHashMap<>();

    // Changed under the lock.
    private volatile int size;
    private volatile boolean running;

    @GuardedBy("lock")
    private boolean closed;

    /**
     * Makes a pool without workers.
     *
     * @param newWorker makes a worker, given whom to tell when it ends
     * @param interrupted told which reconciles a stop has interrupted
     */
    WorkerPool(
            String controller,
            int size,
            Function<Worker.Owner, Worker> newWorker,
            ThreadFactory threads,
            Timer timer,
            BiConsumer<Worker, ReconcileRun> interrupted) {
        this.controller = controller;
        this.size = size;
        this.newWorker = newWorker;
        this.threads = threads;
        this.timer = timer;
        this.interrupted = interrupted;
    }

    void start() {
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException("controller \"" + controller + "\" is closed");
            }
            running = true;
            fill();
        } finally {
            lock.unlock();
        }
    }

    boolean stop(Duration drain) throws InterruptedException {
        boolean now = drain.isZero() || drain.isNegative();
        // Those that were retired before (by a pause, by another size, by another stop) have no more time than others.
        List<Worker> stopping = retire();
        if (!now) {
            // No use in waiting for what does not end when it is told to.
            stopping.removeIf(worker -> worker.stuck() != null);
        }
        // Those that do nothing will do nothing: that their threads end takes some milliseconds, for which nobody would
        // work.
        List<Worker> reconciling =
                stopping.stream().filter(Worker::isReconciling).toList();
        try {
            if (!now && !await(() -> haveEnded(reconciling), drain)) {
                stop(stopping);
                await(() -> haveEnded(reconciling), UNWIND);
            }
        } finally {
            stop(stopping);
        }
        lock.lock();
        try {
            return leaving.keySet().stream().noneMatch(Worker::isReconciling);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for what runs of a shard, of which nothing begins any more.
     *
     * @param limit how long until it is interrupted; zero interrupts it at once, and does not wait
     * @param wanted whether it still is to end
     * @return whether nothing of it runs any more, or nothing has to end any more
     */
    boolean drain(int shard, Duration limit, BooleanSupplier wanted) throws InterruptedException {
        boolean now = limit.isZero() || limit.isNegative();
        // No use in waiting for what does not end when it is told to.
        BooleanSupplier over = () -> !wanted.getAsBoolean()
                || all().stream().noneMatch(worker -> worker.stuck() == null && worker.isReconciling(shard));
        try {
            if (!now && !await(over, limit)) {
                interrupt(shard);
                await(over, UNWIND);
            }
        } finally {
            if (wanted.getAsBoolean()) {
                interrupt(shard);
            }
        }
        return !wanted.getAsBoolean() || !isReconciling(shard);
    }

    /** Ends what runs of a shard at once. */
    void interrupt(int shard) {
        interrupt(all(), worker -> worker.interrupt(shard));
    }

    private void interrupt(List<Worker> those, Function<Worker, @Nullable ReconcileRun> how) {
        for (Worker worker : those) {
            ReconcileRun run = how.apply(worker);
            if (run != null) {
                interrupted.accept(worker, run);
            }
        }
    }

    /** Whether anything of a shard runs. */
    boolean isReconciling(int shard) {
        return all().stream().anyMatch(worker -> worker.isReconciling(shard));
    }

    /** Takes no more keys; what runs goes on, without limit. Returns all workers that leave. */
    List<Worker> retire() {
        lock.lock();
        try {
            running = false;
            List.copyOf(workers.keySet()).forEach(this::retire);
            return new ArrayList<>(leaving.keySet());
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        stop(retire());
    }

    void resize(int newSize) {
        lock.lock();
        try {
            size = newSize;
            if (running) {
                fill();
                retireSurplus();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Lets another worker take the place of one that is stuck; the stuck one ends with its reconcile. */
    void replace(Worker stuck) {
        lock.lock();
        try {
            retire(stuck);
            if (running) {
                fill();
            }
        } finally {
            lock.unlock();
        }
    }

    boolean isRunning() {
        return running;
    }

    int size() {
        return size;
    }

    /** How many places are held by a worker with a living thread. */
    int live() {
        lock.lock();
        try {
            long staying = workers.values().stream().filter(Thread::isAlive).count();
            // From the end of its reconcile to that of its thread, when its place is filled, one that leaves counts
            // still.
            long left = leaving.entrySet().stream()
                    .filter(worker ->
                            worker.getValue().isAlive() && !worker.getKey().isGivenUp())
                    .count();
            return (int) Math.min(size, staying + left);
        } finally {
            lock.unlock();
        }
    }

    /** Every worker whose thread has not ended. */
    List<Worker> all() {
        lock.lock();
        try {
            List<Worker> all = new ArrayList<>(leaving.keySet());
            all.addAll(workers.keySet());
            return all;
        } finally {
            lock.unlock();
        }
    }

    private void stop(List<Worker> stopping) {
        interrupt(stopping, Worker::stop);
        // Workers may have been started again meanwhile: these hold no places any more.
        fillAgain();
    }

    /** Does nothing if the worker is leaving already. */
    @GuardedBy("lock")
    private void retire(Worker worker) {
        Thread thread = workers.remove(worker);
        if (thread != null) {
            leaving.put(worker, thread);
            worker.retire();
        }
    }

    /** How many workers there is room for besides those that leave but still reconcile. */
    @GuardedBy("lock")
    private int places() {
        return size - (int) leaving.keySet().stream().filter(Worker::holdsPlace).count();
    }

    private boolean haveEnded(List<Worker> stopping) {
        lock.lock();
        try {
            return Collections.disjoint(stopping, leaving.keySet());
        } finally {
            lock.unlock();
        }
    }

    /** Waits until something that may change with each signal is the case; returns whether it is within the limit. */
    private boolean await(BooleanSupplier over, Duration limit) throws InterruptedException {
        boolean[] expired = new boolean[1];
        Timer.Cancellable alarm = null;
        lock.lockInterruptibly();
        try {
            while (!over.getAsBoolean()) {
                if (expired[0]) {
                    return false;
                }
                if (alarm == null) {
                    alarm = timer.schedule(limit, () -> {
                        lock.lock();
                        try {
                            expired[0] = true;
                            changed.signalAll();
                        } finally {
                            lock.unlock();
                        }
                    });
                }
                changed.await();
            }
            return true;
        } finally {
            lock.unlock();
            if (alarm != null) {
                alarm.cancel();
            }
        }
    }

    @GuardedBy("lock")
    private void fill() {
        int places = places();
        while (workers.size() < places) {
            Worker worker = newWorker.apply(this);
            try {
                Thread thread = threads.newThread(worker);
                workers.put(worker, thread);
                thread.start();
            } catch (RuntimeException | Error e) {
                // No memory or no threads left: the others go on, and there may be some later.
                workers.remove(worker);
                log.atError()
                        .addKeyValue("controller", controller)
                        .setCause(e)
                        .log(
                                "Controller {}: cannot start a worker, and tries again: {}",
                                controller,
                                FailureMessage.of(e));
                timer.schedule(RETRY_START, this::fillAgain);
                return;
            }
        }
    }

    private void fillAgain() {
        lock.lock();
        try {
            if (running) {
                fill();
            }
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void retireSurplus() {
        int places = places();
        for (Worker worker : List.copyOf(workers.keySet())) {
            if (workers.size() > places && worker.current() == null) {
                retire(worker);
            }
        }
        for (Worker worker : List.copyOf(workers.keySet())) {
            if (workers.size() > size) {
                retire(worker);
            }
        }
    }

    @Override
    public void gaveBack() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void ended(Worker worker) {
        lock.lock();
        try {
            boolean left = leaving.remove(worker) != null;
            // One that was not told to leave has died of something.
            boolean died = workers.remove(worker) != null;
            changed.signalAll();
            if (running && left) {
                fill();
            } else if (running && died) {
                timer.schedule(Duration.ZERO, this::fillAgain);
            }
        } finally {
            lock.unlock();
        }
    }
}
