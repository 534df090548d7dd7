package io.controllermanager.apiserver.world;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.Month;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;

/** Schedules of cron's five fields, or {@code @yearly} to {@code @hourly} (robfig/cron, parser.go). */
final class Schedule {

    private static final Map<String, String> NAMED = Map.of(
            "@yearly",
            "0 0 1 1 *",
            "@annually",
            "0 0 1 1 *",
            "@monthly",
            "0 0 1 * *",
            "@weekly",
            "0 0 * * 0",
            "@daily",
            "0 0 * * *",
            "@midnight",
            "0 0 * * *",
            "@hourly",
            "0 * * * *");

    private Schedule() {}

    /**
     * The first time after another; {@link Instant#MAX} if there is none within five years.
     *
     * @throws RuntimeException for what is no schedule
     */
    static Instant next(String schedule, Instant after, ZoneId zone) {
        String[] fields = inNumbers(NAMED.getOrDefault(schedule, schedule)).split(" +", -1);
        ZonedDateTime time = after.atZone(zone).truncatedTo(ChronoUnit.MINUTES).plusMinutes(1);
        for (ZonedDateTime end = time.plusYears(5); time.isBefore(end); ) {
            boolean ofMonth = has(fields[2], time.getDayOfMonth(), 1);
            boolean ofWeek = has(fields[4], time.getDayOfWeek().getValue() % 7, 0);
            // Where both kinds of days are given, one is enough.
            boolean fits = (fields[2] + fields[4]).matches("[^*?]+") ? ofMonth || ofWeek : ofMonth && ofWeek;
            if (!fits || !has(fields[3], time.getMonthValue(), 1)) {
                time = time.truncatedTo(ChronoUnit.DAYS).plusDays(1);
            } else if (has(fields[1], time.getHour(), 0) && has(fields[0], time.getMinute(), 0)) {
                return time.toInstant();
            } else {
                time = time.plusMinutes(1);
            }
        }
        return Instant.MAX;
    }

    /** With numbers for the names of months and days, such as {@code MON}. */
    private static String inNumbers(String schedule) {
        String text = schedule.toUpperCase(Locale.ROOT);
        for (Month month : Month.values()) {
            text = text.replace(month.name().substring(0, 3), String.valueOf(month.getValue()));
        }
        for (DayOfWeek day : DayOfWeek.values()) {
            text = text.replace(day.name().substring(0, 3), String.valueOf(day.getValue() % 7));
        }
        return text;
    }

    private static boolean has(String field, int value, int first) {
        boolean has = false;
        for (String part : field.split(",", -1)) {
            String[] steps = part.split("/", 2);
            String[] ends = steps[0].replaceFirst("^[*?]$", first + "-" + value).split("-", 2);
            int begin = Integer.parseInt(ends[0]);
            int last = steps.length > 1 ? value : begin;
            int end = ends.length > 1 ? Integer.parseInt(ends[1]) : last;
            int step = steps.length > 1 ? Integer.parseInt(steps[1]) : 1;
            has |= value >= begin && value <= end && (value - begin) % step == 0;
        }
        return has;
    }
}
