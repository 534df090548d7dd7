package io.controllermanager.apiserver.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BookmarkTimesTest {

    /** Of a watch that lasts so many seconds, at so many seconds since it began. */
    @ParameterizedTest
    @CsvSource({
        // end, now, next
        "300, 0, 60",
        "300, 60, 120",
        "300, 270, 298",
        "300, 298, 358",
        "25, 0, 23",
        "25, 23, 83",
        "2, 0, 60",
        "1, 0, 60"
    })
    void areOneAMinuteAndOneShortlyBeforeTheEnd(long end, long now, long next) {
        assertThat(Watch.nextBookmark(
                        TimeUnit.SECONDS.toNanos(now), TimeUnit.MINUTES.toNanos(1), TimeUnit.SECONDS.toNanos(end)))
                .isEqualTo(TimeUnit.SECONDS.toNanos(next));
    }

    @ParameterizedTest
    @CsvSource({"1, 0, 50", "1, 950, 1000", "4, 1980, 2000"})
    void comeAsOftenAsTheServerIsToldTo(long end, long now, long next) {
        assertThat(Watch.nextBookmark(
                        TimeUnit.MILLISECONDS.toNanos(now),
                        TimeUnit.MILLISECONDS.toNanos(50),
                        TimeUnit.SECONDS.toNanos(end)))
                .isEqualTo(TimeUnit.MILLISECONDS.toNanos(next));
    }
}
