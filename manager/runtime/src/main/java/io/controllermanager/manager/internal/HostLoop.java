package io.controllermanager.manager.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.informer.Selection;
import io.controllermanager.informer.internal.partition.ShardedSelection;
import io.controllermanager.leaderelection.internal.ControllerElectors;
import io.controllermanager.leaderelection.internal.LeaderElector;
import io.controllermanager.manager.internal.ControllerLife.Phase;
import io.controllermanager.manager.internal.ControllerLife.Wish;
import io.controllermanager.time.internal.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The host from one start to the next stop: the one thread, {@code controller-manager-host}, that decides. It takes events,
 * one at a time: a controller is made, its caches are synced, leadership comes or goes, reconciles have ended, an operator
 * wants something. An event changes what is desired or what is known; then {@link #settle} has controllers and candidacies
 * take steps until nothing is left to do, as a reconciler does. Nothing on this thread blocks: what takes time runs in the
 * {@link #background} and comes back as an event.
 *
 * <p>What is read by other threads is immutable, and replaced by this one.
 */
final class HostLoop {

    private static final Logger log = LoggerFactory.getLogger(HostLoop.class);

    /** How much longer than the shutdown timeout a stop waits for those who were interrupted at its end. */
    private static final Duration GRACE = Duration.ofSeconds(2);

    private final HostParts parts;
    private final Map<Selection<?>, ShardedSelection<?>> caches;
    private final ThreadPoolExecutor events = new ThreadPoolExecutor(
            1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> daemon("controller-manager-host", task));
    private final List<Candidacy> candidacies = new ArrayList<>();
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();
    private volatile Map<String, HostedController> controllers = Map.of();

    private volatile boolean stopping;
    private Registration recovery = () -> {};
    private List<Registration> agreements = List.of();
    private Registration meters = () -> {};

    HostLoop(HostParts parts) {
        this.parts = parts;
        Leadership leadership = parts.leadership();
        this.caches = ShardRules.caches(
                parts.controllers(), one -> leadership.electors(one).divided());
        Map<LeaderElector, Candidacy> ofLeases = new LinkedHashMap<>();
        leadership.shared().forEach(one -> ofLeases.put(one, new LeaseCandidacy(one, false, parts, this)));
        Map<String, HostedController> made = new LinkedHashMap<>();
        for (ControllerRegistration registration : parts.controllers()) {
            ControllerElectors electors = leadership.electors(registration);
            List<Candidacy> its = new ArrayList<>();
            electors.all()
                    .map(elector ->
                            ofLeases.computeIfAbsent(elector, one -> new LeaseCandidacy(one, true, parts, this)))
                    .forEach(its::add);
            if (its.isEmpty()) {
                Candidacy always = new Candidacy(true, parts, this);
                candidacies.add(always);
                its.add(always);
            }
            made.put(registration.name(), new HostedController(registration, parts, this, List.copyOf(its)));
        }
        candidacies.addAll(ofLeases.values());
        become(made);
    }

    private void become(Map<String, HostedController> made) {
        controllers = Collections.unmodifiableMap(made);
        candidacies.forEach(one -> one.follow(made.values()));
    }

    private void standAside(String controller) {
        controller(controller).shards().forEach(ShardWork::standAside);
    }

    /** Starts a thread for what takes time. What it throws is logged. */
    static Thread background(String name, Runnable task) {
        Thread thread = daemon(name, () -> {
            try {
                task.run();
            } catch (Throwable e) {
                log.atError().setCause(e).log("{} failed: {}", name, FailureMessage.of(e));
            }
        });
        thread.start();
        return thread;
    }

    static Thread daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /** Has the loop's thread take an event soon; does nothing once the loop has ended. */
    void post(Runnable event) {
        try {
            events.execute(() -> {
                guarded(event);
                guarded(this::settle);
            });
        } catch (RejectedExecutionException e) {
            // Nothing is left that it could concern.
        }
    }

    /** Has the loop's thread take an event after a while. */
    Timer.Cancellable later(Duration delay, Runnable event) {
        return parts.timer().schedule(delay, () -> post(event));
    }

    private static void guarded(Runnable event) {
        try {
            event.run();
        } catch (RuntimeException | Error e) {
            // Without this thread nothing would be decided any more.
            log.atError().setCause(e).log("The host could not follow an event: {}", FailureMessage.of(e));
        }
    }

    /** Has the loop's thread do what an operator wants, and returns or throws what came of it. */
    private void command(Runnable command) {
        try {
            CompletableFuture.runAsync(
                            () -> {
                                command.run();
                                guarded(this::settle);
                            },
                            events)
                    .join();
        } catch (RejectedExecutionException e) {
            throw new IllegalStateException("the controller manager is not running", e);
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException refusal ? refusal : e;
        }
    }

    /** Has controllers and candidacies take steps until what is observed is what is desired, as far as that depends on us. */
    void settle() {
        boolean changed = true;
        while (changed) {
            changed = false;
            for (HostedController controller : controllers.values()) {
                changed |= controller.step();
                for (ShardWork shard : controller.shards()) {
                    changed |= shard.step();
                }
            }
            for (Candidacy candidacy : candidacies) {
                changed |= candidacy.step();
            }
        }
        if (stopping
                && controllers.values().stream().allMatch(one -> one.life().phase() == Phase.CLOSED)
                && candidacies.stream().allMatch(one -> one.phase() == Candidacy.Phase.IDLE)) {
            stopped.complete(null);
        }
    }

    /** Whether the host is being stopped, or has been. */
    boolean stopping() {
        return stopping;
    }

    /** Of which selections caches hold only the shards that this process has. */
    Map<Selection<?>, ShardedSelection<?>> caches() {
        return caches;
    }

    /** The controllers in the order of their registration, as they are now: one that is started again is a new one. */
    Collection<HostedController> controllers() {
        return controllers.values();
    }

    /** One of them, by its name. */
    HostedController controller(String name) {
        HostedController controller = controllers.get(name);
        if (controller == null) {
            throw new NoSuchElementException("there is no controller \"" + name + "\"");
        }
        return controller;
    }

    /** A controller that is switched on and not stopped. */
    HostedController running(String name) {
        HostedController controller = controller(name);
        if (controller.stopped()) {
            boolean enabled = controller.registration().enabled();
            throw new IllegalStateException(
                    "controller \"" + name + "\" is " + (enabled ? "stopped" : "switched off by configuration"));
        }
        return controller;
    }

    /** Pauses one controller, or lets it run again. */
    void wish(String name, Wish wish) {
        command(() -> {
            running(name).wish(wish);
            standAside(name);
        });
    }

    /** Stops one controller, which gives its informers back; does nothing if it is stopped. */
    void stop(String name) {
        HostedController controller = controller(name);
        AtomicBoolean begun = new AtomicBoolean();
        command(() -> {
            begun.set(!controller.stopped());
            controller.wish(Wish.STOP);
        });
        controller.closed().join();
        if (begun.get()) {
            controller.tell(Level.INFO, "stopped");
        }
    }

    /** Starts one controller that was stopped, or has failed, from the beginning. */
    void start(String name) {
        HostedController before = controller(name);
        if (before.life().phase() == Phase.FAILED && !before.runner().isShutDown()) {
            stop(name);
        }
        command(() -> startAgain(name, before));
    }

    private void startAgain(String name, HostedController before) {
        String refusal = null;
        if (stopping) {
            refusal = "cannot be started: the process is stopping";
        } else if (!before.registration().enabled()) {
            refusal = "cannot be started: it is switched off by configuration";
        } else if (before.runner().isShutDown()) {
            refusal = "cannot be started: it has run and cannot be run again in this process";
        } else if (controllers.get(name) != before || before.life().phase() != Phase.CLOSED) {
            refusal = "is " + (before.stopped() ? "still stopping" : "started already");
        }
        if (refusal != null) {
            throw new IllegalStateException("controller \"" + name + "\" " + refusal);
        }
        Map<String, HostedController> changed = new LinkedHashMap<>(controllers);
        changed.put(name, new HostedController(before.registration(), parts, this, before.candidacies()));
        become(changed);
        standAside(name);
    }

    void start() {
        List<String> names = controllers().stream()
                .filter(controller -> controller.registration().enabled())
                .map(HostedController::name)
                .toList();
        log.info("Controller manager starting with the controllers {}", names);
        meters = ControllerMeters.of(this, parts.meters());
        recovery = parts.cluster().onRecovery(this::onRecovery);
        // Not before: one that does not run must not follow events.
        agreements = controllers().stream()
                .map(controller -> parts.leadership()
                        .electors(controller.registration())
                        .agreement()
                        .onAgreement(() -> post(() -> standAside(controller.name()))))
                .toList();
        parts.leadership().active(true);
        try {
            parts.cluster().start();
        } catch (RuntimeException e) {
            log.error("The informers that were registered by others could not be started: {}", FailureMessage.of(e), e);
        }
        post(() -> controllers().forEach(controller -> standAside(controller.name())));
        // While the caches are filled. A request that hangs ends by its time limit.
        background("controller-manager-lease-prepare", parts.leadership()::prepare);
    }

    private void onRecovery() {
        parts.leadership().electors().forEach(LeaderElector::retryNow);
        controllers().forEach(HostedController::retryNow);
    }

    /** Ends everything in order, and returns when that is done. */
    void stop() {
        log.info("Controller manager stopping");
        recovery.close();
        agreements.forEach(Registration::close);
        parts.leadership().active(false);
        Timer.Cancellable limit = later(parts.shutdownTimeout().plus(GRACE), this::leaveBehind);
        post(() -> {
            stopping = true;
            controllers().forEach(controller -> controller.wish(Wish.STOP));
        });
        awaitStopped();
        limit.cancel();
        parts.cluster().stop();
        events.shutdown();
        meters.close();
        log.info("Controller manager stopped");
    }

    private void awaitStopped() {
        try {
            stopped.get();
        } catch (InterruptedException | ExecutionException e) {
            // In a hurry: whoever still runs is told so, and the rest of the stop goes on.
            post(this::leaveBehind);
            stopped.join();
            Thread.currentThread().interrupt();
        }
    }

    private void leaveBehind() {
        List<String> left = controllers().stream()
                .filter(HostedController::leaveBehind)
                .map(HostedController::name)
                .toList();
        if (!left.isEmpty()) {
            log.warn(
                    "Controllers {}: what has not ended is left behind; writes of those that need leadership are refused from now on",
                    left);
        }
    }
}
