package io.controllermanager.manager.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.informer.internal.store.Waiters;
import io.controllermanager.time.internal.Timer;
import io.controllermanager.workqueue.internal.Backoff;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * What the new holder of a shard's Lease waits for before it works: that nothing else forbids it, that its caches are filled, and
 * that they have what the last holder wrote, or that work would be done a second time. Used by the loop's thread; ends when
 * closed, without telling.
 */
final class CatchUp implements Registration {

    /** How long caches may be behind what was written: no watch tells of an object that this process may not see. */
    static final Duration LONGEST_BEHIND = Duration.ofSeconds(5);

    /** How soon an obstacle is looked at again: soon at first, since it may be a hand-over that is about to end. */
    private static final Backoff OBSTACLE_PERIODS = Backoff.exponential(Duration.ofMillis(50), Duration.ofSeconds(1));

    private final Candidacy.Term term;
    private final ShardWork work;
    private final HostedController controller;
    private final HostParts parts;
    private final HostLoop loop;
    private final Duration mostBehind;
    private final List<Registration> waits = new ArrayList<>();

    /** Whether it is asked what forbids to work, until nothing but the Lease decides. */
    private boolean asks;

    /** Why it may not work although it holds the Lease. */
    private @Nullable String obstacle;

    private int looks;

    private boolean filled;
    private @Nullable String late;

    /** What its caches may lack of what the last holder wrote; null while that is waited for. */
    private @Nullable Map<String, String> behind;

    private boolean over;

    /** Waits for nothing yet. */
    CatchUp(Candidacy.Term term, ShardWork work, HostParts parts, HostLoop loop) {
        this.term = term;
        this.work = work;
        this.controller = work.controller();
        this.parts = parts;
        this.loop = loop;
        this.mostBehind = LONGEST_BEHIND.minusNanos(parts.clock().nanoTime() - term.since());
        this.asks = work.agreement().mayHaveObstacle();
    }

    /** Waits until the caches are filled, then for what the last holder wrote. */
    CatchUp begin() {
        askForObstacle();
        if (!controller.sources().holds(work.number())) {
            filled();
        } else {
            show();
            later(controller.registration().options().cacheSyncTimeout(), this::isLate);
            waits.add(controller
                    .sources()
                    .whenFilled(work.number(), () -> loop.post(() -> work.attempt("begin", this::filled))));
        }
        return this;
    }

    private void later(Duration delay, Runnable then) {
        Timer.Cancellable alarm = loop.later(delay, () -> {
            if (!over) {
                then.run();
            }
        });
        waits.add(alarm::cancel);
    }

    private void isLate() {
        if (!filled) {
            late = controller.view().late("caches of shard " + work.number());
            show();
            work.say(Level.INFO, controller.view().withCause(late) + "; still trying");
        }
    }

    private void filled() {
        if (over) {
            return;
        }
        filled = true;
        show();
        Runnable told = () -> loop.post(() -> read(Map.of()));
        Function<Runnable, Registration> own =
                one -> controller.sources().whenPassed(work.number(), term.lastWritten(), one);
        waits.add(
                controller.registration().adapter().readsOtherInformers()
                        ? Waiters.all(List.of(own, one -> parts.cluster().whenPassed(term.lastWritten(), one)), told)
                        : own.apply(told));
        later(mostBehind, () -> read(term.lastWritten()));
    }

    private void show() {
        work.show(
                obstacle == null && !filled
                        ? ShardLife.filling(Objects.requireNonNullElse(late, "fills its caches"), late)
                        : ShardLife.in(ShardLife.Phase.CATCHING_UP, obstacle));
    }

    private void read(Map<String, String> lacking) {
        if (!over && behind == null) {
            behind = lacking;
            proceed();
        }
    }

    private void proceed() {
        if (!asks && behind != null) {
            close();
            work.caughtUp(behind);
        }
    }

    private void askForObstacle() {
        if (asks && !over) {
            HostLoop.background(
                    "controller-manager-obstacle-" + work.candidacy().lease(), () -> {
                        String answer = answer();
                        loop.post(() -> answered(answer));
                    });
        }
    }

    private @Nullable String answer() {
        try {
            return work.agreement().obstacle();
        } catch (Throwable e) {
            // Of any class: without an answer nothing would ever go on.
            return "whether others work by other Leases cannot be asked: " + FailureMessage.of(e);
        }
    }

    private void answered(@Nullable String found) {
        if (over) {
            return;
        }
        boolean first = found != null && obstacle == null;
        obstacle = found;
        show();
        if (first) {
            work.say(Level.WARN, "does not work although this process leads: " + found);
        }
        if (found == null) {
            asks = false;
            proceed();
        } else {
            looks++;
            loop.later(OBSTACLE_PERIODS.after(looks), this::askForObstacle);
        }
    }

    /** Ends the waiting, if it has not ended. */
    @Override
    public void close() {
        over = true;
        waits.forEach(Registration::close);
    }
}
