package io.controllermanager.leaderelection.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LeaderElectionConfigTest {

    private final LeaderElectionConfig config = ElectionConfigs.of("ns", "lease");

    @Test
    void aRequestMayTakeHalfTheRenewDeadline() {
        assertThat(config.lease()).isEqualTo("ns/lease");
        assertThat(LeaderElector.callTimeout(config)).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void theIdentityIsHostNameAndUuid() {
        assertThat(config.identity()).matches(".+_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
        assertThat(PodIdentity.ofHost()).isNotEqualTo(PodIdentity.ofHost());
    }

    @Test
    void nonsenseIsRefusedWithPropertyAndValue() {
        assertRefused(15, 15, 2, "leaseDuration must be longer than renewDeadline (15s), but is 15s");
        assertRefused(15, 10, 9, "renewDeadline must be longer than retryPeriod (9s) times 1.2, but is 10s");
        assertRefused(15, 0, 2, "renewDeadline must be positive, but is 0s");
        assertRefused(15, 10, 0, "retryPeriod must be positive, but is 0s");
        assertRefused(-1, 10, 2, "leaseDuration must be positive, but is -1s");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ElectionConfigs.withTimings(
                        config, Duration.ofMillis(1500), Duration.ofSeconds(1), Duration.ofMillis(200)))
                .withMessage("leaseDuration must be whole seconds, but is 1500ms");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ElectionConfigs.withIdentity(config, " "))
                .withMessage("identity must not be empty");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ElectionConfigs.of("", "lease"))
                .withMessage("leaseNamespace must not be empty");
    }

    private void assertRefused(int leaseDuration, int renewDeadline, int retryPeriod, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ElectionConfigs.withTimings(
                        config,
                        Duration.ofSeconds(leaseDuration),
                        Duration.ofSeconds(renewDeadline),
                        Duration.ofSeconds(retryPeriod)))
                .withMessage(message);
    }
}
