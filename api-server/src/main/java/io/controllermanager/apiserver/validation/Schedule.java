package io.controllermanager.apiserver.validation;

import static com.google.common.base.Preconditions.checkArgument;

import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * A schedule of cron's five fields, or {@code @yearly} to {@code @hourly} (robfig/cron, parser.go). {@code @every} is one as
 * well, but never comes.
 */
public final class Schedule {

    private static final Map<String, String> NAMED = Map.of(
            "@yearly", "0 0 1 1 *",
            "@annually", "0 0 1 1 *",
            "@monthly", "0 0 1 * *",
            "@weekly", "0 0 * * 0",
            "@daily", "0 0 * * *",
            "@midnight", "0 0 * * *",
            "@hourly", "0 * * * *");

    private static final String DURATION = "[-+]?(0|(([0-9]+\\.?[0-9]*|\\.[0-9]+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h))+)";

    private static final List<String> NAMES =
            List.of("-", "-", "-", "- jan feb mar apr may jun jul aug sep oct nov dec", "sun mon tue wed thu fri sat");

    private static final int[] LEAST = {0, 0, 1, 1, 0};
    private static final int[] MOST = {59, 23, 31, 12, 6};

    /** Above the values of a field: whether all of them are meant. */
    private static final int STAR = 63;

    private final List<BitSet> fields = new ArrayList<>();

    private Schedule(String text) {
        String[] given = text.strip().split("\\s+", -1);
        String all = String.join(" ", given);
        checkArgument(given.length == LEAST.length, "expected exactly 5 fields, found %s: [%s]", given.length, all);
        for (int i = 0; i < given.length; i++) {
            BitSet values = new BitSet();
            for (String part : given[i].split(",", -1)) {
                if (!part.isEmpty()) {
                    add(part, i, values);
                }
            }
            fields.add(values);
        }
    }

    /** Reads one; throws an IllegalArgumentException that says why for what is none. */
    public static Schedule of(String text) {
        if (text.startsWith("@every ")) {
            checkArgument(text.substring(7).matches(DURATION), "failed to parse duration " + text);
            return new Schedule(", , , , ,");
        }
        checkArgument(!text.startsWith("@") || NAMED.containsKey(text), "unrecognized descriptor: " + text);
        return new Schedule(NAMED.getOrDefault(text, text));
    }

    /** Adds the values of a range, such as {@code 5}, {@code 1-5}, or {@code 1-5/2}. */
    private static void add(String range, int field, BitSet values) {
        String[] steps = range.split("/", -1);
        String[] ends = steps[0].split("-", -1);
        boolean star = ends[0].matches("[*?]");
        checkArgument(steps.length <= 2, "too many slashes: " + range);
        checkArgument(star || ends.length <= 2, "too many hyphens: " + range);
        int begin = star ? LEAST[field] : number(ends[0], field);
        int last = star || steps.length > 1 ? MOST[field] : begin;
        int end = star || ends.length == 1 ? last : number(ends[1], field);
        int step = steps.length == 1 ? 1 : number(steps[1], 0);
        checkArgument(begin >= LEAST[field], "beginning of range (" + begin + ") below minimum: " + range);
        checkArgument(end <= MOST[field], "end of range (" + end + ") above maximum: " + range);
        checkArgument(begin <= end, "beginning of range (" + begin + ") beyond end of range (" + end + "): " + range);
        checkArgument(step > 0, "step of range should be a positive number: " + range);
        IntStream.rangeClosed(begin, end).filter(i -> (i - begin) % step == 0).forEach(values::set);
        values.set(STAR, values.get(STAR) || (star && step == 1));
    }

    private static int number(String text, int field) {
        int name = List.of(NAMES.get(field).split(" ", -1)).indexOf(text.toLowerCase(Locale.ROOT));
        checkArgument(name >= 0 || text.matches("\\+?[0-9]{1,9}"), "failed to parse int from " + text);
        return name >= 0 ? name : Integer.parseInt(text);
    }

    /** The first time after another; {@link Instant#MAX} if there is none within five years. */
    public Instant next(Instant after, ZoneId zone) {
        ZonedDateTime time = after.atZone(zone).truncatedTo(ChronoUnit.MINUTES).plusMinutes(1);
        for (ZonedDateTime end = time.plusYears(5); time.isBefore(end); ) {
            boolean ofMonth = fields.get(2).get(time.getDayOfMonth());
            boolean ofWeek = fields.get(4).get(time.getDayOfWeek().getValue() % 7);
            // Where both kinds of days are given, one is enough.
            boolean star = fields.get(2).get(STAR) || fields.get(4).get(STAR);
            boolean fits = star ? ofMonth && ofWeek : ofMonth || ofWeek;
            if (!fits || !fields.get(3).get(time.getMonthValue())) {
                time = time.truncatedTo(ChronoUnit.DAYS).plusDays(1);
            } else if (fields.get(1).get(time.getHour()) && fields.get(0).get(time.getMinute())) {
                return time.toInstant();
            } else {
                time = time.plusMinutes(1);
            }
        }
        return Instant.MAX;
    }
}
