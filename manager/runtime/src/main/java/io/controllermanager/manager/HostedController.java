package io.controllermanager.manager;

import io.controllermanager.client.ApiDiscovery;
import io.controllermanager.client.FailureMessage;
import io.controllermanager.client.ResourceType;
import io.controllermanager.controller.ClientJavaController;
import io.controllermanager.controller.Controller;
import io.controllermanager.controller.ControllerSnapshot;
import io.controllermanager.time.Timer;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.ApiException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One controller's way through a run of the host, from its start to its stop. A thread of its own brings it up and ends
 * when the caches are synced; from there on leadership, and operators who pause it, open and close its runner.
 */
final class HostedController {

    private static final Logger log = LoggerFactory.getLogger(HostedController.class);

    /** How long a new leader's caches may take to come as far as the last leader had written. */
    private static final Duration LONGEST_BEHIND = Duration.ofSeconds(5);

    private static final Duration BEHIND_POLL = Duration.ofMillis(2);
    private static final Duration CACHE_POLL = Duration.ofMillis(10);
    private static final Duration LONGEST_CACHE_POLL = Duration.ofMillis(100);

    private final ControllerRegistration registration;
    private final ControllerManager.Parts parts;
    private final Pause pause;
    private final ControllerRunner runner;
    private final CompletableFuture<Void> settled = new CompletableFuture<>();
    private final CompletableFuture<Void> up = new CompletableFuture<>();
    private final CompletableFuture<Void> failed = new CompletableFuture<>();

    // Guarded by this object's monitor.
    private ControllerState state;
    private @Nullable String detail;
    private @Nullable String notReady;
    private @Nullable Thread starter;
    private boolean leading;
    private Map<String, String> behind = Map.of();
    private long behindSince;
    private boolean ready;
    private boolean working;
    private boolean paused;
    private boolean handingOver;
    private boolean stopping;
    private boolean closed;

    HostedController(ControllerRegistration registration, ControllerManager.Parts parts, Pause pause) {
        this.registration = registration;
        this.parts = parts;
        this.pause = pause;
        ClientJavaController clientJava = registration.clientJava();
        this.runner = clientJava == null || clientJava.rehosted()
                ? new PooledRunner(registration, parts, pause)
                : new ForeignRunner(clientJava, parts.cluster(), reason -> fail(reason, null));
        this.state = enabled() ? ControllerState.STOPPED : ControllerState.DISABLED;
        if (!enabled()) {
            settled.complete(null);
        }
    }

    String name() {
        return registration.name();
    }

    boolean enabled() {
        return registration.enabled();
    }

    /** Completed when this controller no longer gives a reason to wait with the competition for leadership. */
    CompletableFuture<Void> settled() {
        return settled;
    }

    /** Completed, under no monitor, when this controller could do its work; never if it does not come that far. */
    CompletableFuture<Void> up() {
        return up;
    }

    /** Completed, under whatever monitors, when this controller has failed, so that it will not work again. */
    CompletableFuture<Void> failed() {
        return failed;
    }

    void start() {
        if (enabled()) {
            synchronized (this) {
                if (stopping) {
                    return;
                }
                notReady = "starting";
                state = ControllerState.WAITING_FOR_TYPE;
                detail = notReady;
                starter = HostRun.daemon("controller-manager-start-" + name(), this::bringUp);
                starter.start();
            }
            // Whatever takes long, an answer, the reconciler's factory or the caches: others wait no longer than this.
            Timer.Cancellable limit =
                    parts.timer().schedule(registration.options().cacheSyncTimeout(), () -> settled.complete(null));
            CompletableFuture<Void> ignored = settled.thenRun(limit::cancel);
        }
    }

    private void bringUp() {
        try {
            awaitTypes();
            hold(ControllerState.WAITING_FOR_CACHES, "caches are not synced", null, "fills its caches");
            runner.prepare();
            awaitCaches();
            if (beUp()) {
                up.complete(null);
            }
        } catch (InterruptedException e) {
            return;
        } catch (RuntimeException | Error e) {
            fail("could not be started: " + e, e);
            runner.close();
        }
        settled.complete(null);
    }

    /** Whether it could do its work from now on: not if it is being stopped. */
    private synchronized boolean beUp() {
        if (stopping) {
            return false;
        }
        ready = true;
        notReady = null;
        enter(idleState(), null, "caches are synced");
        openOrClose();
        return true;
    }

    /** Something is in the way to being up; does nothing once it is being stopped. */
    private synchronized void hold(
            ControllerState waiting, @Nullable String because, @Nullable String nextDetail, String what) {
        if (!stopping) {
            notReady = because;
            enter(waiting, nextDetail, what);
        }
    }

