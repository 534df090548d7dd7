package io.controllermanager.controller;

import io.controllermanager.workqueue.WorkQueue;
import io.kubernetes.client.extended.controller.DefaultController;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.util.Set;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves keys from the queue of a client-java {@code DefaultController} to ours, which is the one that counts failures,
 * delays and priorities. The queue it takes from is left open, so that it can be pumped again.
 */
public final class KeyPump implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(KeyPump.class);

    private final String name;
    private final DefaultController from;
    private final BiConsumer<Request, Integer> sink;
    private final int workerCount;
    private final Set<Request> seen;
    private final Thread thread;
    private volatile boolean closed;

    private KeyPump(String name, DefaultController from, Set<Request> seen, BiConsumer<Request, Integer> sink) {
        this.name = name;
        this.from = from;
        this.seen = seen;
        this.sink = sink;
        this.workerCount = from.getWorkerCount();
        this.thread = new Thread(this::pump, "controller-manager-keys-" + name);
        this.thread.setDaemon(true);
    }

    /** Begins with the keys seen before: of those that a former pump moved, some may not have been worked on. */
    static KeyPump start(String name, DefaultController from, Set<Request> seen, BiConsumer<Request, Integer> sink) {
        KeyPump pump = new KeyPump(name, from, seen, sink);
        from.setWorkerCount(0);
        pump.replay();
        pump.thread.start();
        return pump;
    }

    /**
     * Moves every key that has ever come through once more, behind live changes: the informers that they came from are
     * not ours to ask. The set grows with every name ever seen and is never cut down: another leader may have worked on a
     * key since, so that neither its success here nor anything else that is known here makes it safe to forget.
     */
    public void replay() {
        seen.forEach(request -> sink.accept(request, WorkQueue.LOW_PRIORITY));
    }

    private void pump() {
        while (!closed) {
            try {
                Request request = from.getWorkQueue().get();
                if (request == null) {
                    log.atWarn()
                            .addKeyValue("controller", name)
                            .log("The controller's own queue was shut down by someone else; no more keys come");
                    return;
                }
                move(request);
            } catch (InterruptedException e) {
                // Only close() means it.
            } catch (RuntimeException e) {
                log.atError().addKeyValue("controller", name).setCause(e).log("A key could not be moved");
            }
        }
    }

    private void move(Request request) {
        try {
            if (closed) {
                // Taken at the last moment: back to where the next pump finds it.
                from.getWorkQueue().add(request);
            } else {
                seen.add(request);
                sink.accept(request, WorkQueue.NORMAL_PRIORITY);
            }
        } finally {
            from.getWorkQueue().done(request);
        }
    }

    /** Ends the thread; keys that come later stay in the queue that they came to. */
    @Override
    public void close() {
        closed = true;
        from.setWorkerCount(workerCount);
        thread.interrupt();
    }
}
