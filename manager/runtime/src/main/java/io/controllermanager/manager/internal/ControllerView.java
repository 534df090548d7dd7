package io.controllermanager.manager.internal;

import io.controllermanager.client.internal.Obstacle;
import io.controllermanager.controller.internal.Controller;
import io.controllermanager.controller.internal.ControllerSnapshot;
import io.controllermanager.controller.internal.Keys;
import io.controllermanager.manager.internal.ControllerLife.Phase;
import io.controllermanager.manager.internal.ControllerLife.Wish;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.function.Function;
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
        if (!ours.shards().isOpen(shard)) {
            throw new IllegalStateException("controller \"" + hosted.name() + "\" does not work on "
                    + (shard < 0 ? "the shard" : "shard " + shard) + " of " + Keys.shown(key) + " in this process");
        }
        if (!hosted.runner().mayHold(key)) {
            throw new NoSuchElementException(
                    "controller \"" + hosted.name() + "\" has no object " + Keys.shown(key) + " in its cache");
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
        ControllerLife now = hosted.life();
        List<Obstacle> obstacles = now.phase().isStarting() || now.phase().isUp() ? obstacles() : List.of();
        if (now.state() == ControllerState.WAITING_FOR_CACHES && !obstacles.isEmpty()) {
            String problem = notSynced(Objects.requireNonNullElse(now.notReady(), NOT_SYNCED));
            return now.starting(now.state(), problem, problem);
        }
        List<Obstacle> gone = obstacles.stream().filter(Obstacle::isNotServed).toList();
        if (now.phase().isUp() && now.wish() == Wish.RUN && !gone.isEmpty()) {
            boolean accepted = hosted.registration().options().readyWithoutType();
            return now.starting(ControllerState.WAITING_FOR_TYPE, accepted ? null : words(gone), words(gone));
        }
        boolean works = hosted.shards().isEmpty()
                || now.state() != ControllerState.RUNNING
                || hosted.shards().stream().anyMatch(shard -> shard.life().phase() == Phase.WORKING);
        return works ? now : now.idle(now.phase(), ShardReport.of(hosted.shards()));
    }

    /** What is said of caches that are not filled, and why they are not. */
    String notSynced(String said) {
        String why = words(obstacles());
        return why == null ? said : said + ": " + why;
    }

    private List<Obstacle> obstacles() {
        return hosted.runner().informers().stream()
                .flatMap(informer -> informer.obstacles().stream())
                .toList();
    }

    private static @Nullable String words(List<Obstacle> obstacles) {
        return obstacles.isEmpty()
                ? null
                : obstacles.stream().map(Obstacle::toString).collect(Collectors.joining("; "));
    }

    /** Why it does not do all its work, since a right is missing; null if none is, or it does none at all. */
    @Nullable
    String missingRights() {
        return hosted.stopped() || hosted.life().phase() == Phase.FAILED
                ? null
                : words(obstacles().stream().filter(Obstacle::isForbidden).toList());
    }

    /** Why the process is not ready because of it, null if it is. */
    @Nullable
    String notReady() {
        return Stream.concat(Stream.of(shownLife()), hosted.shards().stream().map(ShardWork::life))
                .map(ControllerLife::notReady)
                .filter(Objects::nonNull)
                .findFirst()
                .orElseGet(this::missingRights);
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