    private void awaitTypes() throws InterruptedException {
        for (ResourceType<?> type : registration.descriptor().types()) {
            while (!served(type)) {
                pause.pause(ApiDiscovery.WAITING_INTERVAL);
            }
        }
    }

    private boolean served(ResourceType<?> type) {
        try {
            if (parts.cluster().serves(type)) {
                return true;
            }
            String problem = "the API server does not serve " + type;
            String because = registration.options().readyWithoutType() ? null : problem;
            hold(ControllerState.WAITING_FOR_TYPE, because, problem, "waits: " + problem + "; is its CRD installed?");
            settled.complete(null);
        } catch (ApiException e) {
            cannotAsk(type, FailureMessage.ofRequest(e));
            if (concernsOnlyItsGroup(type, e.getCode())) {
                settled.complete(null);
            }
        } catch (RuntimeException e) {
            // Credentials that cannot be read, an interceptor of the application's: not for ever, as far as we know.
            log.atDebug().setCause(e).log("Cannot ask for a type");
            cannotAsk(type, e.toString());
        }
        return false;
    }

    /**
     * Whether the API server answers, and only this type's group is out of reach: forbidden, or served by an aggregated
     * server that is away. That one's absence is a 503 as the API server's own is, which serves the core group itself.
     *
     * @param code the HTTP status code, 0 if there was no answer
     */
    private static boolean concernsOnlyItsGroup(ResourceType<?> type, int code) {
        if (code >= 500) {
            return !type.group().isEmpty();
        }
        return code != 0 && code != 401 && code != 408 && code != 429;
    }

    private void cannotAsk(ResourceType<?> type, String why) {
        String problem = "the API server cannot be asked for " + type + ": " + why;
        hold(ControllerState.WAITING_FOR_TYPE, problem, problem, "waits: " + problem);
    }

    private void awaitCaches() throws InterruptedException {
        long begun = parts.clock().nanoTime();
        Duration limit = registration.options().cacheSyncTimeout();
        Duration wait = CACHE_POLL;
        while (!runner.cachesSynced()) {
            Duration waited = Duration.ofNanos(parts.clock().nanoTime() - begun);
            if (waited.compareTo(limit) >= 0) {
                reportLateCaches(limit);
            }
            pause.pause(wait);
            wait = wait.compareTo(LONGEST_CACHE_POLL) < 0 ? wait.multipliedBy(2) : LONGEST_CACHE_POLL;
        }
    }

    private void reportLateCaches(Duration limit) {
        String late = String.join(", ", runner.lateCaches());
        String problem =
                "caches are not synced after " + limit.toSeconds() + " s" + (late.isEmpty() ? "" : ": " + late);
        hold(ControllerState.WAITING_FOR_CACHES, problem, problem, problem + "; still trying");
    }

    private void fail(String problem, @Nullable Throwable cause) {
        boolean essential = registration.options().essential();
        synchronized (this) {
            if (stopping) {
                return;
            }
            notReady = problem;
            state = ControllerState.FAILED;
            detail = problem;
        }
        var event = log.atError().addKeyValue("controller", name()).addKeyValue("detail", problem);
        if (essential) {
            event.log("Controller {} is essential and failed, so the process ends: {}", name(), problem);
            HostRun.daemon(
                            "controller-manager-essential-failed",
                            () -> parts.onEssentialFailed().accept("controller " + name() + " " + problem))
                    .start();
        } else {
            event.setCause(cause).log("Controller {} failed, and the others run without it: {}", name(), problem);
        }
        failed.complete(null);
    }

    /**
     * Leadership has come or gone. Never throws: one that cannot follow has failed, and the others are told as well.
     *
     * @param lastWritten how far the last leader had written, which is to be read before anything is done
     */
    void leadership(boolean nowLeading, Map<String, String> lastWritten) {
        try {
            synchronized (this) {
                leading = nowLeading;
                behind = lastWritten;
                behindSince = parts.clock().nanoTime();
                openOrClose();
            }
        } catch (RuntimeException | Error e) {
            fail("could not " + (nowLeading ? "begin" : "end") + " its work: " + e, e);
        }
    }

    /** Whether this process could do its work if it led. */
    synchronized boolean couldWork() {
        return ready && !stopping && state != ControllerState.FAILED;
    }

    /**
     * Whether its work may be left to another process: not if it could not be run here again, was paused here, or does not
     * end here.
     */
    synchronized boolean mayMove() {
        return couldWork() && !paused && runner.restartable() && !runner.hasGivenUp();
    }

    /** Begins nothing any more, also if it has not begun to work yet, until leadership is lost or it is to go on. */
    synchronized void beginHandOver() {
        working = false;
        handingOver = true;
        enter(
                ControllerState.WAITING_FOR_LEADERSHIP,
                "handing over to another replica",
                "hands over to another replica; workers finish");
    }

