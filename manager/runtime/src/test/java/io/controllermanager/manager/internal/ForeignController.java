package io.controllermanager.manager.internal;

import io.controllermanager.clientjava.internal.ClientJavaController;
import io.kubernetes.client.extended.controller.Controller;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * A client-java controller with workers of its own: it runs until a latch is open, or until it is interrupted.
 *
 * @param log told that it runs and that it was interrupted
 * @param prefix what it writes into the log before that
 * @param ended open when it is to end
 * @param onShutdown its way to shut down
 */
record ForeignController(List<String> log, String prefix, CountDownLatch ended, Runnable onShutdown)
        implements Controller {

    ControllerRegistration registration(String name) {
        return ClientJavaController.of(this, name).registration();
    }

    @Override
    public void run() {
        log.add(prefix + "run");
        try {
            ended.await();
        } catch (InterruptedException e) {
            log.add(prefix + "interrupted");
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void shutdown() {
        onShutdown.run();
    }
}
