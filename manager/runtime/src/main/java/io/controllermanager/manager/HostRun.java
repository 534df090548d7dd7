package io.controllermanager.manager;

import io.controllermanager.client.FailureMessage;
import io.controllermanager.client.Registration;
import io.controllermanager.leaderelection.LeaderElector;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The host from one start to the next stop. */
final class HostRun {

    private static final Logger log = LoggerFactory.getLogger(HostRun.class);

    private final ControllerManager.Parts parts;
    private final Pause pause;
    private final Map<String, HostedController> controllers = new LinkedHashMap<>();
    private final Thread starter;

    /** Those who work by the host's Lease, or need none. */
    private final Electorate host;

    /** Those who work by a Lease of their own, by their names. */
    private final Map<String, Electorate> single = new LinkedHashMap<>();

    private volatile boolean stopping;
    private @Nullable Registration recovery;

    HostRun(ControllerManager.Parts parts) {
        this.parts = parts;
        this.pause = new Pause(parts.timer());
        Leadership leadership = parts.leadership();
        this.host = new Electorate(
                leadership.isShared()
                        ? null
                        : leadership.electors().stream().findFirst().orElse(null),
                parts,
                false);
        for (ControllerRegistration registration : parts.controllers()) {
            String name = registration.name();
            LeaderElector own = leadership.isShared() ? leadership.elector(registration) : null;
            if (own != null) {
                single.put(name, new Electorate(own, parts, true));
            }
            add(new HostedController(registration, parts, pause));
        }
        this.starter = daemon("controller-manager-start", this::awaitCachesThenCompete);
    }

    private synchronized void add(HostedController controller) {
        String name = controller.name();
        controllers.put(name, controller);
        Electorate own = single.get(name);
        (own == null ? host : own).add(controller);
        if (own != null) {
            // Nobody else's work depends on it, so that only who could do this one's competes.
            CompletableFuture<Void> ignored = controller.up().thenRun(own::compete);
            leaveOnFailure(controller, own);
        }
    }

    private static void leaveOnFailure(HostedController controller, Electorate own) {
        // On a thread of its own: it waits, and whoever notices a failure may hold anything.
        CompletableFuture<Void> ignored = controller
                .failed()
                .thenRun(() -> daemon("controller-manager-leave-" + controller.name(), () -> own.leave(controller))
                        .start());
    }

    /** The controllers in the order of their registration, as they are now: one that is started again is a new one. */
    synchronized List<HostedController> controllers() {
        return List.copyOf(controllers.values());
    }

    /** Where one of them is in its life. */
    ControllerState state(String name) {
        return controller(name).state();
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

    void pause(String name) {
        electorate(name).pause(running(name));
    }

    void resume(String name) {
        electorate(name).resume(running(name));
    }

    private Electorate electorate(String name) {
        return single.getOrDefault(name, host);
    }

    /** Stops one controller, which gives its informers back; does nothing if it is stopped. */
    void stop(String name) {
        HostedController controller = controller(name);
        if (controller.enabled() && !controller.stopped()) {
            controller.stop(parts.shutdownTimeout());
            Electorate own = single.get(name);
            if (own != null) {
                own.withdraw();
            }
            controller.close();
            log.atInfo().addKeyValue("controller", name).log("Controller {}: stopped", name);
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
            add(again);
        }
        again.start();
    }

    void start() {
        List<String> names = controllers().stream()
                .filter(HostedController::enabled)
                .map(HostedController::name)
                .toList();
        log.atInfo()
                .addKeyValue("controllers", names)
                .log("Controller manager starting with the controllers {}", names);
        recovery = parts.recovery().apply(this::onRecovery);
        parts.leadership().active(true);
        starter.start();
        // While the caches are filled. One that hangs ends by the time limit of its requests.
        daemon(
                        "controller-manager-lease-prepare",
                        () -> parts.leadership().electors().forEach(LeaderElector::prepare))
                .start();
    }

    /**
     * A replica competes for the host's Lease when it could do the work: every controller's caches are synced, or are known
     * to be late (their time limit has passed, the type is not served or asked for in vain, the controller failed), so that
     * one of them does not keep the others from work.
     */
    private void awaitCachesThenCompete() {
        controllers().forEach(HostedController::start);
        try {
            parts.cluster().start();
        } catch (RuntimeException e) {
            log.error("The informers that were registered by others could not be started: {}", FailureMessage.of(e), e);
        }
        if (parts.leadership().isShared()) {
            return;
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
        host.compete();
    }

    private void onRecovery() {
        parts.leadership().electors().forEach(LeaderElector::retryNow);
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
        parts.leadership().active(false);
        stopElectorates();
        controllers().forEach(HostedController::close);
        parts.cluster().stop();
        log.info("Controller manager stopped");
    }

    /** All at a time, so that none waits with the release of its Lease for another's reconciles. */
    private void stopElectorates() {
        List<Thread> threads = single.entrySet().stream()
                .map(entry -> daemon("controller-manager-leave-" + entry.getKey(), entry.getValue()::stop))
                .toList();
        threads.forEach(Thread::start);
        host.stop();
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            // In a hurry.
            threads.forEach(Thread::interrupt);
            Thread.currentThread().interrupt();
        }
    }

    static Thread daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }
}
