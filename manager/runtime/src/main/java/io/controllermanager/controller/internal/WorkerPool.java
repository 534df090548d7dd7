package io.controllermanager.controller.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.time.internal.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * As many workers as there are to be, none before the {@link #start}. Those that leave are kept in sight until their threads end.
 * One that leaves because there are to be fewer keeps its place until then, so that no more keys are reconciled at once than
 * there are places; one that is replaced does not. Safe for use by several threads.
 */
final class WorkerPool {

    private static final Logger log = LoggerFactory.getLogger(WorkerPool.class);

    private static final Duration RETRY_START = Duration.ofSeconds(1);

    private final String controller;
    private final Function<Consumer<Worker>, Worker> newWorker;
    private final ThreadFactory threads;
    private final Timer timer;

    @GuardedBy("this")
    private final Map<Worker, Thread> workers = new LinkedHashMap<>();

    @GuardedBy("this")
    private final Map<Worker, Thread> leaving = new LinkedHashMap<>();

    /** Written under the monitor, as is the other. */
    private volatile int size;

    private volatile boolean running;

    @GuardedBy("this")
    private boolean closed;

    /**
     * Makes a pool without workers.
     *
     * @param newWorker makes a worker, given whom to tell when it ends
     */
    WorkerPool(
            String controller,
            int size,
            Function<Consumer<Worker>, Worker> newWorker,
            ThreadFactory threads,
            Timer timer) {
        this.controller = controller;
        this.size = size;
        this.newWorker = newWorker;
        this.threads = threads;
        this.timer = timer;
    }

    /** Fills all places; does nothing if that was done, or this is closed. */
    synchronized void start() {
        running = !closed;
        fill();
    }

    /** Has all workers leave, for good. */
    synchronized void close() {
        closed = true;
        running = false;
        List.copyOf(workers.keySet()).forEach(worker -> retire(worker, false));
    }

    /** Of surplus workers those without a key leave first. */
    synchronized void resize(int newSize) {
        size = newSize;
        fill();
        int surplus = workers.size() - places();
        for (Worker worker : List.copyOf(workers.keySet())) {
            if (surplus > 0 && !worker.holdsKey()) {
                retire(worker, false);
                surplus--;
            }
        }
        for (Worker worker : List.copyOf(workers.keySet())) {
            if (workers.size() > newSize) {
                retire(worker, false);
            }
        }
    }

    /** Lets another worker take the place of one whose reconcile is to end and perhaps does not; it ends with that. */
    synchronized void replace(Worker worker) {
        retire(worker, true);
        fill();
    }

    int size() {
        return size;
    }

    /** How many places are held by a worker with a living thread. */
    synchronized int live() {
        long staying = workers.values().stream().filter(Thread::isAlive).count();
        // Until its place is filled, one that leaves counts still.
        long left = leaving.entrySet().stream()
                .filter(worker ->
                        worker.getValue().isAlive() && !worker.getKey().isReplaced())
                .count();
        return (int) Math.min(size, staying + left);
    }

    /** Every worker whose thread has not ended. */
    synchronized List<Worker> all() {
        List<Worker> all = new ArrayList<>(leaving.keySet());
        all.addAll(workers.keySet());
        return all;
    }

    @GuardedBy("this")
    private void retire(Worker worker, boolean replaced) {
        Thread thread = workers.remove(worker);
        if (thread != null) {
            leaving.put(worker, thread);
        }
        worker.retire(replaced);
    }

    /** How many workers there is room for besides those that leave but have their places still. */
    @GuardedBy("this")
    private int places() {
        return size
                - (int) leaving.keySet().stream()
                        .filter(worker -> !worker.isReplaced())
                        .count();
    }

    @GuardedBy("this")
    private void fill() {
        while (running && workers.size() < places()) {
            Worker worker = newWorker.apply(this::ended);
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

    private synchronized void fillAgain() {
        fill();
    }

    private synchronized void ended(Worker worker) {
        if (leaving.remove(worker) != null) {
            fill();
        } else if (workers.remove(worker) != null && running) {
            // One that was not told to leave has died of something.
            timer.schedule(Duration.ZERO, this::fillAgain);
        }
    }
}
