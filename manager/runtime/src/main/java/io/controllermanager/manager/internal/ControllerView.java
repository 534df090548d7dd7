package io.controllermanager.manager.internal;

import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.client.internal.request.Obstacle;
import io.controllermanager.controller.internal.Controller;
import io.controllermanager.controller.internal.ControllerSnapshot;
import io.controllermanager.controller.internal.Shard;
import io.controllermanager.leaderelection.internal.LeaderElector;
import io.controllermanager.leaderelection.internal.LeadershipStatus;
import io.controllermanager.manager.internal.ControllerLife.Phase;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * What operators see of a controller and of its shards, and what it does for them at once. Nothing here changes its life; any
 * thread may call.
 */
final class ControllerView {

    private static final Logger log = LoggerFactory.getLogger(HostedController.class);

    /** Shown while a new leader's caches are being queued, and while a former leader's workers stop. */
    static final String REQUEUEING = "queues what its caches hold";

    static final String NOT_SYNCED = "caches are not synced";

    private final HostedController hosted;

    ControllerView(HostedController hosted) {
        this.hosted = hosted;
    }

    void resize(int workers) {
        hosted.runner().resize(workers);
        hosted.tell(Level.INFO, "number of workers changed to " + workers);
    }

    /** Has every object looked at once more, if it works. */
    void resync() {
        if (shownLife().state() == ControllerState.RUNNING) {
            hosted.sources().resync();
        }
    }

    void reconcileNow(Request key) {
        hosted.registration().descriptor().checkKey(key);
        Controller ours = controller();
        Shard shard = ours.shardOf(key);
        // A controller's only shard comes to the key once it is opened; many are worked on elsewhere.
        if (hosted.isDivided() && (shard == null || !shard.isOpen())) {
            throw new IllegalStateException("controller \"" + hosted.name() + "\" does not work on "
                    + (shard == null ? "the shard" : "shard " + shard.number()) + " of " + Keys.shown(key)
                    + " in this process");
        }
        String lack = lackOf(key);
        if (lack != null) {
            String problem = "controller \"" + hosted.name() + "\" " + lack;
            throw shard == null ? new IllegalStateException(problem) : new NoSuchElementException(problem);
        }
        String pausedBy = ours.pausedBy(key);
        if (pausedBy != null) {
            throw new IllegalStateException("controller \"" + hosted.name() + "\" does not reconcile " + Keys.shown(key)
                    + ", which is paused by its annotation " + pausedBy + ": take that away");
        }
        ours.reconcileNow(key);
        log.atInfo()
                .addKeyValue("controller", hosted.name())
                .addKeyValue("namespace", key.getNamespace())
                .addKeyValue("name", key.getName())
                .log("Controller {}: a reconcile of {} was asked for", hosted.name(), Keys.shown(key));
    }

    /** Why a key is not worked on, as the end of a sentence about the controller; null if its object may be there. */
    @Nullable
    String lackOf(Request key) {
        return hosted.sources().serves(key)
                ? hosted.sources().lackOf(key)
                : with(
                        "does not work in namespace \"" + key.getNamespace() + "\" until it may read what is there",
                        inTheWayOf(key));
    }

    /**
     * The controller on the host's workers.
     *
     * @throws IllegalStateException if it has none, or has not been brought up
     */
    Controller controller() {
        Controller current = hosted.runner().controller();
        if (current == null || hosted.stopped()) {
            throw new IllegalStateException("controller \"" + hosted.name() + "\" has no queue: " + hosted.shown());
        }
        return current;
    }

    /** How its work stands, null if it is not up, or brings its own workers. */
    @Nullable
    ControllerSnapshot snapshot() {
        Controller current = hosted.runner().controller();
        return current == null ? null : current.snapshot();
    }

    /** Something about its work, null if there is nothing to say, or it is being stopped. */
    @Nullable
    String ofWork(Function<ControllerSnapshot, @Nullable String> question) {
        ControllerSnapshot work = hosted.stopped() ? null : snapshot();
        return work == null ? null : question.apply(work);
    }

    /** Where it is in its life, for operators: one that is up runs while any of its shards is worked on. */
    ControllerLife shownLife() {
        ControllerLife now = hosted.life();
        if (now.state() == ControllerState.WAITING_FOR_CACHES && now.phase().isStarting()) {
            String problem = withCause(Objects.requireNonNullElse(now.detail(), NOT_SYNCED));
            return problem.equals(NOT_SYNCED) ? now : now.starting(now.state(), problem, problem);
        }
        if (now.phase() != Phase.UP) {
            return now;
        }
        String gone = now.isPaused() ? null : inTheWay(Obstacle::isNotServed);
        if (gone != null) {
            boolean accepted = hosted.registration().options().readyWithoutType();
            return now.starting(ControllerState.WAITING_FOR_TYPE, accepted ? null : gone, gone);
        }
        return hosted.shards().stream().anyMatch(shard -> shard.life().phase() == ShardLife.Phase.WORKING)
                ? now.up(ControllerState.RUNNING, null)
                : now.up(
                        ControllerState.WAITING_FOR_LEADERSHIP,
                        hosted.isDivided()
                                ? ofShards()
                                : waitsFor(hosted.shards().get(0)));
    }

    /** What is said of caches that are not filled within the time limit. */
    String late(String caches) {
        return caches + " are not synced after "
                + hosted.registration().options().cacheSyncTimeout().toSeconds() + " s";
    }

    /** A sentence, and what is in the way of its caches at this moment. */
    String withCause(String said) {
        return with(said, inTheWay(obstacle -> true));
    }

    private static String with(String said, @Nullable String why) {
        return why == null ? said : said + ": " + why;
    }

