package io.controllermanager.manager.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.controller.internal.Controller;
import io.controllermanager.controller.internal.ControllerSnapshot;
import io.controllermanager.manager.internal.ControllerLife.Action;
import io.controllermanager.manager.internal.ControllerLife.Desired;
import io.controllermanager.manager.internal.ControllerLife.Phase;
import io.controllermanager.manager.internal.ControllerLife.Wish;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * One controller from its start to its stop. The {@link HostLoop} has it take one {@link #step} after another on its thread,
 * which alone changes its {@link #life}. One that is divided works whenever it is up, on those shards that are open; each has a
 * {@link ShardWork}. What takes time runs on other threads and comes back as an event of the loop. Methods
 * that only read, or that only call the {@link Controller}, may be called by any thread.
 */
final class HostedController implements LeaseWork {

    private static final Logger log = LoggerFactory.getLogger(HostedController.class);

    private final ControllerRegistration registration;
    private final HostParts parts;
    private final HostLoop loop;
    private final Candidacy candidacy;
    private final Terms terms;
    private final ControllerRunner runner;

    /** None unless it is divided. */
    private final List<ShardWork> shards;

    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private volatile ControllerLife life;

    // Used by the loop's thread only.
    private @Nullable Thread starter;
    private @Nullable Thread stopper;
    private Registration catchingUp = () -> {};

    /**
     * Starts nothing.
     *
     * @param candidacy by which it works; if it is divided, that of the anchor
     * @param ofShards by which its shards are worked on, by their numbers; none unless it is divided
     */
    HostedController(
            ControllerRegistration registration,
            HostParts parts,
            HostLoop loop,
            Candidacy candidacy,
            List<Candidacy> ofShards) {
        this.registration = registration;
        this.parts = parts;
        this.loop = loop;
        this.candidacy = candidacy;
        this.terms = parts.leadership().terms(registration);
        ControllerRunner own = registration.adapter().runner(reason -> loop.post(() -> fail(reason, null)));
        ShardRules.check(registration, own != null);
        this.life = ControllerLife.first(registration.enabled());
        if (own != null) {
            this.runner = own;
            this.shards = List.of();
        } else {
            PooledRunner pooled = new PooledRunner(registration, parts, loop, terms);
            this.runner = pooled;
            this.shards = ShardWork.all(this, pooled, parts, loop, ofShards);
        }
    }

    String name() {
        return registration.name();
    }

    ControllerRegistration registration() {
        return registration;
    }

    @Override
    public Candidacy candidacy() {
        return candidacy;
    }

    /** Its shards by their numbers; none unless it is divided. */
    List<ShardWork> shards() {
        return shards;
    }

    /** What is done by Leases: its own work, and that of its shards. */
    Stream<LeaseWork> leaseWork() {
        return Stream.concat(Stream.of(this), shards.stream());
    }

    @Override
    public boolean needsLease() {
        return shards.isEmpty();
    }

    ControllerView view() {
        return new ControllerView(this);
    }

    ControllerRunner runner() {
        return runner;
    }

    @Override
    public ControllerLife life() {
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
        boolean leads = !waitsForLease() || candidacy.phase().leads();
        boolean gone = candidacy.isGone()
                && shards.stream().allMatch(shard -> shard.candidacy().phase() == Candidacy.Phase.IDLE);
        Desired desired = Desired.of(life.wish(), leads, candidacy.phase().handsOver(), gone);
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

    /** Whether its Lease says when it works. */
    private boolean waitsForLease() {
        return registration.options().needsLeaderElection() && shards.isEmpty();
    }

    private void catchUp() {
        Candidacy.Term term = waitsForLease() ? candidacy.term() : null;
        life = life.in(term == null ? Phase.READY : Phase.CATCHING_UP);
        if (term != null) {
            catchingUp = new CatchUp(
                            term,
                            candidacy.lease(),
                            this::whenPassed,
                            parts.leadership().electors(registration).obstacle(),
                            new Waiting(),
                            loop,
                            parts.clock().nanoTime())
                    .begin();
        }
    }

    private Registration whenPassed(Map<String, String> versions, Runnable told) {
        return registration.adapter().readsOtherInformers()
                ? parts.cluster().whenPassed(versions, told)
                : runner.whenPassed(versions, told);
    }

    /** What its catching up comes to. */
    private final class Waiting implements CatchUp.Waiting {

        @Override
        public void obstacle(@Nullable String reason, boolean first) {
            life = life.idle(Phase.CATCHING_UP, reason);
            if (first) {
                tell(Level.WARN, "does not work although this process leads: " + reason, null);
            }
        }

        @Override
        public void caughtUp(@Nullable Map<String, String> behind) {
            if (behind != null) {
                tell(
                        Level.WARN,
                        "starts although its caches have not come as far as the last leader had written (" + behind
                                + ")",
                        null);
            }
            life = life.in(Phase.READY);
        }

        @Override
        public void failed(Throwable failure) {
            fail("could not begin its work: " + failure, failure);
        }
    }

    /**
     * It is shown as running before the first reconcile begins, so that whoever sees a reconcile sees that. Until all keys
     * are queued, {@link ControllerRunner#isRequeueing} says so. Whoever sees it running without a detail sees its keys.
     */
    private void open() {
        ControllerLife before = life;
        life = before.working();
        Candidacy.Term term = waitsForLease() ? candidacy.term() : null;
        if (term != null) {
            terms.open(0, term.number());
        }
        try {
            runner.open();
        } catch (RuntimeException | Error e) {
            // Ends what has begun.
            runner.interrupt();
            throw e;
        }
        ControllerSnapshot work = view().snapshot();
        tell(Level.INFO, "workers started" + (work == null ? "" : " (" + work.workers() + ")"), null);
    }

    @Override
    public void reopen() {
        if (life.phase() == Phase.WORKING) {
            runner.open();
        }
    }

    private void handOver() {
        become(
                life.idle(Phase.HANDING_OVER, "handing over to another replica"),
                "hands over to another replica; workers finish");
        candidacy.handOver(() -> drain("some reconciles were still running %d s after the hand-over began"));
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
        shards.forEach(ShardWork::leaveBehind);
        if (life.phase() != Phase.STOPPING) {
            return false;
        }
        if (stopper != null) {
            stopper.interrupt();
        }
        ended();
        return true;
    }

    @Override
    public void drain() {
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

    /** Its state and what it waits for. */
    String shown() {
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

    /** Not if it could not be run here again, was paused here, or does not end here. Of one that is divided, shards move. */
    @Override
    public boolean mayMove() {
        Controller ours = runner.controller();
        return shards.isEmpty() && life.phase().isUp() && life.wish() == Wish.RUN && ours != null && !ours.hasGivenUp();
    }

    @Override
    public boolean hasEnded() {
        return !waitsForLease() || runner.hasEnded();
    }

    @Override
    public boolean isShutDown() {
        return runner.isShutDown();
    }
}