    /** Nothing comes of a hand-over: works again if it should, whatever of its work has been ended. */
    void goOn() {
        try {
            synchronized (this) {
                handingOver = false;
                if (leading && couldWork() && !paused) {
                    working = false;
                    openOrClose();
                }
            }
        } catch (RuntimeException | Error e) {
            fail("could not go on with its work: " + e, e);
        }
    }

    /**
     * Takes no more keys and waits for running reconciles, which are interrupted at the limit: another process is to go on.
     * It stands by when leadership is lost, which is to follow.
     */
    void handOver(Duration limit) throws InterruptedException {
        synchronized (this) {
            if (!handingOver || stopping) {
                return;
            }
        }
        if (!runner.drain(limit)) {
            log.atWarn()
                    .addKeyValue("controller", name())
                    .addKeyValue("shutdownTimeout", limit)
                    .log(
                            "Controller {}: reconciles were interrupted after {} s so that another replica can go on",
                            name(),
                            limit.toSeconds());
        }
    }

    /** Whether nothing of the work that leadership guards runs any more. */
    boolean hasEnded() {
        return !registration.options().needsLeaderElection() || runner.hasEnded();
    }

    /** Takes no more keys, and lets running reconciles end, until {@link #resume}; leadership does not matter to that. */
    synchronized void pause() {
        requireUp();
        if (!paused) {
            runner.retire();
            paused = true;
            working = false;
            enter(ControllerState.PAUSED, "paused by an operator", "paused by an operator; keys go on queueing");
        }
    }

    synchronized void resume() {
        requireUp();
        if (paused) {
            paused = false;
            enter(idleState(), null, "resumed");
            openOrClose();
        }
    }

    synchronized void resize(int workers) {
        runner.resize(workers);
        log.atInfo()
                .addKeyValue("controller", name())
                .addKeyValue("workers", workers)
                .log("Controller {}: number of workers changed to {}", name(), workers);
    }

    /** Has every object looked at once more, if it works. */
    void resync() {
        boolean works;
        synchronized (this) {
            works = state == ControllerState.RUNNING;
        }
        if (works) {
            runner.resync();
        }
    }

    void reconcileNow(Request key) {
        registration.descriptor().checkKey(key);
        controller().reconcileNow(key);
        log.atInfo()
                .addKeyValue("controller", name())
                .addKeyValue("namespace", key.getNamespace())
                .addKeyValue("name", key.getName())
                .log(
                        "Controller {}: a reconcile of {} was asked for",
                        name(),
                        key.getNamespace() == null ? key.getName() : key.getNamespace() + "/" + key.getName());
    }

    private void requireUp() {
        if (!ready || stopping || state == ControllerState.FAILED) {
            throw new IllegalStateException(
                    "controller \"" + name() + "\" is not up: " + state + (detail == null ? "" : ", " + detail));
        }
    }

    /** The state of one that is up and does not work. */
    private ControllerState idleState() {
        return paused ? ControllerState.PAUSED : ControllerState.WAITING_FOR_LEADERSHIP;
    }

    /** Called under the monitor. */
    private void openOrClose() {
        boolean may = leading || !registration.options().needsLeaderElection();
        if (!ready || (state == ControllerState.FAILED && may)) {
            return;
        }
        if (!may) {
            boolean worked = working;
            boolean handedOver = handingOver;
            working = false;
            handingOver = false;
            // Also where it is paused or draining: what still runs has no more time, another may lead from now on.
            runner.interrupt();
            if (stopping || state == ControllerState.FAILED) {
                return;
            }
            if (runner.spent()) {
                state = ControllerState.FAILED;
                detail = "was shut down because leadership was lost, and cannot be run again in this process";
                notReady = detail;
                failed.complete(null);
            } else if (worked || handedOver) {
                enter(idleState(), null, handedOver ? "has handed over" : "workers stopped, since leadership was lost");
            }
        } else if (!working && !paused && !stopping && !handingOver) {
            if (isBehind()) {
                Timer.Cancellable ignored = parts.timer().schedule(BEHIND_POLL, this::lookAgain);
                return;
            }
            try {
                runner.open();
            } catch (RuntimeException | Error e) {
                // Back to where the next attempt begins.
                runner.interrupt();
                throw e;
            }
            working = true;
            ControllerSnapshot work = snapshot();
            enter(ControllerState.RUNNING, null, "workers started" + (work == null ? "" : " (" + work.workers() + ")"));
        }
    }

    private void lookAgain() {
        try {
            synchronized (this) {
                openOrClose();
            }
        } catch (RuntimeException | Error e) {
            fail("could not begin its work: " + e, e);
        }
    }

