package io.controllermanager.manager;

import io.controllermanager.client.Registration;
import io.controllermanager.leaderelection.LeaderElector;
import io.controllermanager.leaderelection.LeadershipListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
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
    private final Map<String, HostedController> controllers = new LinkedHashMap<>();
    private final Thread starter;
    private volatile boolean stopping;
    private boolean leading;
    private @Nullable Registration recovery;

    HostRun(ControllerManager.Parts parts) {
        this.parts = parts;
        this.pause = new Pause(parts.timer());
        for (ControllerRegistration registration : parts.controllers()) {
            controllers.put(registration.name(), new HostedController(registration, parts, pause));
        }
        this.starter = daemon("controller-manager-start", this::awaitCachesThenCompete);
    }

    /** The controllers in the order of their registration, as they are now: one that is started again is a new one. */
    synchronized List<HostedController> controllers() {
        return List.copyOf(controllers.values());
    }

    private synchronized HostedController controller(String name) {
        HostedController controller = controllers.get(name);
        if (controller == null) {
            throw new NoSuchElementException("there is no controller \"" + name + "\"");
        }
        return controller;
    }

    /** Runs something with a controller that is switched on and not stopped. */
    HostedController running(String name) {
        HostedController controller = controller(name);
        if (!controller.enabled() || controller.stopped()) {
            throw new IllegalStateException("controller \"" + name + "\" is "
                    + (controller.enabled() ? "stopped" : "switched off by configuration"));
        }
        return controller;
    }

    /** Stops one controller, which gives its informers back; does nothing if it is stopped. */
    void stop(String name) {
        HostedController controller = controller(name);
        if (controller.enabled() && !controller.stopped()) {
            controller.stop(parts.shutdownTimeout());
            controller.close();
            log.atInfo().addKeyValue("controller", name).log("Controller stopped");
        }
    }

    /** Starts one controller that was stopped, or has failed, from the beginning. */
    void start(String name) {
        HostedController before = controller(name);
        if (before.enabled() && before.state() == ControllerState.FAILED && !before.spent()) {
            // Whoever else stops it meanwhile is not waited for: then it is still stopping, below.
            stop(name);
        }
        HostedController again;
        boolean leads;
        synchronized (this) {
            if (stopping || !before.enabled() || before.spent()) {
                throw new IllegalStateException("controller \"" + name + "\" cannot be started: "
                        + (stopping
                                ? "the process is stopping"
                                : before.enabled()
                                        ? "it has run and cannot be run again in this process"
                                        : "it is switched off by configuration"));
            }
            if (controllers.get(name) != before || !before.closed()) {
                throw new IllegalStateException(
                        "controller \"" + name + "\" is " + (before.stopped() ? "still stopping" : "started already"));
            }
            again = new HostedController(
                    parts.controllers().stream()
                            .filter(registration -> registration.name().equals(name))
                            .findFirst()
                            .orElseThrow(),
                    parts,
                    pause);
            controllers.put(name, again);
            leads = leading;
            again.leadership(leads, Map.of());
        }
        again.start();
    }

    void start() {
        log.atInfo()
                .addKeyValue(
                        "controllers",
                        controllers().stream()
                                .filter(HostedController::enabled)
                                .map(HostedController::name)
                                .toList())
                .log("Controller manager starting");
        recovery = parts.recovery().apply(this::onRecovery);
        starter.start();
    }

    /**
     * A replica competes when it could do the work: every controller's caches are synced, or are known to be late (their
     * time limit has passed, the type is not served or asked for in vain, the controller failed), so that one of them does
     * not keep the others from work.
     */
    private void awaitCachesThenCompete() {
        controllers().forEach(HostedController::start);
        try {
            parts.cluster().start();
        } catch (RuntimeException e) {
            log.error("The informers that were registered by others could not be started", e);
        }
        try {
            for (HostedController controller : controllers()) {
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
        LeaderElector elector = parts.elector();
        leads(true, elector == null ? Map.of() : elector.inherited());
        record(elector, "became leader");
    }

    /** As client-go's elector tells of its changes. */
    private void record(@Nullable LeaderElector elector, String what) {
        if (elector != null && elector.config().enabled()) {
            parts.recorders()
                    .apply(elector.config().leaseName())
                    .normal(
                            elector.reference(),
                            "LeaderElection",
                            elector.config().identity() + " " + what);
        }
    }

    /** How far this process has written, for the next leader to read before it acts. */
    @Override
    public Map<String, String> legacy() {
        return parts.cluster().writtenVersions();
    }

    /** One at a time, so that a controller which is started meanwhile learns of it as well; none keeps it from the rest. */
    private synchronized void leads(boolean now, Map<String, String> lastWritten) {
        leading = now;
        controllers.values().forEach(controller -> controller.leadership(now, lastWritten));
    }

    @Override
    public void onLost() {
        leads(false, Map.of());
        record(parts.elector(), "stopped leading");
        if (stopping) {
            return;
        }
        boolean unrestartable = controllers().stream().anyMatch(HostedController::spent);
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
        controllers().forEach(HostedController::retryNow);
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
        controllers().forEach(HostedController::close);
        parts.cluster().stop();
        log.info("Controller manager stopped");
    }

    private void drain() {
        List<HostedController> enabled =
                controllers().stream().filter(HostedController::enabled).toList();
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
