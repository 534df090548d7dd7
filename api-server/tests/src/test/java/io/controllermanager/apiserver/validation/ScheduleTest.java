package io.controllermanager.apiserver.validation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScheduleTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            * * * * *          | UTC             | 2026-01-01T00:00:30Z | 2026-01-01T00:01:00Z
            * * * * *          | UTC             | 2026-01-01T00:01:00Z | 2026-01-01T00:02:00Z
            */15 * * * *       | UTC             | 2026-01-01T00:46:00Z | 2026-01-01T01:00:00Z
            5/20 * * * *       | UTC             | 2026-01-01T00:26:00Z | 2026-01-01T00:45:00Z
            0 9-17/4 * * *     | UTC             | 2026-01-01T13:00:00Z | 2026-01-01T17:00:00Z
            30 2,4 * * *       | UTC             | 2026-01-01T02:30:00Z | 2026-01-01T04:30:00Z
            0 0 1 * *          | UTC             | 2026-01-31T12:00:00Z | 2026-02-01T00:00:00Z
            0 0 31 * *         | UTC             | 2026-01-31T00:00:00Z | 2026-03-31T00:00:00Z
            0 0 29 2 *         | UTC             | 2026-01-01T00:00:00Z | 2028-02-29T00:00:00Z
            0 0 * * 1          | UTC             | 2026-01-01T00:00:00Z | 2026-01-05T00:00:00Z
            0 0 * * 1-5        | UTC             | 2026-01-02T00:00:00Z | 2026-01-05T00:00:00Z
            0 0 * 12 0         | UTC             | 2026-01-01T00:00:00Z | 2026-12-06T00:00:00Z
            0 0 * * MON-FRI    | UTC             | 2026-01-02T00:00:00Z | 2026-01-05T00:00:00Z
            0 0 * dec sun      | UTC             | 2026-01-01T00:00:00Z | 2026-12-06T00:00:00Z
            @midnight          | UTC             | 2026-01-01T00:00:00Z | 2026-01-02T00:00:00Z
            @annually          | UTC             | 2026-01-01T00:00:00Z | 2027-01-01T00:00:00Z
            0 0 13 * 5         | UTC             | 2026-01-01T00:00:00Z | 2026-01-02T00:00:00Z
            0 0 */2 * 1        | UTC             | 2026-01-03T00:00:00Z | 2026-01-05T00:00:00Z
            0 0 */2 * 1        | UTC             | 2026-01-05T00:00:00Z | 2026-01-07T00:00:00Z
            0 0 */1 * 1        | UTC             | 2026-01-05T00:00:00Z | 2026-01-12T00:00:00Z
            0 0 */2 * 2        | UTC             | 2026-01-05T00:00:00Z | 2026-01-06T00:00:00Z
            1,2,, * * * *      | UTC             | 2026-01-01T00:01:00Z | 2026-01-01T00:02:00Z
            0 0 13 * ?         | UTC             | 2026-01-01T00:00:00Z | 2026-01-13T00:00:00Z
            @hourly            | UTC             | 2026-01-01T00:00:00Z | 2026-01-01T01:00:00Z
            @daily             | UTC             | 2026-01-01T00:00:00Z | 2026-01-02T00:00:00Z
            @weekly            | UTC             | 2026-01-01T00:00:00Z | 2026-01-04T00:00:00Z
            @monthly           | UTC             | 2026-01-01T00:00:00Z | 2026-02-01T00:00:00Z
            @yearly            | UTC             | 2026-01-01T00:00:00Z | 2027-01-01T00:00:00Z
            0 9 * * *          | Europe/Berlin   | 2026-07-01T00:00:00Z | 2026-07-01T07:00:00Z
            0 9 * * *          | Asia/Kolkata    | 2026-07-01T00:00:00Z | 2026-07-01T03:30:00Z
            """)
    void tellsWhatComesNext(String schedule, String zone, Instant after, Instant next) {
        assertThat(Schedule.of(schedule).next(after, ZoneId.of(zone))).isEqualTo(next);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0 0 31 2 *", ", * * * *", "@every 1h30m"})
    void neverComes(String schedule) {
        assertThat(Schedule.of(schedule).next(Instant.EPOCH, ZoneOffset.UTC)).isEqualTo(Instant.MAX);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "* * * *",
                "@often",
                "x * * * *",
                "*/0 * * * *",
                "1-x * * * *",
                "5-1 * * * *",
                "1-2-3 * * * *",
                "1/2/3 * * * *",
                "60 * * * *",
                "* * 0 * *",
                "* * * - *",
                "@every hello",
                "MONDAY * * * *"
            })
    void refusesWhatIsNoSchedule(String schedule) {
        assertThatThrownBy(() -> Schedule.of(schedule)).isInstanceOf(IllegalArgumentException.class);
    }
}
