package io.controllermanager.client.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.controllermanager.time.internal.TokenBucket;
import io.controllermanager.time.internal.VirtualTime;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class RateLimitTest {

    private final VirtualTime time = new VirtualTime();

    private TokenBucket limit(RequestLimits limits) {
        return Objects.requireNonNull(new RateLimit(limits, time, time).tokens);
    }

    @Test
    void letsABurstThroughAndSpacesOutTheRest() {
        TokenBucket limit = limit(new RequestLimits(10, 3));

        assertThat(limit.take()).isZero();
        assertThat(limit.take()).isZero();
        assertThat(limit.take()).isZero();
        assertThat(limit.take()).isCloseTo(Duration.ofMillis(100), Duration.ofNanos(1_000));
        assertThat(limit.take()).isCloseTo(Duration.ofMillis(200), Duration.ofNanos(1_000));
    }

    @Test
    void savesUpNoMoreThanABurst() {
        TokenBucket limit = limit(new RequestLimits(10, 2));
        time.advance(Duration.ofHours(1));

        assertThat(limit.take()).isZero();
        assertThat(limit.take()).isZero();
        assertThat(limit.take()).isPositive();
    }

    @Test
    void refusesNonsense() {
        for (double qps : new double[] {0, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new RequestLimits(qps, 1))
                    .withMessageContaining("qps");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RequestLimits(5, 0))
                .withMessageContaining("burst");
        assertThat(new RequestLimits(-1, 0).limited()).isFalse();
    }
}
