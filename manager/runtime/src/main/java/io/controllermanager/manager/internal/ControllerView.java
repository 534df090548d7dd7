package io.controllermanager.manager.internal;

import io.controllermanager.client.internal.Keys;
import io.controllermanager.client.internal.Obstacle;
import io.controllermanager.controller.internal.Controller;
import io.controllermanager.controller.internal.ControllerSnapshot;
import io.controllermanager.manager.internal.ControllerLife.Phase;
import io.controllermanager.manager.internal.ControllerLife.Wish;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** What operators see of a controller, and what it does for them at once. Nothing here changes its life; any thread may call. */
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
        hosted.tell(Level.INFO, "number of workers changed to " + workers, null);
    }

    /** Has every object looked at once more, if it works. */
    void resync() {
        if (hosted.life().state() == ControllerState.RUNNING) {
            hosted.runner().resync();
        }
    }

    void reconcileNow(Request key) {
        hosted.registration().descriptor().checkKey(key);
        Controller ours = controller();
        int shard = ours.shards().of(key);
        if (shard < 0 && hosted.shards().isEmpty()) {
            throw new IllegalStateException(
                    withCause("controller \"" + hosted.name() + "\" does not work in namespace \"" + key.getNamespace()
                            + "\", since something there may not be read"));
        }
        if (!ours.shards().isOpen(shard)) {
            throw new IllegalStateException("controller \"" + hosted.name() + "\" does not work on "
                    + (shard < 0 ? "the shard" : "shard " + shard) + " of " + Keys.shown(key) + " in this process");
        }
        String lack = hosted.runner().lackOf(key);
        if (lack != null) {
            throw new NoSuchElementException("controller \"" + hosted.name() + "\" " + lack);
        }
        ours.reconcileNow(key);
        log.atInfo()
                .addKeyValue("controller", hosted.name())
                .addKeyValue("namespace", key.getNamespace())
                .addKeyValue("name", key.getName())
                .log("Controller {}: a reconcile of {} was asked for", hosted.name(), Keys.shown(key));
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

    /** Where it is in its life, for operators: one that is divided runs while it works on any shard. */
    ControllerLife shownLife() {
        ControllerLife now = live(hosted.life());
        String gone = now.phase().isUp() && now.wish() == Wish.RUN ? inTheWay(Obstacle::isNotServed) : null;
        if (gone != null) {
            boolean accepted = hosted.registration().options().readyWithoutType();
            return now.starting(ControllerState.WAITING_FOR_TYPE, accepted ? null : gone, gone);
        }
        boolean works = hosted.shards().isEmpty()
                || now.state() != ControllerState.RUNNING
                || hosted.shards().stream().anyMatch(shard -> shard.life().phase() == Phase.WORKING);
        return works ? now : now.idle(now.phase(), ShardReport.of(hosted.shards()));
    }

    /** Its life, or that of a shard, with why its caches are not filled at this moment. */
    ControllerLife live(ControllerLife now) {
        String why = now.state() == ControllerState.WAITING_FOR_CACHES ? inTheWay(obstacle -> true) : null;
        if (why == null) {
            return now;
        }
        String problem = Objects.requireNonNullElse(now.detail(), NOT_SYNCED) + ": " + why;
        return now.starting(now.state(), now.notReady() == null ? null : problem, problem);
    }

    /** What is said of caches that are not filled within the time limit. */
    String late(String caches) {
        return caches + " are not synced after "
                + hosted.registration().options().cacheSyncTimeout().toSeconds() + " s";
    }

    /** A sentence, and what is in the way of its caches at this moment. */
    String withCause(String said) {
        String why = inTheWay(obstacle -> true);
        return why == null ? said : said + ": " + why;
    }

    private @Nullable String inTheWay(Predicate<Obstacle> which) {
        String all = hosted.runner().informers().stream()
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
        return Stream.concat(Stream.of(shownLife()), hosted.shards().stream().map(ShardWork::shownLife))
                .filter(life -> !(withoutRights && lacksOnlyRights(life)))
                .map(ControllerLife::notReady)
                .filter(Objects::nonNull)
                .findFirst()
                .orElseGet(() -> withoutRights ? null : missingRights());
    }

    private boolean lacksOnlyRights(ControllerLife life) {
        return life.state() == ControllerState.WAITING_FOR_CACHES
                && life.phase() != Phase.STARTING
                && missingRights() != null
                && hosted.runner().informers().stream().allMatch(NamespaceRules::lacksOnlyRights);
    }

    ControllerStatus status() {
        // In this order: the runner tells what it queues once the life says that it works.
        ControllerLife now = shownLife();
        boolean requeueing = now.state() == ControllerState.RUNNING
                && (hosted.runner().isRequeueing() || hosted.shards().stream().anyMatch(ShardWork::isRequeueing));
        boolean divided =
                now.state() == ControllerState.RUNNING && !hosted.shards().isEmpty();
        String detail = requeueing ? REQUEUEING : divided ? ShardReport.of(hosted.shards()) : now.detail();
        detail = detail == null && now.phase().isUp() ? missingRights() : detail;
        return ControllerStatus.of(hosted.registration(), now.state(), detail, snapshot());
    }
}
