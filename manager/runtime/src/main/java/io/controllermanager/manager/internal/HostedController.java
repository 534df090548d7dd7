package io.controllermanager.manager.internal;

import io.controllermanager.controller.internal.Controller;
import io.controllermanager.controller.internal.ControllerSnapshot;
import io.controllermanager.manager.internal.ControllerLife.Action;
import io.controllermanager.manager.internal.ControllerLife.Phase;
import io.controllermanager.manager.internal.ControllerLife.Wish;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * One controller from its start to its stop. The {@link HostLoop} has it take one {@link #step} after another on its thread,
 * which alone changes its {@link #life}; its work is done by its shards, each of which is a {@link ShardWork} and takes steps of
 * its own. What takes time runs on other threads and comes back as an event of the loop. Methods that only read may be called
 * by any thread.
 */
final class HostedController {

    private static final Logger log = LoggerFactory.getLogger(HostedController.class);

    private final ControllerRegistration registration;
    private final HostParts parts;
    private final HostLoop loop;
    private final List<Candidacy> candidacies;
    private final ControllerSources sources;
    private final ControllerRunner runner;
    private final List<ShardWork> shards;
    private final ControllerView view = new ControllerView(this);
    private final ControllerStart start;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private volatile ControllerLife life;

    /** Makes it; null once that is not waited for. Used by the loop's thread only. */
    private @Nullable Thread starter;

    /**
     * Starts nothing.
     *
     * @param candidacies by which its shards are worked on, by their numbers; before them, if it is divided, that of the anchor,
     *     which says how
     */
    HostedController(ControllerRegistration registration, HostParts parts, HostLoop loop, List<Candidacy> candidacies) {
        this.registration = registration;
        this.parts = parts;
        this.loop = loop;
        this.candidacies = candidacies;
        this.start = new ControllerStart(this, parts, loop);
        ControllerRunner own = registration.adapter().runner(reason -> loop.post(() -> fail(reason, null)));
        ShardRules.check(registration, own != null);
        String wrong = NamespaceRules.wrongBy(registration, parts.cluster().namespaces());
        if (wrong != null) {
            throw new IllegalStateException(wrong);
        }
        this.life = ControllerLife.first(registration.enabled());
        if (!registration.enabled()) {
            closed.complete(null);
        }
        this.sources = new ControllerSources(registration, parts, loop);
        this.runner = own != null ? own : new PooledRunner(registration, parts, loop, sources, this::lapsed);
        ShardReport report = new ShardReport(this, loop);
        List<Candidacy> ofShards = candidacies.subList(candidacies.size() > 1 ? 1 : 0, candidacies.size());
        this.shards = IntStream.range(0, ofShards.size())
                .mapToObj(shard -> new ShardWork(shard, this, parts, loop, ofShards.get(shard), report))
                .toList();
    }

    String name() {
        return registration.name();
    }

    ControllerRegistration registration() {
        return registration;
    }

    /** Its shards by their numbers, at least one. */
    List<ShardWork> shards() {
        return shards;
    }

    /** Its anchor's, if it is divided, and those by which its shards are worked on. */
    List<Candidacy> candidacies() {
        return candidacies;
    }

    boolean isDivided() {
        return shards.size() > 1;
    }

    ControllerView view() {
        return view;
    }

    /** What it reads from; nothing if it brings its own workers. */
    ControllerSources sources() {
        return sources;
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
    void compete() {
        life = life.competing();
    }

    /** Whether none of its reconciles runs any more, or they have been waited for long enough. */
    boolean hasEnded() {
        return shards.stream().allMatch(ShardWork::hasEnded);
    }

    /** Takes one step; returns whether there was one to take. */
    boolean step() {
        boolean ended = life.phase() == Phase.STOPPING
                && starter == null
                && hasEnded()
                && candidacies.stream().allMatch(Candidacy::isGone);
        Action action = ControllerLife.next(life.wish(), ended, life.phase());
        try {
            take(action);
        } catch (RuntimeException | Error e) {
            // The other controllers must still take their steps.
            starter = null;
            fail("could not go on: " + e, e);
        }
        return action != Action.NONE;
    }

    private void take(Action action) {
        switch (action) {
            case NONE -> {}
            case START -> {
                life = life.starting(ControllerState.WAITING_FOR_TYPE, "starting", "starting");
                starter = start.begin();
            }
            case STOP -> stop();
            case CLOSE -> close();
        }
    }

    /** It cannot be made, or cannot go on; does nothing once it is being stopped. */
    void fail(String problem, @Nullable Throwable cause) {
        if (stopped()) {
            return;
        }
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

    /** It has done its work, and can never do it again in this process. */
    void spent() {
        life = life.failed("was shut down because leadership was lost, and cannot be run again in this process");
    }

    /** Tries at once what waits, since the API server is there again. Any thread may call. */
    void retryNow() {
        start.retryNow();
        Controller pooled = runner.controller();
        if (pooled != null) {
            pooled.retryNow();
        }
        loop.post(sources.requeue()::pass);
    }

    /** A worker has closed a shard, since its Lease is not held for certain. */
    private void lapsed(int shard) {
        loop.post(shards().get(shard)::lapsed);
    }

    private void stop() {
        life = life.competing().in(Phase.STOPPING);
        Thread starting = starter;
        if (starting != null) {
            starting.interrupt();
            HostLoop.background("controller-manager-stop-" + name(), () -> {
                try {
                    starting.join(Math.max(1, parts.shutdownTimeout().toMillis()));
                } catch (InterruptedException e) {
                    // The host's own limit has passed.
                } finally {
                    loop.post(() -> starter = null);
                }
            });
        }
    }

    /** Waits no longer for what does not end; returns whether there is any such thing. */
    boolean leaveBehind() {
        boolean left = life.phase() == Phase.STOPPING && !(hasEnded() && starter == null);
        shards.forEach(ShardWork::leaveBehind);
        starter = null;
        return left;
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
            // What operators are shown stays.
            life = (life.phase() == Phase.UP ? view.shownLife() : life).wished(wish);
            return;
        }
        if (life.phase() != Phase.UP) {
            throw new IllegalStateException("controller \"" + name() + "\" is not up: " + shown());
        }
        Controller pooled = runner.controller();
        if (wish == Wish.PAUSE && pooled == null) {
            throw new IllegalStateException("it brings its own workers, which cannot be paused");
        }
        if (wish != life.wish()) {
            life = life.wished(wish);
            Objects.requireNonNull(pooled).pause(wish == Wish.PAUSE);
            tell(Level.INFO, wish == Wish.PAUSE ? "paused by an operator; keys go on queueing" : "resumed");
        }
    }

    /** Its state and what it waits for. */
    String shown() {
        ControllerLife now = view.shownLife();
        return now.state() + (now.detail() == null ? "" : ", " + now.detail());
    }

    /** Changes its life on its way up, and logs why if operators see a difference. */
    void become(ControllerLife next, String what) {
        ControllerLife before = life;
        life = next;
        if (before.state() != next.state() || !Objects.equals(before.detail(), next.detail())) {
            tell(Level.INFO, what);
        }
    }

    /** How many keys it reconciles at once, in brackets; empty if it brings its own workers. */
    String workers() {
        ControllerSnapshot work = view.snapshot();
        return work == null ? "" : " (" + work.workers() + ")";
    }

    /** Logs what it does. */
    void tell(Level level, String what) {
        say(level, ": " + what, null);
    }

    private void say(Level level, String what, @Nullable Throwable cause) {
        ControllerLife now = view.shownLife();
        var event = log.atLevel(level).setCause(cause).addKeyValue("controller", name());
        event = event.addKeyValue("state", now.state());
        if (now.detail() != null) {
            event = event.addKeyValue("detail", now.detail());
        }
        event.log("Controller {}{}", name(), what);
    }
}
