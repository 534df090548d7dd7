package io.controllermanager.manager;

import io.controllermanager.client.FailureMessage;
import io.controllermanager.controller.ClientJavaController;
import io.controllermanager.controller.Controller;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a client-java controller that keeps its own queue and workers: as a whole, while this process leads. Such a
 * controller cannot be run a second time.
 */
final class ForeignRunner implements ControllerRunner {

    private static final Logger log = LoggerFactory.getLogger(ForeignRunner.class);

    private final ClientJavaController controller;
    private final Cluster cluster;
    private final Consumer<String> ended;

    // Guarded by this object's monitor.
    private @Nullable Thread thread;
    private @Nullable Thread ending;
    private boolean shutDown;
    private boolean over;

    /**
     * Starts nothing.
     *
     * @param cluster whose informers it may read from
     * @param ended told, with the reason, when it has ended by itself and will not come back; on its own thread
     */
    ForeignRunner(ClientJavaController controller, Cluster cluster, Consumer<String> ended) {
        this.controller = controller;
        this.cluster = cluster;
        this.ended = ended;
    }

    @Override
    public void prepare() {}

    @Override
    public boolean cachesSynced() {
        return controller.ready();
    }

    @Override
    public boolean hasPassed(Map<String, String> versions) {
        return cluster.hasPassed(versions);
    }

    @Override
    public List<String> lateCaches() {
        return List.of();
    }

    @Override
    public synchronized void open() {
        if (thread == null && !shutDown) {
            Thread running = HostRun.daemon("controller-manager-run-" + controller.name(), this::run);
            running.start();
            thread = running;
        }
    }

    private void run() {
        try {
            controller.run();
        } catch (RuntimeException | Error e) {
            log.atError()
                    .addKeyValue("controller", controller.name())
                    .setCause(e)
                    .log("Controller {} ended by an error: {}", controller.name(), FailureMessage.of(e));
        }
        boolean byItself;
        synchronized (this) {
            byItself = !shutDown;
            shutDown = true;
            over = true;
        }
        if (byItself) {
            ended.accept("has ended and cannot be run again in this process");
        }
    }

    @Override
    public void resync() {
        // Its queue is its own.
    }

    @Override
    public synchronized void interrupt() {
        Thread running = thread;
        if (running != null && !shutDown) {
            // Its code, which may block or throw, while the host has others to tell.
            Thread shutting =
                    HostRun.daemon("controller-manager-shutdown-" + controller.name(), () -> shutDown(running));
            shutting.start();
            ending = shutting;
            shutDown = true;
        }
    }

    /** Ends when the controller has ended. */
    private void shutDown(Thread running) {
        try {
            controller.shutdown();
        } catch (RuntimeException | Error e) {
            log.atError()
                    .addKeyValue("controller", controller.name())
                    .setCause(e)
                    .log(
                            "Controller {} could not be shut down, and is interrupted: {}",
                            controller.name(),
                            FailureMessage.of(e));
            running.interrupt();
        }
        try {
            running.join();
        } catch (InterruptedException e) {
            // close(): it was waited for long enough.
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public synchronized boolean hasEnded() {
        return thread == null || over;
    }

    @Override
    public boolean hasGivenUp() {
        return false;
    }

    @Override
    public void retire() {
        throw new IllegalStateException("it brings its own workers, which cannot be paused");
    }

    @Override
    public boolean drain(Duration limit) throws InterruptedException {
        interrupt();
        Thread running;
        Thread waiting;
        synchronized (this) {
            running = thread;
            waiting = ending == null ? running : ending;
        }
        if (running == null || waiting == null) {
            return true;
        }
        waiting.join(Math.max(1, limit.toMillis()));
        boolean over = !waiting.isAlive();
        running.interrupt();
        return over;
    }

    @Override
    public synchronized void close() {
        if (ending != null) {
            ending.interrupt();
        }
    }

    @Override
    public boolean restartable() {
        return false;
    }

    @Override
    public synchronized boolean spent() {
        return shutDown;
    }

    @Override
    public void resize(int workers) {
        throw new IllegalStateException("it brings its own workers, whose number cannot be changed");
    }

    @Override
    public @Nullable Controller controller() {
        return null;
    }
}
