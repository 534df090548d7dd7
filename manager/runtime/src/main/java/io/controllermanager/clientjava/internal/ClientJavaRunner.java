package io.controllermanager.clientjava.internal;

import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.manager.internal.ControllerRunner;
import io.kubernetes.client.extended.controller.Controller;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a client-java controller that keeps its own queue and workers, while this process leads: it has one shard, whose
 * opening runs it and whose end shuts it down. Such a controller cannot run a second time.
 */
final class ClientJavaRunner implements ControllerRunner {

    private static final Logger log = LoggerFactory.getLogger(ClientJavaRunner.class);

    private final Controller controller;
    private final String name;
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
     * @param ended told, with the reason, when it has ended by itself and will not come back; on its own thread
     */
    ClientJavaRunner(Controller controller, String name, Consumer<String> ended) {
        this.controller = controller;
        this.name = name;
        this.ended = ended;
    }

    @Override
    public void open(int shard, long term) {
        if (running == null && !shutDown.get()) {
            running = start("run", this::run);
        }
    }

    private Thread start(String what, Runnable task) {
        Thread thread = new Thread(task, "controller-manager-" + what + "-" + name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void run() {
        try {
            controller.run();
        } catch (Throwable e) {
            // Of any class: what it throws need not be declared.
            tell("ended by an error", e);
        } finally {
            over = true;
        }
        if (shutDown.compareAndSet(false, true)) {
            ended.accept("has ended and cannot be run again in this process");
        }
    }

    private void tell(String what, Throwable failure) {
        log.atError()
                .addKeyValue("controller", name)
                .setCause(failure)
                .log("Controller {} {}: {}", name, what, FailureMessage.of(failure));
    }

    @Override
    public void interrupt(int shard) {
        shutDown();
    }

    private void shutDown() {
        Thread working = running;
        if (working != null && shutDown.compareAndSet(false, true)) {
            // Its code may block or throw, while the host has others to tell.
            ending = start("shutdown", () -> shutDown(working));
        }
    }

    private void shutDown(Thread working) {
        try {
            controller.shutdown();
        } catch (Throwable e) {
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
    public boolean isIdle(int shard) {
        return running == null || over;
    }

    @Override
    public boolean drain(int shard, Duration limit) throws InterruptedException {
        shutDown();
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
    public boolean isShutDown() {
        return shutDown.get();
    }
}