    /** What is in the way of the caches that a key depends on at this moment, null if nothing is. */
    @Nullable
    String inTheWayOf(Request key) {
        boolean all = !hosted.sources().staysWithin();
        return inTheWay(obstacle -> {
            String namespace = obstacle.permission().namespace();
            return all || namespace == null || namespace.equals(key.getNamespace());
        });
    }

    private @Nullable String inTheWay(Predicate<Obstacle> which) {
        String all = hosted.sources().informers().stream()
                .flatMap(informer -> informer.obstacles().stream())
                .filter(which)
                .map(Obstacle::toString)
                .distinct()
                .collect(Collectors.joining("; "));
        return all.isEmpty() ? null : all;
    }

    /** Why it does not do all its work, since a right is missing; null if none is, or it does none at all. */
    @Nullable
    String missingRights() {
        return hosted.stopped() || hosted.life().phase() == Phase.FAILED ? null : inTheWay(Obstacle::isForbidden);
    }

    /**
     * Why the process is not ready because of it, null if it is.
     *
     * @param withoutRights whether it is where nothing but rights is missing
     */
    @Nullable
    String notReady(boolean withoutRights) {
        boolean excused = withoutRights && lacksOnlyRights();
        ControllerLife whole = shownLife();
        boolean fills = whole.state() == ControllerState.WAITING_FOR_CACHES && whole.phase() == Phase.FILLING;
        String reason = excused && fills ? null : whole.notReady();
        for (ShardWork shard : hosted.shards()) {
            ShardLife life = lifeOf(shard);
            if (reason == null && !(excused && life.filling())) {
                reason = life.notReady();
            }
        }
        return reason != null || withoutRights ? reason : missingRights();
    }

    private boolean lacksOnlyRights() {
        return missingRights() != null
                && hosted.sources().informers().stream().allMatch(NamespaceRules::lacksOnlyRights);
    }

    ControllerStatus status() {
        // In this order: the runner tells what it queues once the life says that it works.
        ControllerLife now = shownLife();
        boolean running = now.state() == ControllerState.RUNNING;
        boolean requeueing = running && hosted.shards().stream().anyMatch(this::isRequeueing);
        String shown = running && hosted.isDivided() ? ofShards() : now.detail();
        String detail = requeueing ? REQUEUEING : shown;
        detail = detail == null && now.phase() == Phase.UP ? missingRights() : detail;
        return ControllerStatus.of(hosted.registration(), now.state(), detail, snapshot());
    }

    List<ShardStatus> shards() {
        return hosted.shards().stream().map(this::statusOf).toList();
    }

    private ShardStatus statusOf(ShardWork shard) {
        LeadershipStatus lease = shard.elector().status();
        ShardLife now = lifeOf(shard);
        String detail = isRequeueing(shard) ? REQUEUEING : now.detail();
        detail = detail == null ? waitsFor(shard) : detail;
        return new ShardStatus(
                shard.number(),
                lease.lease(),
                lease.holder(),
                lease.leading(),
                stateOf(shard),
                detail,
                hosted.sources().objects(shard.number()),
                lease.acquiredAt(),
                shard.moves(),
                lease.transitions());
    }

    /** What keeps this process from work that it does not do, null if it is nothing but the Lease. */
    private static @Nullable String waitsFor(ShardWork shard) {
        ShardLife now = shard.life();
        return now.detail() == null && now.phase() == ShardLife.Phase.STANDBY
                ? shard.agreement().disagreement()
                : now.detail();
    }

    /** Where a shard is in its life, with why its caches are not filled at this moment. */
    private ShardLife lifeOf(ShardWork shard) {
        ShardLife now = shard.life();
        ControllerLife whole = hosted.life();
        if (whole.isPaused()) {
            return now.paused();
        }
        if (whole.phase() == Phase.FAILED) {
            return ShardLife.in(now.phase(), whole.detail());
        }
        if (!now.filling()) {
            return now;
        }
        String problem = withCause(Objects.requireNonNull(now.detail()));
        return ShardLife.filling(problem, now.notReady() == null ? null : problem);
    }

    /** Whether what the caches hold of a shard that is worked on is still to be queued. */
    private boolean isRequeueing(ShardWork shard) {
        return shard.life().phase() == ShardLife.Phase.WORKING
                && hosted.runner().isRequeueing(shard.number());
    }

    ShardState stateOf(ShardWork shard) {
        LeaderElector elector = shard.elector();
        boolean working = shard.life().phase() == ShardLife.Phase.WORKING
                && !hosted.life().isPaused();
        ShardState seen = state(
                working,
                elector.isLeading(),
                elector.liveHolder(),
                elector.config().identity());
        // Where others work by another number of shards, nobody is to have it.
        return seen == ShardState.FREE && !shard.agreement().agrees() ? ShardState.ELSEWHERE : seen;
    }

    /** What operators are told of a shard, by what is done here and by who has the Lease. */
    static ShardState state(boolean working, boolean leading, @Nullable String holder, String me) {
        if (leading || me.equals(holder)) {
            return leading && working ? ShardState.WORKING : ShardState.WAITING;
        }
        return holder == null ? ShardState.FREE : ShardState.ELSEWHERE;
    }

    /** The numbers of the shards that this process works on, rising. */
    List<Integer> working() {
        return hosted.shards().stream()
                .filter(shard -> stateOf(shard) == ShardState.WORKING)
                .map(ShardWork::number)
                .toList();
    }

    /** On how many of its shards this process works, and why on none if others divide it in another way. */
    String ofShards() {
        int working = working().size();
        String ofAll = " of its " + hosted.shards().size() + " shards";
        if (working > 0) {
            return "works on " + working + ofAll;
        }
        String disagreement = hosted.shards().get(0).agreement().disagreement();
        return "works on none" + ofAll + (disagreement == null ? "" : ": " + disagreement);
    }
}
