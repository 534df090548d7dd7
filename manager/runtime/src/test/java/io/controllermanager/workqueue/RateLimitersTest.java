package io.controllermanager.workqueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.time.Clock;
import io.controllermanager.time.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What rate limiters promise beyond client-go's cases, which stand in {@link ClientGoCasesTest}. */
class RateLimitersTest {

    private final VirtualTime time = new VirtualTime();

    @Test
    void startsAtFiveMillisecondsAndEndsAtAThousandSeconds() {
        RateLimiter<String> limiter = RateLimiters.exponential(time);
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
        RateLimiter<String> limiter = RateLimiters.exponential(time, Duration.ofMillis(1), Duration.ofSeconds(100));
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
        RateLimiter<String> exponential = RateLimiters.exponential(time, Duration.ofMillis(1), Duration.ofSeconds(1));
        RateLimiter<String> limiter = RateLimiters.jittered(
                RateLimiters.atMost(RateLimiters.withTokenBucket(exponential, time, 0.001, 1), Duration.ofDays(1)),
                0.5,
                () -> 0.5);
        try (PriorityWorkQueue<String> queue = PriorityWorkQueue.<String>named("test")
                .clock(time)
                .timer(time)
                .rateLimiter(limiter)
                .build()) {
            limiter.when("the first token");
            for (int failures = 1; failures <= 5; failures++) {
                queue.addRateLimited("waiting");
                assertThat(time.untilNextTask()).isGreaterThan(Duration.ofMinutes(10));
                time.advanceToNextTask();
                assertThat(queue.take()).isEqualTo("waiting");
                time.advance(Duration.ofSeconds(59));
                assertThat(queue.numRequeues("waiting")).isEqualTo(failures);
                queue.done("waiting");
            }
            time.advance(Duration.ofDays(1));
            assertThat(queue.numRequeues("waiting")).isZero();
            assertThat(limiter.failing()).isZero();
        }
    }

    @Test
    void remembersFailuresForTheTimeThatWorkTakes() {
        for (RateLimiter<String> limiter : List.of(
                RateLimiters.<String>exponential(
                        time, Duration.ofMillis(1), Duration.ofSeconds(1), Duration.ofMinutes(10)),
                RateLimiters.<String>fastSlow(
                        time, Duration.ofMillis(1), Duration.ofSeconds(1), 3, Duration.ofMinutes(10)))) {
            limiter.when("failing");
            limiter.when("gone");
            for (int failures = 1; failures < 6; failures++) {
                time.advance(Duration.ofMinutes(10));
                assertThat(limiter.numRequeues("failing")).isEqualTo(failures);
                limiter.when("failing");
            }
            assertThat(limiter.mostFailed(10)).isEqualTo(Map.of("failing", 6));
        }
    }

    @Test
    void forgetsThoseThatAreGoneThoughOthersAlwaysWait() {
        RateLimiter<String> limiter = RateLimiters.exponential(time, Duration.ofMillis(1), Duration.ofSeconds(1));
        for (int i = 0; i < 1000; i++) {
            for (String key : List.of("failing", "gone " + i)) {
                limiter.when(key);
                limiter.waits(key, Duration.ofMinutes(10));
            }
            time.advance(Duration.ofMinutes(1));
            assertThat(limiter.failing()).isLessThan(30);
        }
        assertThat(limiter.numRequeues("failing")).isEqualTo(1000);
    }

    @Test
    void paysForEachRetryWithAToken() {
        RateLimiter<String> limiter = RateLimiters.tokenBucket(time, 10, 2);
        assertThat(List.of(limiter.when("a"), limiter.when("b"), limiter.when("c"), limiter.when("d")))
                .containsExactly(Duration.ZERO, Duration.ZERO, Duration.ofMillis(100), Duration.ofMillis(200));
        time.advance(Duration.ofMillis(250));
        assertThat(limiter.when("e")).isBetween(Duration.ofMillis(50), Duration.ofMillis(51));
        time.advance(Duration.ofDays(1));
        assertThat(limiter.when("f")).isZero();
        assertThat(limiter.when("g")).isZero();
        assertThat(limiter.when("h")).isPositive();
        assertThat(limiter.numRequeues("a")).isZero();
    }