    /**
     * Whether the caches still lack what the last leader wrote: acting on them would do its work a second time. Only for a
     * while, since of an object that this process may not see no watch will ever tell.
     */
    private boolean isBehind() {
        if (behind.isEmpty()) {
            return false;
        }
        boolean passed = runner.hasPassed(behind);
        Duration waited = Duration.ofNanos(parts.clock().nanoTime() - behindSince);
        if (!passed && waited.compareTo(LONGEST_BEHIND) < 0) {
            return true;
        }
        if (!passed) {
            log.atWarn()
                    .addKeyValue("controller", name())
                    .addKeyValue("versions", behind)
                    .log(
                            "Controller {}: starts although its caches have not come as far as the last leader had written ({})",
                            name(),
                            behind);
        }
        behind = Map.of();
        return false;
    }

    /** Whether this is a controller that has run and cannot be run again. */
    boolean spent() {
        return runner.spent();
    }

    /** Whether it is being stopped, or has been. */
    synchronized boolean stopped() {
        return stopping;
    }

    /** Whether nothing is left of it, so that another may take its place. */
    synchronized boolean closed() {
        return closed;
    }

    synchronized ControllerState state() {
        return state;
    }

    void retryNow() {
        Controller current = runner.controller();
        if (current != null) {
            current.retryNow();
        }
    }

    /**
     * The controller on our workers.
     *
     * @throws IllegalStateException if it has none, or has not been brought up
     */
    Controller controller() {
        Controller current = runner.controller();
        synchronized (this) {
            if (current == null || stopping) {
                throw new IllegalStateException(
                        "controller \"" + name() + "\" has no queue: " + state + (detail == null ? "" : ", " + detail));
            }
            return current;
        }
    }

    /** Waits for what still runs of its work after it has failed, which is interrupted at the limit. */
    void drain(Duration limit) throws InterruptedException {
        if (!runner.drain(limit)) {
            log.atWarn()
                    .addKeyValue("controller", name())
                    .addKeyValue("shutdownTimeout", limit)
                    .log(
                            "Controller {} failed, and its reconciles were interrupted after {} s",
                            name(),
                            limit.toSeconds());
        }
    }

    /** Begins nothing any more and waits for what runs, at most for the limit. */
    void stop(Duration limit) {
        Thread bringingUp;
        synchronized (this) {
            stopping = true;
            working = false;
            bringingUp = starter;
        }
        settled.complete(null);
        try {
            if (bringingUp != null) {
                bringingUp.interrupt();
            }
            if (!runner.drain(limit)) {
                log.atWarn()
                        .addKeyValue("controller", name())
                        .addKeyValue("shutdownTimeout", limit)
                        .log(
                                "Controller {}: reconciles were interrupted at the shutdown timeout of {} s",
                                name(),
                                limit.toSeconds());
            }
            if (bringingUp != null) {
                bringingUp.join(Math.max(1, limit.toMillis()));
            }
        } catch (InterruptedException e) {
            // The host's own limit has passed.
        }
    }

    /** Gives up queue, subscriptions, informers and meters. */
    void close() {
        synchronized (this) {
            stopping = true;
            notReady = null;
        }
        try {
            runner.close();
        } finally {
            synchronized (this) {
                closed = true;
                if (enabled()) {
                    state = ControllerState.STOPPED;
                    detail = null;
                }
            }
        }
    }

    private void enter(ControllerState next, @Nullable String nextDetail, String what) {
        boolean news = state != next || !Objects.equals(detail, nextDetail);
        state = next;
        detail = nextDetail;
        if (!news) {
            return;
        }
        var event = log.atInfo().addKeyValue("controller", name()).addKeyValue("state", next);
        if (nextDetail != null) {
            event = event.addKeyValue("detail", nextDetail);
        }
        event.log("Controller {}: {}", name(), what);
    }

    /** Why this controller is not ready, null if it is. */
    synchronized @Nullable String notReadyBecause() {
        return enabled() ? notReady : null;
    }

    /** How its work stands, null if it is not up. */
    private @Nullable ControllerSnapshot snapshot() {
        Controller current = runner.controller();
        return current == null ? null : current.snapshot();
    }

    /** Why only a new process would help, null if there is no such reason. */
    @Nullable
    String restartReason() {
        ControllerSnapshot work = stopped() ? null : snapshot();
        return work == null ? null : work.restartReason();
    }

    /** What an operator should look into, null if nothing. */
    @Nullable
    String warning() {
        ControllerSnapshot work = stopped() ? null : snapshot();
        return work == null ? null : work.warning();
    }

    ControllerStatus status() {
        ControllerSnapshot work = snapshot();
        synchronized (this) {
            return ControllerStatus.of(registration, state, detail, work);
        }
    }
}
