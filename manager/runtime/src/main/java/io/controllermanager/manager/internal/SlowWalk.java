package io.controllermanager.manager.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Has each key of a cache looked at once within an interval. A key has a period of its own, up to a fifth shorter than the
 * interval, and a place in it, both by its hash: so keys are spread evenly, and nothing is remembered of any. The way to the next
 * look at the cache is one task of the timer.
 */
final class SlowWalk implements Registration {

    private static final int STEPS = 1000;

    /** A step is not shorter than this: each goes through the whole cache. */
    private static final long SHORTEST = Duration.ofMillis(100).toNanos();

    private final long interval;
    private final long step;
    private final Clock clock;
    private final Timer timer;
    private final Supplier<Set<String>> keys;
    private final Consumer<List<String>> look;
    private final long startedAt;
    private long doneUntil;
    private volatile Timer.Cancellable next = () -> {};
    private volatile boolean closed;

    /**
     * Begins.
     *
     * @param keys those that the cache has; gone through on the timer's thread, which takes milliseconds where there are 100,000
     * @param look has some looked at; called on the timer's thread, so that it must have another do what may take longer
     */
    SlowWalk(Duration interval, Clock clock, Timer timer, Supplier<Set<String>> keys, Consumer<List<String>> look) {
        long whole = interval.toNanos();
        this.step = Math.max(whole / STEPS, SHORTEST);
        // What is due is looked at up to a step later.
        this.interval = Math.max(whole - step, step);
        this.clock = clock;
        this.timer = timer;
        this.keys = keys;
        this.look = look;
        this.startedAt = clock.nanoTime();
        schedule();
    }

    private void schedule() {
        next = timer.schedule(Duration.ofNanos(step), this::take);
        if (closed) {
            next.cancel();
        }
    }

    /** Takes one step. One that fails is made up for by the next. */
    private void take() {
        schedule();
        long to = clock.nanoTime() - startedAt;
        List<String> due = keys.get().stream()
                .filter(key -> isDue(key, doneUntil, to, interval))
                .toList();
        if (!due.isEmpty()) {
            look.accept(due);
        }
        doneUntil = to;
    }

    /** Whether a key is due after one time and until another, in nanoseconds since the walk began. */
    static boolean isDue(String key, long from, long to, long interval) {
        SplittableRandom same = new SplittableRandom(key.hashCode());
        long period = (long) (interval * same.nextDouble(0.8, 1));
        long phase = (long) (period * same.nextDouble());
        return Math.floorDiv(to + phase, period) > Math.floorDiv(from + phase, period);
    }

    @Override
    public void close() {
        closed = true;
        next.cancel();
    }
}
