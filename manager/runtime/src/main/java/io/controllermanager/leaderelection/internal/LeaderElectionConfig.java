package io.controllermanager.leaderelection.internal;

import io.controllermanager.informer.Shards;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How replicas compete for a Lease. Meaning and defaults are client-go's ({@code tools/leaderelection}).
 *
 * @param enabled whether replicas compete at all; if not, this process always leads
 * @param leaseNamespace the Lease's namespace
 * @param leaseName the Lease's name
 * @param identity what stands in the Lease while this process holds it; must differ between replicas
 * @param leaseDuration how long others wait after the last renewal that they saw before they take the Lease; whole
 *     seconds, since the Lease stores no fractions
 * @param renewDeadline how long the leader leads on without a renewal
 * @param retryPeriod how often the Lease is renewed or tried for
 * @param releaseOnStop whether a leader that stops gives the Lease back, so that another need not wait for its end
 * @param divided how this process's controllers are divided that have this Lease as their anchor, or as that of a shard
 * @param former the same for the Lease that was in this one's place before, which has to be held too; null for none
 */
public record LeaderElectionConfig(
        boolean enabled,
        String leaseNamespace,
        String leaseName,
        String identity,
        Duration leaseDuration,
        Duration renewDeadline,
        Duration retryPeriod,
        boolean releaseOnStop,
        Map<String, Shards> divided,
        @Nullable LeaderElectionConfig former) {

    /** How much longer than the retry period a standby may wait between two tries: client-go's {@code JitterFactor}. */
    public static final double JITTER_FACTOR = 1.2;

    /**
     * Checks the values against each other.
     *
     * @throws IllegalArgumentException if a value makes no sense; the message names the property and the value
     */
    public LeaderElectionConfig {
        divided = Map.copyOf(divided);
        requireText("leaseNamespace", leaseNamespace);
        requireText("leaseName", leaseName);
        requireText("identity", identity);
        requirePositive("retryPeriod", retryPeriod);
        requirePositive("renewDeadline", renewDeadline);
        requirePositive("leaseDuration", leaseDuration);
        Duration longestRetry = Duration.ofNanos((long) (retryPeriod.toNanos() * JITTER_FACTOR));
        require(
                leaseDuration.equals(leaseDuration.truncatedTo(ChronoUnit.SECONDS)),
                "leaseDuration must be whole seconds, but is " + show(leaseDuration));
        require(
                leaseDuration.compareTo(renewDeadline) > 0,
                "leaseDuration must be longer than renewDeadline (" + show(renewDeadline) + "), but is "
                        + show(leaseDuration));
        require(
                renewDeadline.compareTo(longestRetry) > 0,
                "renewDeadline must be longer than retryPeriod (" + show(retryPeriod) + ") times " + JITTER_FACTOR
                        + ", but is " + show(renewDeadline));
    }

    /** {@code namespace/name} of the Lease. */
    public String lease() {
        return leaseNamespace + "/" + leaseName;
    }

    /** The same for another Lease, which is no anchor and has no former one. */
    public LeaderElectionConfig withLeaseName(String newLeaseName) {
        return with(leaseNamespace, newLeaseName, Map.of(), null);
    }

    /** The same for a Lease whose name ends with this too, as does that of its former one, and which is no anchor. */
    LeaderElectionConfig withSuffix(String suffix) {
        return with(leaseNamespace, leaseName + suffix, Map.of(), former == null ? null : former.withSuffix(suffix));
    }

    /** The same with a former Lease; without one if that is this one. */
    public LeaderElectionConfig withFormer(String namespace, String name) {
        LeaderElectionConfig other = with(namespace, name, divided, null);
        return with(leaseNamespace, leaseName, divided, other.lease().equals(lease()) ? null : other);
    }

    /** The same with this Lease as the anchor of divided controllers, given with how they are divided. */
    public LeaderElectionConfig withDivided(Map<String, Shards> newDivided) {
        LeaderElectionConfig before = former == null ? null : former.withDivided(newDivided);
        return with(leaseNamespace, leaseName, newDivided, before);
    }

    private LeaderElectionConfig with(
            String namespace, String name, Map<String, Shards> shards, @Nullable LeaderElectionConfig before) {
        return new LeaderElectionConfig(
                enabled,
                namespace,
                name,
                identity,
                leaseDuration,
                renewDeadline,
                retryPeriod,
                releaseOnStop,
                shards,
                before);
    }

    private static void requireText(String property, String value) {
        require(!value.isBlank(), property + " must not be empty");
    }

    private static void requirePositive(String property, Duration value) {
        require(!value.isNegative() && !value.isZero(), property + " must be positive, but is " + show(value));
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    private static String show(Duration duration) {
        return duration.toMillis() % 1000 == 0 ? duration.toSeconds() + "s" : duration.toMillis() + "ms";
    }
}
