package io.controllermanager.workqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.TokenBucket;
import io.controllermanager.time.internal.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What backoff and the count of failures promise beyond client-go's cases, which stand in {@link ClientGoCasesTest}. */
class BackoffTest {

    private final VirtualTime time = new VirtualTime();

    @Test
    void startsAtFiveMillisecondsAndEndsAtAThousandSeconds() {
        FailureTracker<String> limiter = new FailureTracker<>(time, Backoff.DEFAULT);
        assertThat(limiter.when("one")).isEqualTo(Duration.ofMillis(5));
        Duration last = Duration.ZERO;
        for (int i = 0; i < 17; i++) {
            last = limiter.when("one");
        }
        assertThat(last).isEqualTo(Duration.ofMillis(5 << 17));
        assertThat(limiter.when("one")).isEqualTo(Duration.ofSeconds(1000));
    }

    @Test
    void forgetsFailuresThatNobodyForgot() {
        FailureTracker<String> limiter =
                new FailureTracker<>(time, Backoff.exponential(Duration.ofMillis(1), Duration.ofSeconds(100)));
        limiter.when("gone");
        time.advance(Duration.ofSeconds(150));
        limiter.when("failing");
        assertThat(limiter.mostFailed(10)).containsOnlyKeys("gone", "failing");
        time.advance(Duration.ofSeconds(100));
        limiter.when("failing");
        assertThat(limiter.mostFailed(10)).isEqualTo(Map.of("gone", 1, "failing", 2));
        time.advance(Duration.ofSeconds(200));
        assertThat(limiter.mostFailed(10)).isEqualTo(Map.of("failing", 2));
        time.advance(Duration.ofSeconds(1000));
        assertThat(limiter.mostFailed(10)).isEmpty();
    }

    @Test
    void remembersFailuresOfKeysThatWaitLongForAToken() throws InterruptedException {
        Backoff exponential = Backoff.exponential(Duration.ofMillis(1), Duration.ofSeconds(1));
        FailureTracker<String> limiter = new FailureTracker<>(
                time, exponential.orLonger(Backoff.tokenBucket(time, 0.001, 1)).jittered(0.5, () -> 0.5));
        try (WorkQueue<String> queue = WorkQueue.<String>named("test")
                .clock(time)
                .timer(time)
                .failures(limiter)
                .build()) {
            limiter.when("the first token");
            for (int failures = 1; failures <= 5; failures++) {
                queue.addRateLimited("waiting");
                assertThat(time.untilNextTask()).isGreaterThan(Duration.ofMinutes(10));
                time.advanceToNextTask();
                assertThat(queue.take()).isEqualTo("waiting");
                time.advance(Duration.ofSeconds(59));
                assertThat(queue.snapshot().retries()).containsEntry("waiting", failures);
                queue.done("waiting");
            }
            time.advance(Duration.ofDays(1));
            assertThat(queue.snapshot().retries()).doesNotContainKey("waiting");
            assertThat(limiter.failing()).isZero();
        }
    }

    @Test
    void remembersFailuresForTheTimeThatWorkTakes() {
        for (Backoff backoff : List.of(
                Backoff.exponential(Duration.ofMillis(1), Duration.ofSeconds(1)),
                Backoff.fastSlow(Duration.ofMillis(1), Duration.ofSeconds(1), 3))) {
            FailureTracker<String> limiter = new FailureTracker<>(time, backoff, Duration.ofMinutes(10));
            limiter.when("failing");
            limiter.when("gone");
            for (int failures = 1; failures < 6; failures++) {
                time.advance(Duration.ofMinutes(10));
                assertThat(limiter.mostFailed(10)).containsEntry("failing", failures);
                limiter.when("failing");
            }
            assertThat(limiter.mostFailed(10)).isEqualTo(Map.of("failing", 6));
        }
    }

    @Test
    void forgetsThoseThatAreGoneThoughOthersAlwaysWait() {
        // As where all wait for a token.
        FailureTracker<String> limiter =
                new FailureTracker<>(time, new Backoff(Duration.ofSeconds(1), failures -> Duration.ofMinutes(10)));
        for (int i = 0; i < 1000; i++) {
            limiter.when("failing");
            limiter.when("gone " + i);
            time.advance(Duration.ofMinutes(1));
            assertThat(limiter.failing()).isLessThan(30);
        }
        assertThat(limiter.mostFailed(10)).containsEntry("failing", 1000);
    }

