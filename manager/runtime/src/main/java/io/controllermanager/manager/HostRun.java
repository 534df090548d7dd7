package io.controllermanager.manager;

import io.controllermanager.client.Registration;
import io.controllermanager.leaderelection.LeaderElector;
import io.controllermanager.leaderelection.LeadershipListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The host from one start to the next stop. */
final class HostRun implements LeadershipListener {

    private static final Logger log = LoggerFactory.getLogger(HostRun.class);

    /** How much longer than the shutdown timeout a stop waits for those who were interrupted at its end. */
    private static final Duration GRACE = Duration.ofSeconds(2);

    private final ControllerManager.Parts parts;
    private final Pause pause;
    private final List<HostedController> controllers;
    private final Thread starter;
    private volatile boolean stopping;
    private @Nullable Registration recovery;

    HostRun(ControllerManager.Parts parts) {
        this.parts = parts;
        this.pause = new Pause(parts.timer());
        this.controllers = parts.controllers().stream()
                .map(registration -> new HostedController(registration, parts, pause))
                .toList();
        this.starter = daemon("controller-manager-start", this::awaitCachesThenCompete);
    }

    List<HostedController> controllers() {
        return controllers;
    }

    void start() {
        log.atInfo()
                .addKeyValue(
                        "controllers",
                        controllers.stream()
                                .filter(HostedController::enabled)
                                .map(HostedController::name)
                                .toList())
                .log("Controller manager starting");
        recovery = parts.recovery().apply(this::onRecovery);
        starter.start();
    }

    /**
     * A replica competes when it could do the work: every controller's caches are synced, or are known to be late (their
     * time limit has passed, the type is not served, the controller failed), so that one of them does not keep the others
     * from work.
     */
    private void awaitCachesThenCompete() {
        controllers.forEach(HostedController::start);
        try {
            parts.cluster().start();
        } catch (RuntimeException e) {
            log.error("The informers that were registered by others could not be started", e);
        }
        try {
            for (HostedController controller : controllers) {
                controller.settled().get();
            }
        } catch (InterruptedException e) {
            return;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
        LeaderElector elector = parts.elector();
        synchronized (this) {
            if (stopping) {
                return;
            }
            if (elector == null) {
                onAcquired();
            } else {
                elector.start(this);
            }
        }
    }

    @Override
    public void onAcquired() {
        controllers.forEach(controller -> controller.leadership(true));
    }

    @Override
    public void onLost() {
        controllers.forEach(controller -> controller.leadership(false));
        if (stopping) {
            return;
        }
        boolean unrestartable = controllers.stream().anyMatch(HostedController::ended);
        Runnable reaction =
                unrestartable && parts.onUnrestartable() != null ? parts.onUnrestartable() : parts.onLeadershipLost();
        if (reaction != null) {
            // Not on this thread: whoever ends the process here waits for the elector, which waits for this call.
            daemon("controller-manager-leadership-lost", reaction).start();
        }
    }

    private void onRecovery() {
        LeaderElector elector = parts.elector();
        if (elector != null) {
            elector.retryNow();
        }
        controllers.forEach(HostedController::retryNow);
        pause.wake();
    }

    void stop() {
        log.info("Controller manager stopping");
        synchronized (this) {
            stopping = true;
        }
        if (recovery != null) {
            recovery.close();
        }
        starter.interrupt();
        drain();
        if (parts.elector() != null) {
            parts.elector().stop();
        }
        controllers.forEach(HostedController::close);
        parts.cluster().stop();
        log.info("Controller manager stopped");
    }

    private void drain() {
        List<HostedController> enabled =
                controllers.stream().filter(HostedController::enabled).toList();
        CountDownLatch ended = new CountDownLatch(enabled.size());
        List<Thread> threads = new ArrayList<>();
        for (HostedController controller : enabled) {
            Thread thread = daemon("controller-manager-stop-" + controller.name(), () -> {
                try {
                    controller.stop(parts.shutdownTimeout());
                } finally {
                    ended.countDown();
                }
            });
            threads.add(thread);
            thread.start();
        }
        try {
            long limit = parts.shutdownTimeout().plus(GRACE).toNanos();
            if (!ended.await(limit, TimeUnit.NANOSECONDS)) {
                log.atWarn()
                        .addKeyValue("shutdownTimeout", parts.shutdownTimeout())
                        .log("Reconciles that do not end are left behind; their writes are refused from now on");
            }
        } catch (InterruptedException e) {
            // In a hurry: whoever still runs is told so, and the rest of the stop goes on.
            Thread.currentThread().interrupt();
        }
        threads.forEach(Thread::interrupt);
    }

    static Thread daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }
}
