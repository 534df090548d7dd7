package io.controllermanager.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * When something is to be done again and again, and what becomes of slots that were missed. Immutable:
 *
 * <pre>{@code
 * Schedule.cron("0 2 * * *", ZoneId.of("Europe/Berlin")).missed(Missed.SKIP)
 * }</pre>
 */
public final class Schedule {

    /** Of how many missed slots each is run under {@link Missed#ALL}; it is the number that CronJobs warn of. */
    public static final int MOST_CAUGHT_UP = 100;

    private static final Duration SLOTS_APART = Duration.ofMinutes(1);
    private static final Duration GRACE = Duration.ofMinutes(1);

    private final String text;
    private final Times times;
    private final Missed missed;
    private final Duration grace;
    private final boolean atMostOnce;

    private Schedule(String text, Times times, Missed missed, Duration grace, boolean atMostOnce) {
        this.text = text;
        this.times = times;
        this.missed = missed;
        this.grace = grace;
        this.atMostOnce = atMostOnce;
    }

    /**
     * By a cron expression, as CronJobs have them: minute, hour, day of the month, month and day of the week, or {@code @daily}
     * and its like. Where both kinds of days are given, one is enough. Where the zone's clock is set forward, a slot that is left
     * out comes at that moment; where it is set back, a slot that there is twice comes the first time. With {@code *} as its
     * hour a schedule goes on through both as if there were none. (A CronJob leaves the first slot out and runs the second twice.)
     *
     * @throws IllegalArgumentException for what is no such expression
     */
    public static Schedule cron(String expression, ZoneId zone) {
        return new Schedule(
                expression.strip() + " " + zone.getId(), CronTimes.of(expression, zone), Missed.ONCE, GRACE, false);
    }

    /**
     * Every so often, counted from when the object was created, so that many objects do not come all at once.
     *
     * @param interval whole seconds, a minute or more
     * @throws IllegalArgumentException for other intervals
     */
    public static Schedule every(Duration interval) {
        return new Schedule("every " + interval, new Interval(interval), Missed.ONCE, GRACE, false);
    }

    /** The same with another word for missed slots; {@link Missed#ONCE} unless given. */
    public Schedule missed(Missed newMissed) {
        return new Schedule(text, times, newMissed, grace, atMostOnce);
    }

    /**
     * As {@link Missed#SKIP}, with how late a slot may be run; a minute unless given, which is longer than a fail-over takes.
     *
     * @throws IllegalArgumentException unless it is positive
     */
    public Schedule skipAfter(Duration newGrace) {
        if (newGrace.isZero() || newGrace.isNegative()) {
            throw new IllegalArgumentException("a schedule's grace must be positive, but is " + newGrace);
        }
        return new Schedule(text, times, Missed.SKIP, newGrace, atMostOnce);
    }

    /**
     * Stores that a slot is run before its action runs rather than after it. The slot is lost if the action fails or the process
     * ends just then. Without it the action runs again, which does no harm where it makes an object that has the slot in its name.
     */
    public Schedule atMostOnce() {
        return new Schedule(text, times, missed, grace, true);
    }

    /** Whether {@link #atMostOnce} was said. */
    public boolean isAtMostOnce() {
        return atMostOnce;
    }

    /**
     * The first slot after a time, null if there is none.
     *
     * @param created when the object was created
     */
    public @Nullable Slot next(Instant created, Instant after) {
        Instant next = times.next(created, after);
        return next == null ? null : new Slot(next);
    }

    /**
     * The slots that are to be run now, the oldest first.
     *
     * @param created when the object was created
     * @param last slots after this time count
     */
    public List<Slot> due(Instant created, Instant last, Instant now) {
        int most = missed == Missed.ALL ? MOST_CAUGHT_UP : 1;
        Deque<Slot> due = new ArrayDeque<>();
        Instant slot = newest(created, last, now);
        while (slot != null && due.size() < most) {
            due.addFirst(new Slot(slot));
            slot = newest(created, last, slot.minusNanos(1));
        }
        Instant oldest = now.minus(grace);
        return due.stream()
                .filter(one -> missed != Missed.SKIP || !one.time().isBefore(oldest))
                .toList();
    }

    /** The newest time after one and not after another, by halves: there may be many, and only what follows is told quickly. */
    private @Nullable Instant newest(Instant created, Instant after, Instant until) {
        Instant low = firstWithin(created, after, until);
        if (low == null || firstWithin(created, low, until) == null) {
            return low;
        }
        Instant high = until;
        while (Duration.between(low, high).compareTo(SLOTS_APART) >= 0) {
            Instant middle = low.plus(Duration.between(low, high).dividedBy(2));
            Instant found = firstWithin(created, middle, until);
            if (found == null) {
                high = middle;
            } else {
                low = found;
            }
        }
        return low;
    }

    private @Nullable Instant firstWithin(Instant created, Instant after, Instant until) {
        Instant next = times.next(created, after);
        return next == null || next.isAfter(until) ? null : next;
    }

    /** What tells it from others in a stored record: its times, and not what becomes of missed ones. */
    @Override
    public String toString() {
        return text;
    }
}