    @Test
    void paysForEachRetryWithAToken() {
        FailureTracker<String> limiter = new FailureTracker<>(time, Backoff.tokenBucket(time, 10, 2));
        assertThat(List.of(limiter.when("a"), limiter.when("b"), limiter.when("c"), limiter.when("d")))
                .containsExactly(Duration.ZERO, Duration.ZERO, Duration.ofMillis(100), Duration.ofMillis(200));
        time.advance(Duration.ofMillis(250));
        assertThat(limiter.when("e")).isBetween(Duration.ofMillis(50), Duration.ofMillis(51));
        time.advance(Duration.ofDays(1));
        assertThat(limiter.when("f")).isZero();
        assertThat(limiter.when("g")).isZero();
        assertThat(limiter.when("h")).isPositive();
    }

    @Test
    void lengthensDelaysByARandomPart() {
        double[] random = {0};
        FailureTracker<String> limiter = new FailureTracker<>(
                time,
                Backoff.exponential(Duration.ofSeconds(10), Duration.ofSeconds(10))
                        .jittered(0.2, () -> random[0]));
        assertThat(limiter.when("one")).isEqualTo(Duration.ofSeconds(10));
        random[0] = 0.5;
        assertThat(limiter.when("one")).isEqualTo(Duration.ofSeconds(11));
        assertThat(limiter.mostFailed(10)).containsEntry("one", 2);
    }

    @Test
    void takesTheLongestOfSeveral() {
        FailureTracker<String> limiter = new FailureTracker<>(
                time,
                Backoff.fastSlow(Duration.ofMillis(5), Duration.ofSeconds(3), 3)
                        .orLonger(Backoff.exponential(Duration.ofMillis(1), Duration.ofSeconds(1))));
        for (int i = 0; i < 3; i++) {
            assertThat(limiter.when("one")).isEqualTo(Duration.ofMillis(5));
        }
        assertThat(limiter.when("one")).isEqualTo(Duration.ofSeconds(3));
        assertThat(limiter.mostFailed(10)).isEqualTo(Map.of("one", 4));
        limiter.forget("one");
        assertThat(limiter.when("one")).isEqualTo(Duration.ofMillis(5));
    }

    @Test
    void capsALimiterWithATokenBucket() {
        FailureTracker<String> limiter =
                new FailureTracker<>(time, Backoff.DEFAULT.orLonger(Backoff.tokenBucket(time, 10, 100)));
        for (int i = 0; i < 100; i++) {
            assertThat(limiter.when("key " + i)).isEqualTo(Duration.ofMillis(5));
        }
        assertThat(limiter.when("key 100")).isEqualTo(Duration.ofMillis(100));
        assertThat(limiter.when("key 101")).isEqualTo(Duration.ofMillis(200));
        assertThat(limiter.failing()).isEqualTo(102);
        time.advance(Duration.ofHours(1));
        assertThat(limiter.when("key 102")).isEqualTo(Duration.ofMillis(5));
    }

    @Test
    void standAClockThatJumps() {
        long[] now = {Long.MAX_VALUE - 10};
        Clock jumping = new Clock() {
            @Override
            public long nanoTime() {
                return now[0];
            }

            @Override
            public Instant now() {
                return Instant.EPOCH;
            }
        };
        TokenBucket bucket = new TokenBucket(jumping, 10, 2);
        bucket.take();
        bucket.take();
        assertThat(bucket.take()).isEqualTo(Duration.ofMillis(100));
        now[0] += 1_000_000_000L; // past the largest number
        assertThat(bucket.take()).isEqualTo(Duration.ZERO);
        now[0] -= 3_600_000_000_000L;
        assertThat(bucket.take()).as("one token was left").isEqualTo(Duration.ZERO);
        assertThat(bucket.take()).isEqualTo(Duration.ofMillis(100));
        now[0] += 200_000_000L;
        assertThat(bucket.take()).as("counted from where it jumped to").isEqualTo(Duration.ZERO);
        now[0] += 365L * 24 * 3_600_000_000_000L;
        for (int i = 0; i < 2; i++) {
            assertThat(bucket.take()).isEqualTo(Duration.ZERO);
        }
        assertThat(bucket.take()).as("no more than the bucket holds").isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void refuseNonsense() {
        assertThatThrownBy(() -> Backoff.exponential(Duration.ZERO, Duration.ofSeconds(1)))
                .hasMessageContaining("PT0S");
        assertThatThrownBy(() -> Backoff.exponential(Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .hasMessageContaining("PT1S");
        assertThatThrownBy(() -> Backoff.tokenBucket(time, 0, 1)).hasMessageContaining("0.0");
        assertThatThrownBy(() -> Backoff.tokenBucket(time, 1, 0)).hasMessageContaining("0");
        assertThatThrownBy(() -> Backoff.DEFAULT.jittered(-1)).hasMessageContaining("-1");
        assertThatThrownBy(() -> Backoff.fastSlow(Duration.ofSeconds(2), Duration.ofSeconds(1), 1))
                .hasMessageContaining("PT1S");
    }
}
