package io.controllermanager.time.internal;

import io.controllermanager.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * A clock and a timer for tests, those of controllers too: time stands still until a test moves it. Tasks run on the
 * thread that calls {@link #advance}, in the order of their time and, at the same time, in the order in which they were scheduled; each
 * task sees the clock at its own due time, and may schedule further tasks, which run in the same call when they are
 * due. A delay of zero or less is due at once but runs only in the next {@link #advance} (or {@link #runDue}), never
 * inside {@code schedule}. What a task throws goes to the caller of {@code advance}, so that no test overlooks it.
 *
 * <p>Safe for use by several threads; {@code advance} must be called by one at a time, and not by a task.
 */
public final class VirtualTime implements Clock, Timer {

    /** The wall clock's time when a test begins. */
    public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::due).thenComparingLong(Task::number));

    // Not zero, so that code which takes zero for "not set" or compares without regard to overflow is found out.
    private long nanos = Long.MAX_VALUE - Duration.ofMinutes(1).toNanos();
    private long elapsed;
    private Duration wallClockOffset = Duration.ZERO;
    private long sequence;

    @Override
    public synchronized long nanoTime() {
        return nanos + elapsed;
    }

    @Override
    public synchronized Instant now() {
        return START.plusNanos(elapsed).plus(wallClockOffset);
    }

    @Override
    public synchronized Cancellable schedule(Duration delay, Runnable task) {
        Task scheduled = new Task(elapsed + Math.max(0, toNanos(delay)), delay, sequence++, task);
        tasks.add(scheduled);
        return () -> cancel(scheduled);
    }

    /** Moves time forward and runs what falls due on the way. */
    public void advance(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("duration must not be negative, but is " + duration);
        }
        long until;
        synchronized (this) {
            until = elapsed + duration.toNanos();
        }
        for (Task task = nextDue(until); task != null; task = nextDue(until)) {
            task.action.run();
        }
        synchronized (this) {
            elapsed = until;
        }
    }

    /** Runs what is due now without moving time. */
    public void runDue() {
        advance(Duration.ZERO);
    }

    /**
     * Moves time forward to the next task and runs all that is due then.
     *
     * @return whether there was one
     */
    public boolean advanceToNextTask() {
        Duration next = untilNextTask();
        if (next == null) {
            return false;
        }
        advance(next);
        return true;
    }

    /** How long until the next task is due, null if there is none. */
    public synchronized @Nullable Duration untilNextTask() {
        Task next = tasks.peek();
        return next == null ? null : Duration.ofNanos(next.due - elapsed);
    }

    /** Sets the wall clock forward or back without a moment passing on the monotonic clock. */
    public synchronized void shiftWallClock(Duration by) {
        wallClockOffset = wallClockOffset.plus(by);
    }

    /** How many tasks have been scheduled and neither run nor been cancelled. */
    public synchronized int scheduledTasks() {
        return tasks.size();
    }

    /** When the tasks are due, counted from now, the earliest first. */
    public synchronized List<Duration> scheduledDelays() {
        return tasks.stream()
                .sorted(tasks.comparator())
                .map(task -> Duration.ofNanos(task.due - elapsed))
                .toList();
    }

    /** For how long the tasks were scheduled, which tells what they are for. */
    public synchronized List<Duration> scheduledFor() {
        return tasks.stream().map(task -> task.delay).toList();
    }

    private synchronized @Nullable Task nextDue(long until) {
        Task next = tasks.peek();
        if (next == null || next.due > until) {
            return null;
        }
        tasks.poll();
        elapsed = Math.max(elapsed, next.due);
        return next;
    }

    private synchronized void cancel(Task task) {
        tasks.remove(task);
    }

    private static long toNanos(Duration delay) {
        try {
            return delay.toNanos();
        } catch (ArithmeticException tooLong) {
            return Long.MAX_VALUE / 4;
        }
    }

    /** A task and when it runs. No other has its number, so that cancelling takes back this one. */
    private record Task(long due, Duration delay, long number, Runnable action) {}
}
