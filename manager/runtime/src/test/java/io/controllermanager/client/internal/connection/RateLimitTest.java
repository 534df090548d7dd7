package io.controllermanager.client.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.controllermanager.time.internal.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RateLimitTest {

    private final VirtualTime time = new VirtualTime();

    @Test
    void letsABurstThroughAndSpacesOutTheRest() {
        RateLimit limit = new RateLimit(new RequestLimits(10, 3), time, time);

        assertThat(limit.reserve()).isZero();
        assertThat(limit.reserve()).isZero();
        assertThat(limit.reserve()).isZero();
        assertThat(limit.reserve()).isCloseTo(Duration.ofMillis(100).toNanos(), within(1_000L));
        assertThat(limit.reserve()).isCloseTo(Duration.ofMillis(200).toNanos(), within(1_000L));
    }

    @Test
    void savesUpNoMoreThanABurst() {
        RateLimit limit = new RateLimit(new RequestLimits(10, 2), time, time);
        time.advance(Duration.ofHours(1));

        assertThat(limit.reserve()).isZero();
        assertThat(limit.reserve()).isZero();
        assertThat(limit.reserve()).isPositive();
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
