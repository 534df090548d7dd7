package io.controllermanager.workqueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.time.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Re-expressed from client-go's {@code default_rate_limiters_test.go}: TestItemExponentialFailureRateLimiter,
 * TestItemExponentialFailureRateLimiterOverFlow, TestItemFastSlowRateLimiter, TestMaxOfRateLimiter.
 */
class RateLimitersTest {

    private final VirtualTime time = new VirtualTime();

    @Test
    void doublesTheDelayWithEachFailure() {
        RateLimiter<String> limiter = RateLimiters.exponential(time, Duration.ofMillis(1), Duration.ofSeconds(1));
        assertThat(List.of(limiter.when("one"), limiter.when("one"), limiter.when("one"), limiter.when("one")))
                .containsExactly(
                        Duration.ofMillis(1), Duration.ofMillis(2), Duration.ofMillis(4), Duration.ofMillis(8));
        assertThat(limiter.when("two")).isEqualTo(Duration.ofMillis(1));
        assertThat(limiter.failures()).isEqualTo(Map.of("one", 4, "two", 1));
        limiter.forget("one");
        assertThat(limiter.numRequeues("one")).isZero();
        assertThat(limiter.when("one")).isEqualTo(Duration.ofMillis(1));
    }

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
    void doesNotOverflow() {
        RateLimiter<String> limiter = RateLimiters.exponential(time, Duration.ofMinutes(1), Duration.ofHours(1000));
        for (int i = 0; i < 1000; i++) {
            assertThat(limiter.when("one")).isBetween(Duration.ofMinutes(1), Duration.ofHours(1000));
        }
        assertThat(limiter.when("one")).isEqualTo(Duration.ofHours(1000));
    }

    @Test
    void forgetsFailuresThatNobodyForgot() {
        RateLimiter<String> limiter = RateLimiters.exponential(time, Duration.ofMillis(1), Duration.ofSeconds(100));
        limiter.when("gone");
        time.advance(Duration.ofSeconds(150));
        limiter.when("failing");
        assertThat(limiter.failures()).containsOnlyKeys("gone", "failing");
        time.advance(Duration.ofSeconds(100));
        limiter.when("failing");
        assertThat(limiter.failures()).isEqualTo(Map.of("gone", 1, "failing", 2));
        time.advance(Duration.ofSeconds(200));
        assertThat(limiter.failures()).isEqualTo(Map.of("failing", 2));
        time.advance(Duration.ofSeconds(1000));
        assertThat(limiter.failures()).isEmpty();
    }

    @Test
    void triesAFewTimesFastThenSlowly() {
        RateLimiter<String> limiter = RateLimiters.fastSlow(time, Duration.ofMillis(5), Duration.ofSeconds(10), 2);
        assertThat(List.of(limiter.when("one"), limiter.when("one"), limiter.when("one"), limiter.when("one")))
                .containsExactly(
                        Duration.ofMillis(5), Duration.ofMillis(5), Duration.ofSeconds(10), Duration.ofSeconds(10));
        assertThat(limiter.numRequeues("one")).isEqualTo(4);
        limiter.forget("one");
        assertThat(limiter.when("one")).isEqualTo(Duration.ofMillis(5));
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
        assertThat(limiter.failures()).isEqualTo(Map.of("one", 4));
        limiter.forget("one");
        assertThat(limiter.when("one")).isEqualTo(Duration.ofMillis(5));
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
