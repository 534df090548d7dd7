package io.controllermanager.manager.internal;

import io.controllermanager.client.internal.request.FailureMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Queues what caches hold, on a thread of its own, until all is queued or this is ended. One thread begins and ends it. */
final class Requeue {

    private static final Logger log = LoggerFactory.getLogger(Requeue.class);

    private static final Duration RETRY = Duration.ofSeconds(5);

    private final String controller;
    private final RetryWait retryWait;

    /** Whose turn it is to queue; null once all is queued. */
    private final AtomicReference<@Nullable Thread> queueing = new AtomicReference<>();

    Requeue(String controller, RetryWait retryWait) {
        this.controller = controller;
        this.retryWait = retryWait;
    }

    /**
     * Begins; what fails is tried again until it succeeds.
     *
     * @param first done before anything is queued, and shown as a part of it
     */
    void begin(Runnable first, List<Runnable> replays) {
        Thread thread = HostLoop.daemon("controller-manager-requeue-" + controller, () -> replay(replays));
        queueing.set(thread);
        first.run();
        thread.start();
    }

    private void replay(List<Runnable> replays) {
        List<Runnable> left = new ArrayList<>(replays);
        try {
            left.removeIf(this::succeeds);
            // What is called may have swallowed an interruption.
            while (!left.isEmpty() && queueing.get() == Thread.currentThread()) {
                retryWait.await(RETRY);
                left.removeIf(this::succeeds);
            }
        } catch (InterruptedException e) {
            // Another leads, or the controller is closed.
        } finally {
            queueing.compareAndSet(Thread.currentThread(), null);
        }
    }

    private boolean succeeds(Runnable replay) {
        try {
            replay.run();
            return true;
        } catch (Throwable e) {
            log.atWarn()
                    .addKeyValue("controller", controller)
                    .setCause(e)
                    .log(
                            "Controller {}: what a cache holds could not be queued, and is tried again: {}",
                            controller,
                            FailureMessage.of(e));
            return false;
        }
    }

    boolean isUnderWay() {
        return queueing.get() != null;
    }

    void end() {
        Thread ending = queueing.getAndSet(null);
        if (ending != null) {
            ending.interrupt();
        }
    }
}
