package io.controllermanager.manager.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.leaderelection.internal.LeaderElector;
import io.controllermanager.leaderelection.internal.LeadershipListener;
import io.controllermanager.leaderelection.internal.ShardAgreement;
import io.controllermanager.manager.internal.ControllerLife.Action;
import io.controllermanager.manager.internal.ControllerLife.Desired;
import io.controllermanager.manager.internal.ControllerLife.Phase;
import io.controllermanager.manager.internal.ControllerLife.Wish;
import io.controllermanager.time.internal.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
 * The work of one shard of a controller, which has a Lease and a life of its own. The {@link HostLoop} has it take one {@link
 * #step} after another, as it has the controller; the table of steps is the same one.
 */
final class ShardWork implements LeaseWork {

    private static final Logger log = LoggerFactory.getLogger(ShardWork.class);

    /** How long caches stay filled for a shard, from when it is asked for. */
    static final Duration KEPT_FILLED = Duration.ofMinutes(1);

    /** When it is tried again to hand over, if this process may not work, or to drop caches that are still read. */
    private static final Duration AGAIN = Duration.ofSeconds(1);

    private static final String FILLING = "fills its caches";

    private final int shard;
    private final HostedController controller;
    private final HostParts parts;
    private final HostLoop loop;
    private final Candidacy candidacy;
    private final LeaderElector elector;
    private final ShardAgreement agreement;
    private final ShardRunner runner;
    private final ShardReport report;
    private volatile ControllerLife life = ControllerLife.first(true);
    private final AtomicLong moves = new AtomicLong();

    /** Whether it has been said that reconciles do not end. */
    private final AtomicBoolean saidStuck = new AtomicBoolean();

    // Used by the loop's thread only.
    private Registration catchingUp = () -> {};
    private @Nullable Thread stopper;
    private Registration filling = () -> {};
    private Timer.Cancellable keeping = () -> {};
    private boolean moved;
    private boolean handsOverAgain;

    ShardWork(
            int shard,
            HostedController controller,
            HostParts parts,
            HostLoop loop,
            Candidacy candidacy,
            LeaderElector elector,
            ShardRunner runner,
            ShardReport report) {
        this.shard = shard;
        this.controller = controller;
        this.parts = parts;
        this.loop = loop;
        this.candidacy = candidacy;
        this.elector = elector;
        this.agreement = parts.leadership().electors(controller.registration()).agreement();
        this.runner = runner;
        this.report = report;
    }

    /**
     * All shards of a controller, by their numbers; none if it is not divided.
     *
     * @param candidacies theirs
     */
    static List<ShardWork> all(
            HostedController controller,
            PooledRunner runner,
            HostParts parts,
            HostLoop loop,
            List<Candidacy> candidacies) {
        List<LeaderElector> electors =
                parts.leadership().electors(controller.registration()).electors();
        ShardReport report = new ShardReport(controller, loop, parts.leadership());
        List<ShardWork> all = new ArrayList<>();
        for (int shard = 0; shard < candidacies.size(); shard++) {
            ShardRunner own =
                    new ShardRunner(shard, runner, new Requeue(controller.name() + "-" + shard, loop.retryWait()));
            all.add(new ShardWork(
                    shard, controller, parts, loop, candidacies.get(shard), electors.get(shard), own, report));
        }
        return List.copyOf(all);
    }

    @Override
    public Candidacy candidacy() {
        return candidacy;
    }

    @Override
    public ControllerLife life() {
        return life;
    }

    /** The same as operators see it at this moment. */
    ControllerLife shownLife() {
        return controller.view().live(life);
    }

    int shard() {
        return shard;
    }

    /** How often this process has begun to work on it. */
    long moves() {
        return moves.get();
    }

    /** Takes one step; returns whether there was one to take. */
    boolean step() {
        ControllerLife whole = controller.life();
        Phase phase = life.phase();
        if (whole.wish() != life.wish()) {
            ControllerLife wished = life.wished(whole.wish());
            life = phase == Phase.STANDBY ? wished.idle(phase, null) : wished;
        }
        if (whole.wish() != Wish.STOP && whole.phase() == Phase.FAILED && phase != Phase.FAILED) {
            life = life.failed(Objects.requireNonNullElse(whole.detail(), "its controller failed"));
            catchingUp.close();
            runner.close();
            letGo();
            return true;
        }
        if (whole.wish() != Wish.STOP && phase == Phase.NEW) {
            boolean up = whole.phase().isUp();
            life = up ? life.idle(Phase.STANDBY, null) : life;
            return up;
        }
        boolean leads = candidacy.phase().leads();
        boolean leaves = candidacy.phase().handsOver() || !agreement.agrees();
        Desired desired = Desired.of(whole.wish(), leads, leaves, candidacy.phase() == Candidacy.Phase.IDLE);
        Action action = next(desired, phase);
        if (action == Action.NONE) {
            if (desired == Desired.HANDED_OVER) {
                handOverAgain();
            }
            return false;
        }
        catchingUp.close();
        try {
            take(action);
        } catch (RuntimeException | Error e) {
            controller.fail("could not go on with shard " + shard + ": " + e, e);
        }
        return true;
    }

    /** As for a whole controller; but where nothing runs yet nothing is waited for before the Lease goes to another. */
    static Action next(Desired desired, Phase phase) {
        boolean idle = phase == Phase.STANDBY || phase == Phase.CATCHING_UP;
        return desired == Desired.HANDED_OVER && idle ? Action.HAND_OVER : ControllerLife.next(desired, phase);
    }

    private void take(Action action) {
        switch (action) {
            case NONE, START -> {}
            case CATCH_UP -> catchUp();
            case OPEN -> open();
            case PAUSE -> life = life.idle(Phase.READY, null);
            case HAND_OVER -> {
                runner.close();
                life = life.idle(Phase.HANDING_OVER, "is handed over to another replica");
                tell(Level.DEBUG, "is handed over to another replica; its reconciles finish");
                candidacy.handOver(this::drain);
            }
            case INTERRUPT -> {
                boolean handedOver = life.phase() == Phase.HANDING_OVER;
                runner.interrupt();
                moved = false;
                life = life.idle(Phase.STANDBY, null);
                tell(
                        Level.DEBUG,
                        handedOver ? "has been handed over" : "is no longer worked on here, since leadership was lost");
                letGo();
            }
            case STOP -> stop();
            case CLOSE -> life = life.closed();
        }
    }

    private void catchUp() {
        runner.hold();
        Waiting waiting = new Waiting();
        waiting.show();
        CatchUp begun = new CatchUp(
                        Objects.requireNonNull(candidacy.term()),
                        candidacy.lease(),
                        runner,
                        agreement::obstacle,
                        waiting,
                        loop,
                        parts.clock().nanoTime())
                .begin();
        catchingUp = begun;
        loop.later(controller.registration().options().cacheSyncTimeout(), () -> {
            if (!begun.isOver()) {
                waiting.late();
            }
        });
    }

    /** What its catching up comes to. */
    private final class Waiting implements CatchUp.Waiting {

        private @Nullable String obstacle;
        private boolean filled;
        private @Nullable String late;

        @Override
        public void obstacle(@Nullable String reason, boolean first) {
            obstacle = reason;
            show();
            if (first) {
                tell(Level.WARN, "is not worked on although this process has its Lease: " + reason);
            }
        }

        @Override
        public void filled() {
            filled = true;
            show();
        }

        private void late() {
            if (!filled) {
                late = controller.view().late("caches of shard " + shard);
                show();
                tell(Level.INFO, controller.view().withCause(late) + "; still trying");
            }
        }

        private void show() {
            life = life.idle(Phase.CATCHING_UP, obstacle);
            if (obstacle == null && !filled && life.wish() == Wish.RUN) {
                String detail = Objects.requireNonNullElse(late, FILLING);
                life = life.starting(ControllerState.WAITING_FOR_CACHES, late, detail);
            }
        }

        @Override
        public void caughtUp(@Nullable Map<String, String> behind) {
            if (behind != null) {
                tell(Level.WARN, "is begun although caches have not come as far as was written (" + behind + ")");
            }
            life = life.idle(Phase.READY, null);
        }

        @Override
        public void failed(Throwable failure) {
            controller.fail("could not begin with shard " + shard + ": " + failure, failure);
        }
    }

    /** It is shown as worked on before the first reconcile begins. */
    private void open() {
        life = life.working();
        if (!runner.isOpen()) {
            runner.open(Objects.requireNonNull(candidacy.term()).number());
        }
        if (!moved) {
            moved = true;
            moves.incrementAndGet();
            tell(Level.DEBUG, "is worked on here");
        }
    }

    /** Where this process may not work, it tries again and again to give up what it has. */
    private void handOverAgain() {
        if (isHandingOver() && !handsOverAgain) {
            handsOverAgain = true;
            loop.later(AGAIN, () -> {
                handsOverAgain = false;
                // What was told to end once and does not is not told again.
                if (isHandingOver() && !runner.hasGivenUp()) {
                    candidacy.handOver(this::drain);
                }
            });
        }
    }

    private boolean isHandingOver() {
        return life.phase() == Phase.HANDING_OVER && candidacy.phase() == Candidacy.Phase.LEADING;
    }

    private void stop() {
        life = life.in(Phase.STOPPING);
        runner.close();
        if (runner.hasEnded()) {
            ended();
            return;
        }
        stopper = HostLoop.background("controller-manager-stop-" + candidacy.lease(), () -> {
            try {
                drain();
            } finally {
                loop.post(this::ended);
            }
        });
    }

    private void ended() {
        if (life.phase() == Phase.STOPPING) {
            life = life.in(Phase.DRAINED);
            letGo();
        }
    }

    /** Waits no longer for reconciles that do not end. */
    void leaveBehind() {
        Optional.ofNullable(stopper).ifPresent(Thread::interrupt);
        ended();
    }

    /**
     * Drops the caches unless the shard is worked on again, once nothing reads them any more: a reconcile that still runs
     * would take what vanishes for deleted. One that has failed keeps its Lease until its reconciles have ended. While
     * nobody holds the Lease, as while the API server is away, this process may be the next, and keeps what it has.
     */
    private void letGo() {
        keeping.cancel();
        Phase phase = life.phase();
        if (phase == Phase.STANDBY ? candidacy.phase().leads() : phase.isUp()) {
            return;
        }
        boolean mayComeBack = phase == Phase.STANDBY && view().state() != ShardState.ELSEWHERE;
        boolean withdrawn = phase != Phase.FAILED || candidacy.phase() == Candidacy.Phase.IDLE;
        if (withdrawn && runner.hasEnded() && !mayComeBack) {
            filling.close();
            runner.drop();
        } else {
            keeping = loop.later(AGAIN, this::letGo);
        }
    }

    @Override
    public void drain() {
        try {
            boolean stuck = !runner.drain(parts.shutdownTimeout());
            if (saidStuck.getAndSet(stuck) != stuck && stuck) {
                tell(Level.WARN, "some of its reconciles have not ended though they were interrupted");
            }
        } catch (InterruptedException e) {
            // Whoever interrupts is in a hurry.
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean mayMove() {
        return controller.life().phase().isUp() && controller.life().wish() == Wish.RUN && !runner.hasGivenUp();
    }

    @Override
    public boolean hasEnded() {
        return runner.hasEnded();
    }

    @Override
    public Map<String, String> notes(Map<String, String> written) {
        return ShardNotes.ofShard(
                written, shard, controller.registration().options().shards());
    }

    @Override
    public void beforeAsking(LeadershipListener.Asking asking) {
        if (!mayBeAskedFor()) {
            asking.giveUp();
            return;
        }
        filling.close();
        runner.hold();
        keepFilled(controller.registration().options().cacheSyncTimeout());
        Registration reading = runner.whenFilled(() -> loop.post(() -> {
            if (mayBeAskedFor()) {
                keepFilled(KEPT_FILLED);
                asking.ask();
            } else {
                asking.giveUp();
            }
        }));
        filling = () -> {
            reading.close();
            asking.giveUp();
        };
    }

    private boolean mayBeAskedFor() {
        return life.phase() == Phase.STANDBY
                && life.wish() == Wish.RUN
                && !candidacy.phase().leads()
                && agreement.agrees();
    }

    private void keepFilled(Duration longest) {
        keeping.cancel();
        keeping = loop.later(longest, this::letGo);
    }

    /** Leaves the Lease to others, unless this process holds it, while it may not work on the shard. */
    void standAside() {
        report.changed();
        candidacy.standAside(controller.life().wish() == Wish.PAUSE || !agreement.agrees());
    }

    boolean isRequeueing() {
        return life.phase() == Phase.WORKING && runner.isRequeueing();
    }

    /** What operators see of it; any thread may ask. */
    ShardView view() {
        return new ShardView(this, elector, agreement);
    }

    /** How many of its objects are held here. */
    int objects() {
        return runner.objects();
    }

    private void tell(Level level, String what) {
        report.changed();
        log.atLevel(level)
                .addKeyValue("controller", controller.name())
                .addKeyValue("shard", shard)
                .log("Controller {}: shard {} {}", controller.name(), shard, what);
    }
}
