package io.controllermanager.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
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

    /** How late a slot is run under {@link Missed#SKIP}: longer than a fail-over takes. */
    private static final Duration GRACE = Duration.ofMinutes(1);

    private final String text;
    private final Times times;
    private final Missed missed;
    private final boolean atMostOnce;

    private Schedule(String text, Times times, Missed missed, boolean atMostOnce) {
        this.text = text;
        this.times = times;
        this.missed = missed;
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
                expression.strip() + " " + zone.getId(), CronTimes.of(expression, zone), Missed.ONCE, false);
    }

    /**
     * Every so often, counted from when the object was created, so that many objects do not come all at once.
     *
     * @param interval whole seconds, a minute or more
     * @throws IllegalArgumentException for other intervals
     */
    public static Schedule every(Duration interval) {
        if (interval.compareTo(SLOTS_APART) < 0 || !interval.equals(Duration.ofSeconds(interval.toSeconds()))) {
            throw new IllegalArgumentException(
                    "a schedule's interval must be whole seconds, and a minute or more, but is " + interval);
        }
        Times times = (created, after) -> {
            long passed = Math.max(0, Duration.between(created, after).dividedBy(interval));
            return created.plus(interval.multipliedBy(passed + 1));
        };
        return new Schedule("every " + interval, times, Missed.ONCE, false);
    }

    /** The same with another word for missed slots; {@link Missed#ONCE} unless given. */
    public Schedule missed(Missed newMissed) {
        return new Schedule(text, times, newMissed, atMostOnce);
    }

    /**
     * Stores that a slot is run before its action runs rather than after it. The slot is lost if the action fails or the process
     * ends just then. Without it the action runs again, which does no harm where it makes an object that has the slot in its name.
     */
    public Schedule atMostOnce() {
        return new Schedule(text, times, missed, true);
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
        List<Slot> found = List.of();
        Instant first = times.next(created, last);
        // There may be many: those of long ago are not counted.
        Instant from = first == null || first.isAfter(now) ? last : now;
        for (Duration back = SLOTS_APART; found.size() < most && from.isAfter(last); back = back.multipliedBy(2)) {
            Duration all = Duration.between(last, now);
            from = now.minus(back.compareTo(all) < 0 ? back : all);
            found = slots(created, from, now);
        }
        Instant oldest = now.minus(GRACE);
        return found.stream()
                .skip(Math.max(0, found.size() - most))
                .filter(slot -> missed != Missed.SKIP || !slot.time().isBefore(oldest))
                .toList();
    }

    private List<Slot> slots(Instant created, Instant after, Instant until) {
        List<Slot> slots = new ArrayList<>();
        Instant time = times.next(created, after);
        while (time != null && !time.isAfter(until)) {
            slots.add(new Slot(time));
            time = times.next(created, time);
        }
        return slots;
    }

    /** What tells it from others in a stored record: its times, and not what becomes of missed ones. */
    @Override
    public String toString() {
        return text;
    }
}
