package io.controllermanager.manager.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.leaderelection.internal.ControllerElectors;
import io.controllermanager.leaderelection.internal.LeaderElector;
import io.controllermanager.leaderelection.internal.LeadershipListener;
import io.controllermanager.leaderelection.internal.ShardAgreement;
import io.controllermanager.manager.internal.ShardLife.Action;
import io.controllermanager.manager.internal.ShardLife.Desired;
import io.controllermanager.manager.internal.ShardLife.Phase;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The work of one shard of a controller, by a Lease: its own, or one that it shares with other controllers. A controller that is
 * not divided has one. The {@link HostLoop} has it take one {@link #step} after another on its thread, which alone changes its
 * {@link #life}.
 */
final class ShardWork {

    private static final Logger log = LoggerFactory.getLogger(ShardWork.class);

    private static final String HANDED_OVER = "is handed over to another replica";

    /** When it is tried again to hand over, if this process may not work. */
    private static final Duration AGAIN = Duration.ofSeconds(1);

    private final int shard;
    private final HostedController controller;
    private final HostParts parts;
    private final HostLoop loop;
    private final Candidacy candidacy;
    private final ControllerElectors electors;
    private final ControllerRunner runner;
    private final ShardReport report;
    private final ShardCaches caches;
    private final AtomicLong moves = new AtomicLong();

    /** Whether it has been said that reconciles do not end. */
    private final AtomicBoolean saidLate = new AtomicBoolean();

    private volatile ShardLife life;

    // Used by the loop's thread only.
    private Registration catchingUp = () -> {};
    private @Nullable Thread stopper;
    private boolean moved;

    ShardWork(
            int shard,
            HostedController controller,
            HostParts parts,
            HostLoop loop,
            Candidacy candidacy,
            ShardReport report) {
        this.shard = shard;
        this.controller = controller;
        this.parts = parts;
        this.loop = loop;
        this.candidacy = candidacy;
        this.electors = parts.leadership().electors(controller.registration());
        this.runner = controller.runner();
        this.caches = new ShardCaches(this, loop);
        this.report = report;
        this.life = ShardLife.first(controller.registration().enabled());
    }

    int number() {
        return shard;
    }

    HostedController controller() {
        return controller;
    }

    /** The part in the election for its Lease. */
    Candidacy candidacy() {
        return candidacy;
    }

    /** Who competes for its Lease; there is one if anybody else may work on it. */
    LeaderElector elector() {
        return electors.electors().get(shard);
    }

    /** Who has its Lease; null if nobody has, or there is none. */
    @Nullable
    String holder() {
        return electors.electors().isEmpty() ? null : elector().liveHolder();
    }

    /** Whether this process has its Lease. */
    boolean isHeld() {
        return !electors.electors().isEmpty()
                && elector().config().identity().equals(elector().liveHolder());
    }

    /** Whether all processes divide the controller alike. */
    ShardAgreement agreement() {
        return electors.agreement();
    }

    ShardLife life() {
        return life;
    }

    /** How often this process has begun to work on it. */
    long moves() {
        return moves.get();
    }

    /** Takes one step; returns whether there was one to take. */
    boolean step() {
        boolean leaves = candidacy.phase().handsOver() || !agreement().agrees();
        Desired desired = Desired.of(controller.life(), candidacy.phase().leads(), leaves);
        Action action = ShardLife.next(desired, life.phase());
        if (action == Action.NONE) {
            return false;
        }
        catchingUp.close();
        attempt("go on", () -> take(action));
        return true;
    }

    /** Does what it, and its controller, cannot go on without. Others must still take their steps if that throws. */
    void attempt(String what, Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            String with = controller.isDivided() ? " with shard " + shard : " with its work";
            controller.fail("could not " + what + with + ": " + e, e);
            if (life.phase() == Phase.STOPPING) {
                loop.post(this::ended);
            }
        }
    }

    private void take(Action action) {
        switch (action) {
            case NONE -> {}
            case CATCH_UP -> catchUp();
            case HAND_OVER -> {
                life = ShardLife.in(Phase.HANDING_OVER, HANDED_OVER);
                runner.close(shard);
                tell(HANDED_OVER + "; workers finish", HANDED_OVER);
                candidacy.handOver(this::drain);
            }
            case INTERRUPT -> interrupt();
            case STOP -> stop();
        }
    }

    private void catchUp() {
        life = ShardLife.in(Phase.CATCHING_UP, null);
        controller.sources().hold(shard);
        catchingUp = new CatchUp(Objects.requireNonNull(candidacy.term()), this, parts, loop).begin();
    }

    /** What is told while it catches up. */
    void show(ShardLife waiting) {
        life = waiting;
    }

    /**
     * It has caught up.
     *
     * @param behind what its caches may lack
     */
    void caughtUp(Map<String, String> behind) {
        if (!behind.isEmpty()) {
            String which = " have not come as far as the last leader had written (" + behind + ")";
            say(Level.WARN, "starts although its caches" + which);
        }
        attempt("begin", this::open);
    }

    /**
     * It is shown as worked on before the first reconcile begins, so that whoever sees a reconcile sees that. Until all keys
     * are queued, {@link ControllerRunner#isRequeueing} says so.
     */
    private void open() {
        life = ShardLife.in(Phase.WORKING, null);
        try {
            runner.open(shard, Objects.requireNonNull(candidacy.term()).number());
        } catch (RuntimeException | Error e) {
            // Ends what has begun.
            runner.interrupt(shard);
            throw e;
        }
        candidacy.caughtUp();
        if (!moved) {
            moved = true;
            moves.incrementAndGet();
        }
        tell("workers started" + controller.workers(), "is worked on here");
    }

    /**
     * A worker has found that its Lease is not held for certain, and has closed it. As a rule the loss is told in a moment. If
     * the Lease is held after all, work goes on.
     */
    void lapsed() {
        Candidacy.Term term = candidacy.term();
        if (life.phase() != Phase.WORKING || term == null) {
            return;
        }
        if (elector().term() == term.number()) {
            runner.open(shard, term.number());
        } else {
            loop.later(AGAIN, this::lapsed);
        }
    }

    /** Also where it hands over: what still runs has no more time, another may lead from now on. */
    private void interrupt() {
        Phase before = life.phase();
        life = ShardLife.in(Phase.STANDBY, null);
        moved = false;
        runner.interrupt(shard);
        if (runner.isShutDown()) {
            controller.spent();
        } else if (before != Phase.CATCHING_UP) {
            String why = before == Phase.HANDING_OVER ? ", since it was handed over" : ", since leadership was lost";
            tell("workers stopped" + why, "is no longer worked on here" + why);
        }
        caches.letGo();
    }

    /** A hand-over has come to nothing. Where this process still may not work, it tries again and again. */
    void handOverAgain() {
        loop.later(AGAIN, () -> {
            if (life.phase() == Phase.HANDING_OVER && candidacy.phase() == Candidacy.Phase.LEADING) {
                // What was told to end once and does not is not told again.
                if (runner.mayMove(shard)) {
                    candidacy.handOver(this::drain);
                } else {
                    handOverAgain();
                }
            }
        });
    }

    private void stop() {
        life = ShardLife.in(Phase.STOPPING, null);
        runner.close(shard);
        if (runner.isIdle(shard)) {
            ended();
            return;
        }
        stopper = HostLoop.background("controller-manager-stop-" + controller.name() + "-" + shard, () -> {
            try {
                drain();
            } finally {
                loop.post(this::ended);
            }
        });
    }

    private void ended() {
        if (life.phase() == Phase.STOPPING) {
            life = ShardLife.in(Phase.ENDED, null);
            caches.letGo();
        }
    }

    /** Whether none of its reconciles runs any more for good, or they have been waited for long enough. */
    boolean hasEnded() {
        return life.phase() == Phase.ENDED;
    }

    /** Waits no longer for reconciles that do not end. */
    void leaveBehind() {
        Optional.ofNullable(stopper).ifPresent(Thread::interrupt);
        ended();
    }

    /** Waits for what runs, on a thread of the caller's; what has not ended at the shutdown timeout is interrupted. */
    private void drain() {
        Duration limit = parts.shutdownTimeout();
        try {
            boolean late = !runner.drain(shard, limit);
            if (saidLate.getAndSet(late) != late && late) {
                say(
                        Level.WARN,
                        "some reconciles have not ended by the shutdown timeout of %d s".formatted(limit.toSeconds()));
            }
        } catch (InterruptedException e) {
            // Whoever interrupts is in a hurry.
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Whether it may be left to another process: not if it is paused here, is handed over already, does not end here, or could not
     * be run again.
     */
    boolean mayMove() {
        return controller.life().isUp()
                && !controller.life().isPaused()
                && life.phase() != Phase.HANDING_OVER
                && runner.mayMove(shard);
    }

    /** Whether nothing of it runs that the Lease guards. */
    boolean isIdle() {
        return runner.isIdle(shard);
    }

    /** Fills the caches for it, which another process works on now, and asks for its Lease then; or gives up. */
    void beforeAsking(LeadershipListener.Asking asking) {
        caches.fill(asking);
    }

    /** Whether this process should ask for its Lease, and fill the caches for it. */
    boolean mayBeAskedFor() {
        return life.phase() == Phase.STANDBY
                && controller.life().isUp()
                && !controller.life().isPaused()
                && !candidacy.phase().leads()
                && agreement().agrees();
    }

    /** Leaves the Lease to others, unless this process holds it, while it may not work on the shard. */
    void standAside() {
        report.changed();
        candidacy.standAside(controller.life().isPaused() || !agreement().agrees());
    }

    /** Says what it does: of a whole controller at INFO, of one shard of many at DEBUG. */
    private void tell(String whole, String oneOfMany) {
        if (controller.isDivided()) {
            say(Level.DEBUG, oneOfMany);
        } else if (!controller.life().isPaused()) {
            say(Level.INFO, whole);
        }
    }

    /** Says something of the controller, or of one of its shards if it has many. */
    void say(Level level, String what) {
        if (!controller.isDivided()) {
            controller.tell(level, what);
            return;
        }
        report.changed();
        log.atLevel(level)
                .addKeyValue("controller", controller.name())
                .addKeyValue("shard", shard)
                .log("Controller {}: shard {} {}", controller.name(), shard, what);
    }
}
