package io.controllermanager.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScheduleTest {

    private static final Instant CREATED = Instant.parse("2026-01-01T00:00:30Z");
    private static final Schedule HOURLY = Schedule.cron("0 * * * *", ZoneOffset.UTC);

    /** Days of January 2026 with hour and minute, such as 02T03:04. */
    private static Instant time(String shown) {
        return Instant.parse("2026-01-" + shown + ":00Z");
    }

    private static String shown(List<Slot> slots) {
        return slots.stream()
                .map(slot -> slot.time().toString().substring(8, 16))
                .collect(Collectors.joining(" "));
    }

    @ParameterizedTest(name = "{0}: last {1}, now {2}")
    @CsvSource(delimiter = '|', textBlock = """
            # Nothing is due before the next slot
            ONCE | 01T05:00 | 01T05:59 | ''
            SKIP | 01T05:00 | 01T05:59 | ''
            ALL  | 01T05:00 | 01T05:59 | ''
            # In time
            ONCE | 01T05:00 | 01T06:00 | 01T06:00
            SKIP | 01T05:00 | 01T06:00 | 01T06:00
            ALL  | 01T05:00 | 01T06:00 | 01T06:00
            # As late as the grace, and later
            SKIP | 01T05:00 | 01T06:01 | 01T06:00
            SKIP | 01T05:00 | 01T06:02 | ''
            ONCE | 01T05:00 | 01T06:02 | 01T06:00
            # Several were missed
            ONCE | 01T05:00 | 01T09:30 | 01T09:00
            SKIP | 01T05:00 | 01T09:30 | ''
            SKIP | 01T05:00 | 01T09:00 | 01T09:00
            ALL  | 01T05:00 | 01T09:30 | 01T06:00 01T07:00 01T08:00 01T09:00
            ONCE | 01T05:00 | 31T09:30 | 31T09:00
            # The clock is behind what was run, or was set back
            ONCE | 02T05:00 | 01T06:00 | ''
            SKIP | 02T05:00 | 01T06:00 | ''
            ALL  | 02T05:00 | 01T06:00 | ''
            ONCE | 01T05:00 | 01T05:00 | ''
            """)
    void hasDue(Missed missed, String last, String now, String expected) {
        assertThat(shown(HOURLY.missed(missed).due(CREATED, time(last), time(now))))
                .isEqualTo(expected);
    }

    @Test
    void catchesUpWithTheNewestHundred() {
        List<Slot> due = HOURLY.missed(Missed.ALL).due(CREATED, time("01T00:00"), time("31T00:30"));

        assertThat(due)
                .hasSize(Schedule.MOST_CAUGHT_UP)
                .isSortedAccordingTo((a, b) -> a.time().compareTo(b.time()));
        assertThat(due.get(99)).isEqualTo(new Slot(time("31T00:00")));
    }

    @ParameterizedTest(name = "after {0}")
    @CsvSource({
        "2025-12-31T00:00:00Z, 2026-01-01T06:00:30Z",
        "2026-01-01T00:00:30Z, 2026-01-01T06:00:30Z",
        "2026-01-01T06:00:29Z, 2026-01-01T06:00:30Z",
        "2026-01-01T06:00:30Z, 2026-01-01T12:00:30Z",
        "2026-03-29T01:00:00Z, 2026-03-29T06:00:30Z"
    })
    void comesEverySoOftenSinceTheObjectWasCreated(Instant after, Instant expected) {
        assertThat(Schedule.every(Duration.ofHours(6)).next(CREATED, after)).isEqualTo(new Slot(expected));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT59S", "-PT1H", "PT90.5S"})
    void refusesAnIntervalOf(Duration interval) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Schedule.every(interval))
                .withMessageEndingWith("but is " + interval);
    }

    /** As of a CronJob whose Job is hello-29453880. */
    @Test
    void namesASlotByItsMinute() {
        assertThat(new Slot(Instant.parse("2026-01-01T02:00:00Z")).suffix()).isEqualTo("29453880");
        assertThat(new Slot(Instant.parse("2026-01-01T02:00:30Z")).suffix()).isEqualTo("29453880");
        assertThat(new Slot(Instant.parse("2026-01-01T02:01:00Z")).suffix()).isEqualTo("29453881");
    }

    @Test
    void isToldByItsTimes() {
        assertThat(HOURLY.missed(Missed.ALL).atMostOnce()).hasToString("0 * * * * Z");
        assertThat(Schedule.every(Duration.ofHours(6))).hasToString("every PT6H");
        assertThat(HOURLY.isAtMostOnce()).isFalse();
        assertThat(HOURLY.atMostOnce().missed(Missed.SKIP).isAtMostOnce()).isTrue();
    }
}