    @Test
    void lengthensDelaysByARandomPart() {
        double[] random = {0};
        RateLimiter<String> limiter = RateLimiters.jittered(
                RateLimiters.exponential(time, Duration.ofSeconds(10), Duration.ofSeconds(10)), 0.2, () -> random[0]);
        assertThat(limiter.when("one")).isEqualTo(Duration.ofSeconds(10));
        random[0] = 0.5;
        assertThat(limiter.when("one")).isEqualTo(Duration.ofSeconds(11));
        assertThat(limiter.numRequeues("one")).isEqualTo(2);
    }

    @Test
    void takesTheLongestOfSeveral() {
        RateLimiter<String> limiter = RateLimiters.maxOf(List.of(
                RateLimiters.fastSlow(time, Duration.ofMillis(5), Duration.ofSeconds(3), 3),
                RateLimiters.exponential(time, Duration.ofMillis(1), Duration.ofSeconds(1))));
        for (int i = 0; i < 3; i++) {
            assertThat(limiter.when("one")).isEqualTo(Duration.ofMillis(5));
        }
        assertThat(limiter.when("one")).isEqualTo(Duration.ofSeconds(3));
        assertThat(limiter.numRequeues("one")).isEqualTo(4);
        assertThat(limiter.mostFailed(10)).isEqualTo(Map.of("one", 4));
        limiter.forget("one");
        assertThat(limiter.when("one")).isEqualTo(Duration.ofMillis(5));
    }

    @Test
    void capsALimiterWithATokenBucket() {
        RateLimiter<String> limiter = RateLimiters.withTokenBucket(RateLimiters.exponential(time), time, 10, 100);
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
        RateLimiter<String> limiter = RateLimiters.tokenBucket(jumping, 10, 2);
        limiter.when("a");
        limiter.when("a");
        assertThat(limiter.when("a")).isEqualTo(Duration.ofMillis(100));
        now[0] += 1_000_000_000L; // past the largest number
        assertThat(limiter.when("a")).isEqualTo(Duration.ZERO);
        now[0] -= 3_600_000_000_000L;
        assertThat(limiter.when("a")).as("one token was left").isEqualTo(Duration.ZERO);
        assertThat(limiter.when("a")).isEqualTo(Duration.ofMillis(100));
        now[0] += 200_000_000L;
        assertThat(limiter.when("a")).as("counted from where it jumped to").isEqualTo(Duration.ZERO);
        now[0] += 365L * 24 * 3_600_000_000_000L;
        for (int i = 0; i < 2; i++) {
            assertThat(limiter.when("a")).isEqualTo(Duration.ZERO);
        }
        assertThat(limiter.when("a")).as("no more than the bucket holds").isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void refuseNonsense() {
        assertThatThrownBy(() -> RateLimiters.exponential(time, Duration.ZERO, Duration.ofSeconds(1)))
                .hasMessageContaining("PT0S");
        assertThatThrownBy(() -> RateLimiters.exponential(time, Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .hasMessageContaining("PT1S");
        assertThatThrownBy(() -> RateLimiters.tokenBucket(time, 0, 1)).hasMessageContaining("0.0");
        assertThatThrownBy(() -> RateLimiters.tokenBucket(time, 1, 0)).hasMessageContaining("0");
        assertThatThrownBy(() -> RateLimiters.jittered(RateLimiters.exponential(time), -1))
                .hasMessageContaining("-1");
        assertThatThrownBy(() -> RateLimiters.fastSlow(time, Duration.ofSeconds(2), Duration.ofSeconds(1), 1))
                .hasMessageContaining("PT1S");
    }
}
