package io.controllermanager.manager.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.client.internal.FailureMessage;
import io.controllermanager.controller.internal.Controller;
import io.controllermanager.controller.internal.ControllerSnapshot;
import io.controllermanager.controller.internal.Keys;
import io.controllermanager.informer.internal.Waiters;
import io.controllermanager.manager.internal.ControllerLife.Action;
import io.controllermanager.manager.internal.ControllerLife.Desired;
import io.controllermanager.manager.internal.ControllerLife.Phase;
import io.controllermanager.manager.internal.ControllerLife.Wish;
import io.controllermanager.time.internal.Timer;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * One controller from its start to its stop. The {@link HostLoop} has it take one {@link #step} after another on its thread,
 * which alone changes its {@link #life}. What takes time runs on other threads and comes back as an event of the loop. Methods
 * that only read, or that only call the {@link Controller}, may be called by any thread.
 */
final class HostedController {

    private static final Logger log = LoggerFactory.getLogger(HostedController.class);

    /** How long a new leader's caches are waited for: no watch tells of an object that this process may not see. */
    private static final Duration LONGEST_BEHIND = Duration.ofSeconds(5);

    /** Shown while a new leader's caches are being queued, and while a former leader's workers stop. */
    private static final String REQUEUEING = "queues what its caches hold";

    private final ControllerRegistration registration;
    private final HostParts parts;
    private final HostLoop loop;
    private final Candidacy candidacy;
    private final ControllerRunner runner;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private volatile ControllerLife life;

    // Used by the loop's thread only.
    private @Nullable Thread starter;
    private @Nullable Thread stopper;
    private Registration catchingUp = () -> {};

    HostedController(ControllerRegistration registration, HostParts parts, HostLoop loop, Candidacy candidacy) {
        this.registration = registration;
        this.parts = parts;
        this.loop = loop;
        this.candidacy = candidacy;
        ControllerRunner own = registration.adapter().runner(reason -> loop.post(() -> fail(reason, null)));
        this.runner = own == null ? new PooledRunner(registration, parts, loop.retryWait()) : own;
        this.life = ControllerLife.first(registration.enabled());
    }

    String name() {
        return registration.name();
    }

    ControllerRegistration registration() {
        return registration;
    }

    Candidacy candidacy() {
        return candidacy;
    }

    ControllerRunner runner() {
        return runner;
    }

    ControllerLife life() {
        return life;
    }

    /** Whether it is being stopped, or has been. */
    boolean stopped() {
        return life.wish() == Wish.STOP;
    }

    /** Completed when nothing is left of it. */
    CompletableFuture<Void> closed() {
        return closed;
    }

    /** The host competes for its Lease without waiting for this one any longer. */
    void settle() {
        life = life.settle();
    }

    /** Takes one step; returns whether there was one to take. */
    boolean step() {
        boolean leads = !registration.options().needsLeaderElection()
                || candidacy.phase().leads();
        Desired desired = Desired.of(life.wish(), leads, candidacy.phase().handsOver(), candidacy.isGone());
        Action action = ControllerLife.next(desired, life.phase());
        if (action == Action.NONE) {
            return false;
        }
        catchingUp.close();
        try {
            take(action);
        } catch (RuntimeException | Error e) {
            // The other controllers must still take their steps.
            fail("could not " + (action == Action.INTERRUPT ? "end" : "begin") + " its work: " + e, e);
        }
        return true;
    }

    private void take(Action action) {
        switch (action) {
            case NONE -> {}
            case START -> {
                life = life.starting(ControllerState.WAITING_FOR_TYPE, "starting", "starting");
                starter = new ControllerStart(this, parts, loop).begin();
            }
            case CATCH_UP -> catchUp();
            case OPEN -> open();
            case PAUSE -> {
                life = life.idle(Phase.READY, null);
                runner.retire();
            }
            case HAND_OVER -> handOver();
            case INTERRUPT -> interrupt();
            case STOP -> stop();
            case CLOSE -> close();
        }
    }

    /** It cannot be made, or cannot go on; does nothing once it is being stopped. */
    void fail(String problem, @Nullable Throwable cause) {
        if (stopped()) {
            return;
        }
        catchingUp.close();
        life = life.failed(problem);
        if (registration.options().essential()) {
            say(Level.ERROR, " is essential and failed, so the process ends: " + problem, null);
            HostLoop.background(
                    "controller-manager-essential-failed",
                    () -> parts.listener().onEssentialFailed("controller " + name() + " " + problem));
        } else {
            say(Level.ERROR, " failed, and the others run without it: " + problem, cause);
        }
    }

    /** To act on caches that lack what the last leader wrote would do its work a second time. */
    private void catchUp() {
        Candidacy.Term term = registration.options().needsLeaderElection() ? candidacy.term() : null;
        life = life.in(term == null ? Phase.READY : Phase.CATCHING_UP);
        if (term != null) {
            Duration led = Duration.ofNanos(parts.clock().nanoTime() - term.since());
            Registration passing = whenPassed(term.lastWritten(), () -> loop.post(() -> caughtUp(term, true)));
            catchingUp = passing;
            Timer.Cancellable limit = loop.later(LONGEST_BEHIND.minus(led), () -> caughtUp(term, false));
            catchingUp = () -> {
                passing.close();
                limit.cancel();
            };
        }
    }

    /** Tells once when everything that it reads from has come as far as another process had written. */
    private Registration whenPassed(Map<String, String> versions, Runnable told) {
        if (registration.adapter().readsOtherInformers()) {
            return parts.cluster().whenPassed(versions, told);
        }
        List<Function<Runnable, Registration>> caches = new ArrayList<>();
        runner.informers().forEach(informer -> caches.add(one -> informer.whenPassed(versions, one)));
        return Waiters.all(caches, told);
    }

    @SuppressWarnings("ReferenceEquality") // that very term, not one that is like it
    private void caughtUp(Candidacy.Term term, boolean passed) {
        if (life.phase() != Phase.CATCHING_UP || candidacy.term() != term) {
            return;
        }
        if (!passed) {
            String behind = "starts although its caches have not come as far as the last leader had written (";
            tell(Level.WARN, behind + term.lastWritten() + ")", null);
        }
        life = life.in(Phase.READY);
        catchingUp.close();
    }

    /**
     * It is shown as running before the first reconcile begins, so that whoever sees a reconcile sees that. Until all keys
     * are queued, {@link ControllerRunner#isRequeueing} says so. Whoever sees it running without a detail sees its keys.
     */
    private void open() {
        ControllerLife before = life;
        life = before.working();
        try {
            runner.open();
        } catch (RuntimeException | Error e) {
            // Ends what has begun.
            runner.interrupt();
            throw e;
        }
        ControllerSnapshot work = snapshot();
        tell(Level.INFO, "workers started" + (work == null ? "" : " (" + work.workers() + ")"), null);
    }

    /** Has its workers take keys once more, if a hand-over of an earlier term has stopped them after they had begun anew. */
    void reopen() {
        if (life.phase() == Phase.WORKING) {
            runner.open();
        }
    }

    private void handOver() {
        become(
                life.idle(Phase.HANDING_OVER, "handing over to another replica"),
                "hands over to another replica; workers finish");
        Candidacy.Term term = candidacy.term();
        HostLoop.background("controller-manager-hand-over-" + candidacy.lease(), () -> {
            try {
                drain("some reconciles were still running %d s after the hand-over began");
                loop.post(() -> candidacy.drained(term, true));
            } catch (RuntimeException | Error e) {
                tell(Level.ERROR, "the hand-over to another replica failed: " + FailureMessage.of(e), e);
                loop.post(() -> candidacy.drained(term, false));
            }
        });
    }

    private void interrupt() {
        Phase before = life.phase();
        // Also where it is paused or hands over: what still runs has no more time, another may lead from now on.
        runner.interrupt();
        if (runner.isShutDown()) {
            life = life.failed("was shut down because leadership was lost, and cannot be run again in this process");
        } else {
            become(
                    life.idle(Phase.STANDBY, null),
                    before == Phase.HANDING_OVER ? "has handed over" : "workers stopped, since leadership was lost");
        }
    }

    private void stop() {
        life = life.settle().in(Phase.STOPPING);
        Thread starting = starter;
        stopper = HostLoop.background("controller-manager-stop-" + name(), () -> {
            try {
                if (starting != null) {
                    starting.interrupt();
                }
                drain("some reconciles have not ended by the shutdown timeout of %d s");
                if (starting != null) {
                    starting.join(Math.max(1, parts.shutdownTimeout().toMillis()));
                }
            } catch (InterruptedException e) {
                // The host's own limit has passed.
            } finally {
                loop.post(this::ended);
            }
        });
    }

    /** Its reconciles have ended, or are waited for no longer. */
    private void ended() {
        if (life.phase() == Phase.STOPPING) {
            life = life.in(Phase.DRAINED);
        }
    }

    /** Waits no longer for reconciles that do not end; returns whether there are any. */
    boolean leaveBehind() {
        if (life.phase() != Phase.STOPPING) {
            return false;
        }
        if (stopper != null) {
            stopper.interrupt();
        }
        ended();
        return true;
    }

    /** Waits for what still runs of its work after it has failed; on a thread of the caller's. */
    void endAfterFailure() {
        drain("failed, and some of its reconciles have not ended after %d s");
    }

    /** Waits for running reconciles up to the shutdown timeout, and says so if some have not ended. */
    private void drain(String interrupted) {
        Duration limit = parts.shutdownTimeout();
        try {
            if (!runner.drain(limit)) {
                tell(Level.WARN, interrupted.formatted(limit.toSeconds()), null);
            }
        } catch (InterruptedException e) {
            // Whoever interrupts is in a hurry.
            Thread.currentThread().interrupt();
        }
    }

    private void close() {
        life = life.in(Phase.CLOSING);
        HostLoop.background("controller-manager-close-" + name(), () -> {
            try {
                runner.close();
            } finally {
                loop.post(() -> {
                    life = life.closed();
                    closed.complete(null);
                });
            }
        });
    }

    /**
     * Notes what operators want. The steps that follow do it.
     *
     * @throws IllegalStateException if it cannot be paused or resumed now
     */
    void wish(Wish wish) {
        if (wish == Wish.STOP) {
            life = life.wished(wish);
            return;
        }
        if (!life.phase().isUp()) {
            throw new IllegalStateException("controller \"" + name() + "\" is not up: " + shown());
        }
        if (wish == Wish.PAUSE && runner.controller() == null) {
            throw new IllegalStateException("it brings its own workers, which cannot be paused");
        }
        if (wish != life.wish()) {
            become(
                    life.wished(wish).idle(life.phase(), null),
                    wish == Wish.PAUSE ? "paused by an operator; keys go on queueing" : "resumed");
        }
    }

    private String shown() {
        ControllerLife now = life;
        return now.state() + (now.detail() == null ? "" : ", " + now.detail());
    }

    /** Changes its life, and logs why if operators see a difference. */
    void become(ControllerLife next, String what) {
        ControllerLife before = life;
        life = next;
        if (before.state() != next.state() || !Objects.equals(before.detail(), next.detail())) {
            tell(Level.INFO, what, null);
        }
    }

    /** Logs what it does. */
    void tell(Level level, String what, @Nullable Throwable cause) {
        say(level, ": " + what, cause);
    }

    private void say(Level level, String what, @Nullable Throwable cause) {
        ControllerLife now = life;
        var event = log.atLevel(level).setCause(cause).addKeyValue("controller", name());
        event = event.addKeyValue("state", now.state());
        if (now.detail() != null) {
            event = event.addKeyValue("detail", now.detail());
        }
        event.log("Controller {}{}", name(), what);
    }

    /**
     * Whether its work may be left to another process: not if it could not be run here again, was paused here, or does not
     * end here.
     */
    boolean mayMove() {
        Controller ours = runner.controller();
        return life.phase().isUp() && life.wish() == Wish.RUN && ours != null && !ours.hasGivenUp();
    }

    /** Whether nothing of the work that leadership guards runs any more. */
    boolean hasEnded() {
        return !registration.options().needsLeaderElection() || runner.hasEnded();
    }

    void resize(int workers) {
        runner.resize(workers);
        tell(Level.INFO, "number of workers changed to " + workers, null);
    }

    /** Has every object looked at once more, if it works. */
    void resync() {
        if (life.state() == ControllerState.RUNNING) {
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
                .log("Controller {}: a reconcile of {} was asked for", name(), Keys.shown(key));
    }

    /**
     * The controller on the host's workers.
     *
     * @throws IllegalStateException if it has none, or has not been brought up
     */
    Controller controller() {
        Controller current = runner.controller();
        if (current == null || stopped()) {
            throw new IllegalStateException("controller \"" + name() + "\" has no queue: " + shown());
        }
        return current;
    }

    /** How its work stands, null if it is not up, or brings its own workers. */
    private @Nullable ControllerSnapshot snapshot() {
        Controller current = runner.controller();
        return current == null ? null : current.snapshot();
    }

    /** Something about its work, null if there is nothing to say, or it is being stopped. */
    @Nullable
    String ofWork(Function<ControllerSnapshot, @Nullable String> question) {
        ControllerSnapshot work = stopped() ? null : snapshot();
        return work == null ? null : question.apply(work);
    }

    ControllerStatus status() {
        // In this order: the runner tells what it queues once the life says that it works.
        ControllerLife now = life;
        boolean requeueing = now.state() == ControllerState.RUNNING && runner.isRequeueing();
        return ControllerStatus.of(registration, now.state(), requeueing ? REQUEUEING : now.detail(), snapshot());
    }
}
