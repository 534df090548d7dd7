package io.controllermanager.manager;

import io.controllermanager.client.FailureMessage;
import io.controllermanager.client.Registration;
import io.controllermanager.controller.ClientJavaController;
import io.controllermanager.controller.Controller;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a client-java controller that keeps its own queue and workers: as a whole, while this process leads. Such a
 * controller cannot be run a second time.
 */
final class ClientJavaRunner implements ControllerRunner {

    private static final Logger log = LoggerFactory.getLogger(ClientJavaRunner.class);

    private final ClientJavaController controller;
    private final Cluster cluster;
    private final Consumer<String> ended;
    private final AtomicBoolean shutDown = new AtomicBoolean();

    /** Null until it runs. */
    private volatile @Nullable Thread running;

    /** Ends when the controller has been shut down and has ended; null until then. */
    private volatile @Nullable Thread ending;

    private volatile boolean over;

    /**
     * Starts nothing.
     *
     * @param cluster whose informers it may read from
     * @param ended told, with the reason, when it has ended by itself and will not come back; on its own thread
     */
    ClientJavaRunner(ClientJavaController controller, Cluster cluster, Consumer<String> ended) {
        this.controller = controller;
        this.cluster = cluster;
        this.ended = ended;
    }

    @Override
    public void prepare() {}

    @Override
    public void whenSynced(Runnable told) {
        told.run();
    }

    @Override
    public Registration whenPassed(Map<String, String> versions, Runnable told) {
        return cluster.whenPassed(versions, told);
    }

    @Override
    public List<String> lateCaches() {
        return List.of();
    }

    @Override
    public void open() {
        if (running == null && !shutDown.get()) {
            running = HostLoop.background("controller-manager-run-" + controller.name(), this::run);
        }
    }

    private void run() {
        try {
            controller.run();
        } catch (RuntimeException | Error e) {
            tell("ended by an error", e);
        }
        over = true;
        if (shutDown.compareAndSet(false, true)) {
            ended.accept("has ended and cannot be run again in this process");
        }
    }

    private void tell(String what, Throwable failure) {
        log.atError()
                .addKeyValue("controller", controller.name())
                .setCause(failure)
                .log("Controller {} {}: {}", controller.name(), what, FailureMessage.of(failure));
    }

    @Override
    public void interrupt() {
        Thread working = running;
        if (working != null && shutDown.compareAndSet(false, true)) {
            // Its code may block or throw, while the host has others to tell.
            ending = HostLoop.background("controller-manager-shutdown-" + controller.name(), () -> shutDown(working));
        }
    }

    private void shutDown(Thread working) {
        try {
            controller.shutdown();
        } catch (RuntimeException | Error e) {
            tell("could not be shut down, and is interrupted", e);
            working.interrupt();
        }
        try {
            working.join();
        } catch (InterruptedException e) {
            // close(): it was waited for long enough.
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void resync() {
        // Its queue is its own.
    }

    @Override
    public boolean isRequeueing() {
        return false;
    }

    @Override
    public boolean hasEnded() {
        return running == null || over;
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
        Thread working = running;
        if (working == null) {
            return true;
        }
        Thread last = ending == null ? working : ending;
        last.join(Math.max(1, limit.toMillis()));
        boolean inTime = !last.isAlive();
        working.interrupt();
        return inTime;
    }

    @Override
    public void close() {
        Thread waiting = ending;
        if (waiting != null) {
            waiting.interrupt();
        }
    }

    @Override
    public boolean bringsWorkers() {
        return true;
    }

    @Override
    public boolean isShutDown() {
        return shutDown.get();
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
