package io.controllermanager.leaderelection.internal;

import java.time.Duration;
import java.util.Map;

/** How tests compete for a Lease: with client-go's timings and released on stop, unless they say otherwise. */
public final class ElectionConfigs {

    private ElectionConfigs() {}

    public static LeaderElectionConfig of(String leaseNamespace, String leaseName) {
        return of(leaseNamespace, leaseName, PodIdentity.ofHost());
    }

    public static LeaderElectionConfig of(String leaseNamespace, String leaseName, String identity) {
        return new LeaderElectionConfig(
                true,
                leaseNamespace,
                leaseName,
                identity,
                Duration.ofSeconds(15),
                Duration.ofSeconds(10),
                Duration.ofSeconds(2),
                true,
                Map.of(),
                null);
    }

    public static LeaderElectionConfig withIdentity(LeaderElectionConfig config, String identity) {
        return with(config, identity, config.leaseDuration(), config.renewDeadline(), config.retryPeriod());
    }

    public static LeaderElectionConfig withTimings(
            LeaderElectionConfig config, Duration leaseDuration, Duration renewDeadline, Duration retryPeriod) {
        return with(config, config.identity(), leaseDuration, renewDeadline, retryPeriod);
    }

    private static LeaderElectionConfig with(
            LeaderElectionConfig config,
            String identity,
            Duration leaseDuration,
            Duration renewDeadline,
            Duration retryPeriod) {
        return new LeaderElectionConfig(
                config.enabled(),
                config.leaseNamespace(),
                config.leaseName(),
                identity,
                leaseDuration,
                renewDeadline,
                retryPeriod,
                config.releaseOnStop(),
                config.divided(),
                null);
    }
}
