package io.controllermanager.controller.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.controller.internal.ControllerSnapshot.Failure;
import io.controllermanager.controller.internal.ControllerSnapshot.ReconcileTimes;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RecentTest {

    private final RecentTimes times = new RecentTimes();
    private final RecentFailures failures = new RecentFailures();

    @Test
    void quantilesAreAtMostAQuarterTooLarge() {
        Random random = new Random(7);
        long[] nanos = LongStream.range(0, 10_000)
                .map(i -> (long) Math.exp(random.nextDouble() * 24) + 4_000)
                .toArray();
        for (long took : nanos) {
            times.add(took, 0);
        }
        long[] sorted = LongStream.of(nanos).sorted().toArray();
        ReconcileTimes summary = Objects.requireNonNull(times.summary(0));
        assertThat(summary.count()).isEqualTo(10_000);
        assertThat(summary.max().toNanos()).isEqualTo(sorted[9_999]);
        assertThat((double) summary.p50().toNanos() / sorted[4_999]).isBetween(1.0, 1.25);
        assertThat((double) summary.p99().toNanos() / sorted[9_899]).isBetween(1.0, 1.25);
    }

    @Test
    void whatIsShortLongOrStrangeIsCounted() {
        for (Duration took : new Duration[] {Duration.ZERO, Duration.ofNanos(1), Duration.ofDays(300)}) {
            times.add(took.toNanos(), Long.MIN_VALUE / 2);
        }
        ReconcileTimes summary = Objects.requireNonNull(times.summary(Long.MIN_VALUE / 2));
        assertThat(summary.count()).isEqualTo(3);
        assertThat(summary.p50()).isLessThanOrEqualTo(Duration.ofNanos(1000));
        assertThat(summary.max()).isEqualTo(Duration.ofDays(300));
    }

    @Test
    void timesAreForgottenAfterFiveMinutes() {
        long minute = Duration.ofMinutes(1).toNanos();
        times.add(1_000_000_000, 0);
        for (int i = 1; i < 5; i++) {
            times.add(1_000_000, i * minute);
        }
        assertThat(times.summary(4 * minute)).extracting("count").isEqualTo(5L);
        assertThat(times.summary(5 * minute)).extracting("count").isEqualTo(4L);
        times.add(1_000_000, 5 * minute);
        assertThat(times.summary(5 * minute))
                .isEqualTo(new ReconcileTimes(5, Duration.ofMillis(1), Duration.ofMillis(1), Duration.ofMillis(1)));
        assertThat(times.summary(60 * minute)).isNull();
    }

    @Test
    void ofEachKeyTheNewestFailureIsKept() {
        assertThat(failures.last()).isNull();
        IntStream.range(0, 12).forEach(i -> failures.add(failure("ns/" + i, "first")));
        failures.add(failure("ns/5", "again"));
        assertThat(failures.all())
                .hasSize(RecentFailures.KEYS)
                .startsWith(failure("ns/5", "again"), failure("ns/11", "first"))
                .endsWith(failure("ns/2", "first"))
                .doesNotContain(failure("ns/5", "first"));
        assertThat(failures.last()).isEqualTo(failure("ns/5", "again"));
    }

    private static Failure failure(String key, String message) {
        return new Failure(key, message, Instant.EPOCH);
    }
}
