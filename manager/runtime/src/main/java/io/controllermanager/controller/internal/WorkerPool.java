package io.controllermanager.controller.internal;

import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.time.internal.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
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

    /** Those whose threads have not ended. Written under the monitor, but for the end of a thread. */
    private final Map<Worker, Thread> workers = new ConcurrentHashMap<>();

    private volatile int size;
    private volatile boolean running;
    private volatile boolean closed;

    /**
     * Makes a pool without workers.
     *
     * @param newWorker makes a worker, given whom to tell when it ends
     */
    WorkerPool(ControllerBuilder parts, Function<Consumer<Worker>, Worker> newWorker) {
        this.controller = parts.descriptor.name();
        this.size = parts.options.workers();
        this.newWorker = newWorker;
        this.threads = parts.threadFactory;
        this.timer = parts.timer;
    }

    /** Fills all places; does nothing if that was done, or this is closed. */
    void start() {
        running = !closed;
        fill();
    }

    /** Has all workers leave, for good. */
    synchronized void close() {
        closed = true;
        workers.keySet().forEach(worker -> worker.retire(false));
    }

    /** Of surplus workers those without a key leave first. */
    synchronized void resize(int newSize) {
        size = newSize;
        fill();
        staying()
                .filter(worker -> !worker.holdsKey())
                .limit(Math.max(0, placed() - newSize))
                .forEach(worker -> worker.retire(false));
        staying().skip(newSize).forEach(worker -> worker.retire(false));
    }

    /** Lets another worker take the place of one whose reconcile is to end and perhaps does not; it ends with that. */
    synchronized void replace(Worker worker) {
        worker.retire(true);
        fill();
    }

    int size() {
        return size;
    }

    /** How many places are held by a worker with a living thread. */
    int live() {
        long alive = workers.entrySet().stream()
                .filter(worker ->
                        worker.getValue().isAlive() && !worker.getKey().isReplaced())
                .count();
        // Until its place is filled, one that leaves counts still.
        return (int) Math.min(size, alive);
    }

    /** Every worker whose thread has not ended. */
    Set<Worker> all() {
        return Set.copyOf(workers.keySet());
    }

    private Stream<Worker> staying() {
        return all().stream().filter(worker -> !worker.isRetired());
    }

    /** How many have a place, those that leave and have it still included. */
    private int placed() {
        return (int)
                workers.keySet().stream().filter(worker -> !worker.isReplaced()).count();
    }

    private synchronized void fill() {
        while (running && !closed && placed() < size) {
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
                timer.schedule(RETRY_START, this::fill);
                return;
            }
        }
    }

    private void ended(Worker worker) {
        workers.remove(worker);
        if (worker.isRetired()) {
            fill();
        } else if (running && !closed) {
            // One that was not told to leave has died of something.
            timer.schedule(Duration.ZERO, this::fill);
        }
    }
}
