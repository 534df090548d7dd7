package io.controllermanager.schedule;

import com.cronutils.model.definition.CronDefinition;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The times of a cron expression in a zone. The library tells the times on a clock that is never set; what a shift of the zone's
 * clock makes of them is decided here, in the manner of Vixie's cron:
 *
 * <ul>
 *   <li>A time that a shift leaves out is at the shift; several of them are one.
 *   <li>A time that there is twice is the first of both.
 *   <li>Where the hour is {@code *}, time goes on as if there were no shift: none is lost, and the hour that there is twice has
 *       its times twice.
 * </ul>
 */
final class CronTimes implements Times {

    /** As the API server reads CronJobs (robfig/cron, parser.go): Sunday is 0 and not 7. */
    private static final CronDefinition DEFINITION = CronDefinitionBuilder.defineCron()
            .withMinutes()
            .withStrictRange()
            .and()
            .withHours()
            .withStrictRange()
            .and()
            .withDayOfMonth()
            .withStrictRange()
            .and()
            .withMonth()
            .withStrictRange()
            .and()
            .withDayOfWeek()
            .withValidRange(0, 6)
            .withMondayDoWValue(1)
            .withStrictRange()
            .and()
            .instance();

    /** The words that the API server reads in them. */
    private static final Map<String, String> WORDS = Map.of(
            "@yearly", "0 0 1 1 *",
            "@annually", "0 0 1 1 *",
            "@monthly", "0 0 1 * *",
            "@weekly", "0 0 * * 0",
            "@daily", "0 0 * * *",
            "@midnight", "0 0 * * *",
            "@hourly", "0 * * * *");

    private final ExecutionTime times;
    private final ZoneRules rules;
    private final boolean eachHour;

    private CronTimes(ExecutionTime times, ZoneRules rules, boolean eachHour) {
        this.times = times;
        this.rules = rules;
        this.eachHour = eachHour;
    }

    /**
     * Reads an expression.
     *
     * @throws IllegalArgumentException for what is none
     */
    static CronTimes of(String expression, ZoneId zone) {
        String[] fields =
                WORDS.getOrDefault(expression.strip(), expression.strip()).split("\\s+", -1);
        if (!Arrays.stream(fields).allMatch(field -> field.matches("[\\w*?/,-]+"))) {
            throw refused(expression, "it is not five fields of numbers, names, ranges and steps");
        }
        String[] plain = Arrays.stream(fields).map(CronTimes::plain).toArray(String[]::new);
        try {
            ExecutionTime times = ExecutionTime.forCron(new CronParser(DEFINITION).parse(String.join(" ", plain)));
            return new CronTimes(times, zone.getRules(), plain[1].equals("*"));
        } catch (IllegalArgumentException e) {
            throw refused(expression, String.valueOf(e.getMessage()));
        }
    }

    private static IllegalArgumentException refused(String expression, String why) {
        return new IllegalArgumentException("\"" + expression + "\" is no cron expression: " + why);
    }

    /** A field as the library reads it: a question mark is a star, and what holds a star is one. */
    private static String plain(String field) {
        String starred = field.replace('?', '*');
        return Arrays.stream(starred.split(",", -1)).anyMatch(part -> part.matches("\\*(/1)?")) ? "*" : starred;
    }

    @Override
    public @Nullable Instant next(Instant created, Instant after) {
        return eachHour ? byElapsedTime(after) : byWallClock(after);
    }

    /** A time in a gap is its end, and one that there is twice is the first: so later times are no earlier instants. */
    private @Nullable Instant byWallClock(Instant after) {
        LocalDateTime local = nextLocal(LocalDateTime.ofInstant(after, rules.getOffset(after)));
        while (local != null && !instant(local).isAfter(after)) {
            local = nextLocal(local);
        }
        return local == null ? null : instant(local);
    }

    private Instant instant(LocalDateTime local) {
        ZoneOffsetTransition shift = rules.getTransition(local);
        return shift != null && shift.isGap() ? shift.getInstant() : local.toInstant(rules.getOffset(local));
    }

    /** The next time by the offset that holds now, or else by the one from the shift on. */
    private @Nullable Instant byElapsedTime(Instant after) {
        LocalDateTime local = nextLocal(LocalDateTime.ofInstant(after, rules.getOffset(after)));
        ZoneOffset offset = rules.getOffset(after);
        ZoneOffsetTransition shift = rules.nextTransition(after);
        while (local != null && shift != null && !local.toInstant(offset).isBefore(shift.getInstant())) {
            local = nextLocal(shift.getDateTimeAfter().minusNanos(1));
            offset = shift.getOffsetAfter();
            shift = rules.nextTransition(shift.getInstant());
        }
        return local == null ? null : local.toInstant(offset);
    }

    private @Nullable LocalDateTime nextLocal(LocalDateTime after) {
        return times.nextExecution(after.atZone(ZoneOffset.UTC))
                .map(ZonedDateTime::toLocalDateTime)
                .orElse(null);
    }
}
