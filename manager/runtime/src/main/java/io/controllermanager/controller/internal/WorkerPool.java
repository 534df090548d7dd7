package io.controllermanager.controller.internal;

import io.controllermanager.client.internal.request.FailureMessage;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * As many workers as there are to be, none before the {@link #start}. One that comes for its next key while there are too many
 * leaves. Until then it keeps its place, so that no more keys are reconciled at once than there are places; one that is replaced
 * does not. Safe for use by several threads.
 */
final class WorkerPool {

    private static final Logger log = LoggerFactory.getLogger(WorkerPool.class);

    private static final Duration RETRY_START = Duration.ofSeconds(1);

    private final ControllerParts parts;
    private final ControllerShards shards;
    private final RequestHandler work;

    /** Those that have not left. Written under the monitor, but for the end of a thread. */
    private final Map<Worker, Thread> workers = new ConcurrentHashMap<>();

    /** How many there are to be. */
    volatile int size;

    private volatile boolean running;
    private volatile boolean closed;

    /** More have a place than there are to be. */
    private volatile boolean tooMany;

    WorkerPool(ControllerParts parts, ControllerShards shards, RequestHandler work) {
        this.parts = parts;
        this.size = parts.options().workers();
        this.shards = shards;
        this.work = work;
    }

    /** Fills all places; does nothing if that was done, or this is closed. */
    void start() {
        running = !closed;
        fill();
    }

    /** Has all workers leave, for good. */
    void close() {
        closed = true;
        work.queue.recall();
    }

    /** Of surplus workers those without a key leave first. */
    synchronized void resize(int newSize) {
        size = newSize;
        tooMany = placed() > size;
        fill();
        work.queue.recall();
    }

    /** Lets another worker take the place of one whose reconcile is to end and perhaps does not; it ends with that. */
    synchronized void replace(Worker worker) {
        worker.replaced = true;
        fill();
        // It may wait for its next key by now, and would take the signal of one that is another's.
        work.queue.recall();
    }

    /** Whether a worker may take a key. Asked under the queue's lock. */
    boolean needs(Worker worker) {
        return !closed && !tooMany && !worker.replaced;
    }

    /** Has a worker leave that is not needed; returns whether it is to. */
    synchronized boolean releases(Worker worker) {
        boolean leaves = closed || worker.replaced || placed() > size;
        if (leaves) {
            workers.remove(worker);
        }
        tooMany = placed() > size;
        return leaves;
    }

    /** How many places are held by a worker with a living thread. */
    int live() {
        long alive = workers.entrySet().stream()
                .filter(worker -> worker.getValue().isAlive() && !worker.getKey().replaced)
                .count();
        // Those that are too many have a place until they leave.
        return (int) Math.min(size, alive);
    }

    /** Every worker that has not left. */
    Set<Worker> all() {
        return Set.copyOf(workers.keySet());
    }

    /** How many have a place. */
    private long placed() {
        return workers.keySet().stream().filter(worker -> !worker.replaced).count();
    }

    private synchronized void fill() {
        while (running && !closed && placed() < size) {
            Worker worker = new Worker(this, shards, work);
            try {
                Thread thread = parts.threadFactory().newThread(worker);
                workers.put(worker, thread);
                thread.start();
            } catch (RuntimeException | Error e) {
                // No memory or no threads left: the others go on, and there may be some later.
                workers.remove(worker);
                String controller = parts.descriptor().name();
                log.atError()
                        .addKeyValue("controller", controller)
                        .setCause(e)
                        .log(
                                "Controller {}: cannot start a worker, and tries again: {}",
                                controller,
                                FailureMessage.of(e));
                parts.timer().schedule(RETRY_START, this::fill);
                return;
            }
        }
    }

    /** The thread of a worker ends. One that has not left has died of something. */
    void ended(Worker worker) {
        if (workers.remove(worker) != null && running && !closed) {
            parts.timer().schedule(Duration.ZERO, this::fill);
        }
    }
}
