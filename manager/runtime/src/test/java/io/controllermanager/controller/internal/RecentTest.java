package io.controllermanager.controller.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.controllermanager.controller.internal.ControllerSnapshot.Failure;
import io.controllermanager.controller.internal.ControllerSnapshot.ReconcileTimes;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RecentTest {

    private final RecentTimes times = new RecentTimes();

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
        FailureLog failures = new FailureLog("foo", new VirtualTime(), new KeyMemories());
        assertThat(failures.recent()).isEmpty();
        IntStream.range(0, 12).forEach(i -> fail(failures, "" + i, "first"));
        fail(failures, "5", "again");
        assertThat(failures.recent())
                .hasSize(FailureLog.RECENT)
                .extracting(Failure::key, Failure::message)
                .startsWith(
                        tuple("ns/5", "IllegalStateException: again"), tuple("ns/11", "IllegalStateException: first"))
                .endsWith(tuple("ns/2", "IllegalStateException: first"))
                .doesNotContain(tuple("ns/5", "IllegalStateException: first"));
    }

    @SuppressWarnings("NullAway") // nobody asks where it runs
    private static void fail(FailureLog failures, String name, String message) {
        ReconcileRun run = new ReconcileRun(new Request("ns", name), null, null, "id", 0, null, null, null);
        RuntimeException failure = new IllegalStateException(message);
        failures.failed(run, failure, FailureCause.of(failure), Duration.ofSeconds(1));
    }
}
