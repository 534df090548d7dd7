package io.controllermanager.clientjava.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.workqueue.internal.WorkQueue;
import io.kubernetes.client.extended.controller.DefaultController;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves keys from the queue of a client-java {@code DefaultController} to the host's queue, which counts failures and knows
 * delays and priorities. The queue that it takes from stays open, so that another pump can take from it later.
 */
final class KeyPump implements Registration {

    private static final Logger log = LoggerFactory.getLogger(KeyPump.class);

    /** When a key that could not be moved is tried again. */
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final String name;
    private final DefaultController from;
    private final BiConsumer<Request, Integer> sink;
    private final int workerCount;
    private final SeenKeys seen;
    private final Predicate<Request> exists;
    private final Thread thread;
    private volatile boolean closed;

    /** Begins with the keys seen before: of those that a former pump moved, some may not have been worked on. */
    KeyPump(
            String name,
            DefaultController from,
            SeenKeys seen,
            Predicate<Request> exists,
            BiConsumer<Request, Integer> sink) {
        this.name = name;
        this.from = from;
        this.seen = seen;
        this.exists = exists;
        this.sink = sink;
        this.workerCount = from.getWorkerCount();
        this.thread = new Thread(this::pump, "controller-manager-keys-" + name);
        this.thread.setDaemon(true);
        from.setWorkerCount(0);
        seen.replay(sink);
        thread.start();
    }

    private void pump() {
        while (!closed) {
            try {
                Request request = from.getWorkQueue().get();
                if (request == null) {
                    log.atWarn()
                            .addKeyValue("controller", name)
                            .log("Controller {}: its own queue was shut down by someone else; no more keys come", name);
                    return;
                }
                move(request);
            } catch (InterruptedException e) {
                // Only close() means it.
            } catch (RuntimeException | Error e) {
                // An Error as well: without this thread no key would come any more, and nobody would know.
                log.atError()
                        .addKeyValue("controller", name)
                        .setCause(e)
                        .log("Controller {}: a key could not be moved: {}", name, FailureMessage.of(e));
            }
        }
    }

    private void move(Request request) {
        try {
            if (closed) {
                // Taken at the last moment: back to where the next pump finds it.
                from.getWorkQueue().add(request);
            } else {
                seen.add(request, exists);
                sink.accept(request, WorkQueue.NORMAL_PRIORITY);
            }
        } catch (RuntimeException | Error e) {
            from.getWorkQueue().addAfter(request, RETRY);
            throw e;
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
