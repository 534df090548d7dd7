package io.controllermanager.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class CronTimesTest {

    /** In Berlin the clock is set from 2:00 to 3:00 on 29 March 2026, and from 3:00 to 2:00 on 25 October. */
    @ParameterizedTest(name = "{0} in {1} after {2}")
    @CsvSource(delimiter = '|', textBlock = """
            # Fields, names, ranges, steps and macros
            0 2 * * *        | Europe/Berlin | 2026-01-01T01:00:00Z | 2026-01-02T01:00:00Z 2026-01-03T01:00:00Z
            0 2 * * *        | UTC           | 2026-01-01T01:59:59Z | 2026-01-01T02:00:00Z 2026-01-02T02:00:00Z
            5/20 0 ? * ?     | UTC           | 2026-01-01T00:00:00Z | 2026-01-01T00:05:00Z 2026-01-01T00:25:00Z
            0 0 1 jan,JUL *  | UTC           | 2026-01-01T00:00:00Z | 2026-07-01T00:00:00Z 2027-01-01T00:00:00Z
            0 0 * * MON-tue  | UTC           | 2026-01-01T00:00:00Z | 2026-01-05T00:00:00Z 2026-01-06T00:00:00Z
            @daily           | UTC           | 2026-01-01T00:00:00Z | 2026-01-02T00:00:00Z 2026-01-03T00:00:00Z
            @midnight        | UTC           | 2026-01-01T00:00:00Z | 2026-01-02T00:00:00Z 2026-01-03T00:00:00Z
            @hourly          | UTC           | 2026-01-01T00:00:00Z | 2026-01-01T01:00:00Z 2026-01-01T02:00:00Z
            @weekly          | UTC           | 2026-01-01T00:00:00Z | 2026-01-04T00:00:00Z 2026-01-11T00:00:00Z
            @monthly         | UTC           | 2026-01-01T00:00:00Z | 2026-02-01T00:00:00Z 2026-03-01T00:00:00Z
            @yearly          | UTC           | 2026-01-01T00:00:00Z | 2027-01-01T00:00:00Z 2028-01-01T00:00:00Z
            @annually        | UTC           | 2026-01-01T00:00:00Z | 2027-01-01T00:00:00Z 2028-01-01T00:00:00Z
            0 0 29 2 *       | UTC           | 2026-01-01T00:00:00Z | 2028-02-29T00:00:00Z 2032-02-29T00:00:00Z
            0 0 30 2 *       | UTC           | 2026-01-01T00:00:00Z | never never
            # One kind of day is enough where both are given
            0 0 13 * FRI     | UTC           | 2026-01-08T00:00:00Z | 2026-01-09T00:00:00Z 2026-01-13T00:00:00Z
            0 0 13 * */1     | UTC           | 2026-01-08T00:00:00Z | 2026-01-13T00:00:00Z 2026-02-13T00:00:00Z
            # A time that is left out comes at the shift, several together
            30 2 * * *       | Europe/Berlin | 2026-03-28T12:00:00Z | 2026-03-29T01:00:00Z 2026-03-30T00:30:00Z
            15,45 2 * * *    | Europe/Berlin | 2026-03-28T12:00:00Z | 2026-03-29T01:00:00Z 2026-03-30T00:15:00Z
            0 2,3 * * *      | Europe/Berlin | 2026-03-28T12:00:00Z | 2026-03-29T01:00:00Z 2026-03-30T00:00:00Z
            30 */2 * * *     | Europe/Berlin | 2026-03-29T00:00:00Z | 2026-03-29T01:00:00Z 2026-03-29T02:30:00Z
            0 0 * * *        | America/Sao_Paulo | 2018-11-03T12:00:00Z | 2018-11-04T03:00:00Z 2018-11-05T02:00:00Z
            15 2 * * *       | Australia/Lord_Howe | 2026-10-03T00:00:00Z | 2026-10-03T15:30:00Z 2026-10-04T15:15:00Z
            # A time that there is twice comes the first time, also for whoever asks in between
            30 2 * * *       | Europe/Berlin | 2026-10-24T12:00:00Z | 2026-10-25T00:30:00Z 2026-10-26T01:30:00Z
            30 2 * * *       | Europe/Berlin | 2026-10-25T00:45:00Z | 2026-10-26T01:30:00Z 2026-10-27T01:30:00Z
            30 2 * * *       | Europe/Berlin | 2026-10-25T01:15:00Z | 2026-10-26T01:30:00Z 2026-10-27T01:30:00Z
            */30 2 * * *     | Europe/Berlin | 2026-10-25T00:00:00Z | 2026-10-25T00:30:00Z 2026-10-26T01:00:00Z
            0 3 * * *        | Europe/Berlin | 2026-10-25T00:30:00Z | 2026-10-25T02:00:00Z 2026-10-26T02:00:00Z
            # Each hour is each hour
            30 * * * *       | Europe/Berlin | 2026-03-29T00:00:00Z | 2026-03-29T00:30:00Z 2026-03-29T01:30:00Z
            0 * * * *        | Europe/Berlin | 2026-10-25T00:00:00Z | 2026-10-25T01:00:00Z 2026-10-25T02:00:00Z
            @hourly          | Europe/Berlin | 2026-10-25T00:00:00Z | 2026-10-25T01:00:00Z 2026-10-25T02:00:00Z
            */30 * * * *     | Europe/Berlin | 2026-10-25T00:00:00Z | 2026-10-25T00:30:00Z 2026-10-25T01:00:00Z
            0 * 25 10 *      | Europe/Berlin | 2026-10-25T00:30:00Z | 2026-10-25T01:00:00Z 2026-10-25T02:00:00Z
            0 * 29 3 *       | Europe/Berlin | 2026-03-29T00:30:00Z | 2026-03-29T01:00:00Z 2026-03-29T02:00:00Z
            """)
    void comesAt(String expression, String zone, Instant after, String expected) {
        CronTimes times = CronTimes.of(expression, ZoneId.of(zone));

        Instant first = times.next(Instant.EPOCH, after);
        Instant second = first == null ? null : times.next(Instant.EPOCH, first);

        assertThat(shown(first) + " " + shown(second)).isEqualTo(expected);
    }

    private static String shown(@Nullable Instant time) {
        return time == null ? "never" : time.toString();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "* * * *",
                "* * * * * *",
                "60 * * * *",
                "* 24 * * *",
                "* * 0 * *",
                "* * * 13 *",
                "* * * * 7",
                "5-1 * * * *",
                "*/0 * * * *",
                "x * * * *",
                "0 0 L * *",
                "0 0 * * 1#2",
                "0 0 * * *|0 1 * * *",
                "@never",
                "@every 1h",
                "TZ=UTC 0 0 * * *"
            })
    void refuses(String expression) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CronTimes.of(expression, ZoneOffset.UTC))
                .withMessageStartingWith("\"" + expression + "\" is no cron expression: ");
    }

    static Stream<Arguments> random() {
        Random random = new Random(41);
        List<Arguments> expressions = new ArrayList<>();
        while (expressions.size() < 300) {
            String expression = String.join(
                    " ",
                    field(random, 0, 59),
                    field(random, 0, 23),
                    field(random, 1, 31),
                    field(random, 1, 12),
                    field(random, 0, 6));
            expressions.add(Arguments.of(
                    expression, Instant.parse("2026-01-01T00:00:00Z").plusSeconds(random.nextInt(100_000_000))));
        }
        return expressions.stream();
    }

    private static String field(Random random, int least, int most) {
        return switch (random.nextInt(4)) {
            case 0 -> "*";
            case 1 -> part(random, least, most) + "," + part(random, least, most);
            default -> part(random, least, most);
        };
    }

    private static String part(Random random, int least, int most) {
        int one = least + random.nextInt(most - least + 1);
        int other = one + random.nextInt(most - one + 1);
        return switch (random.nextInt(5)) {
            case 0 -> one + "-" + other;
            case 1 -> "*/" + (1 + random.nextInt(most));
            case 2 -> one + "-" + other + "/" + (1 + random.nextInt(5));
            case 3 -> one + "/" + (1 + random.nextInt(most));
            default -> "" + one;
        };
    }

    /** The embedded API server reads them by hand, as robfig/cron does. */
    @ParameterizedTest(name = "{0} after {1}")
    @MethodSource("random")
    void comesWhenACronJobWould(String expression, Instant after) {
        CronTimes times = CronTimes.of(expression, ZoneOffset.UTC);
        io.controllermanager.apiserver.validation.Schedule cronJob =
                io.controllermanager.apiserver.validation.Schedule.of(expression);
        Instant time = after;
        for (int i = 0; i < 5; i++) {
            Instant expected = cronJob.next(time, ZoneOffset.UTC);
            if (expected.equals(Instant.MAX)) {
                return;
            }
            assertThat(times.next(Instant.EPOCH, time)).isEqualTo(expected);
            time = Objects.requireNonNull(expected);
        }
    }
}
