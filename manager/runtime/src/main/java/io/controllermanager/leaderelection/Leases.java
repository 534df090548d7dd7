package io.controllermanager.leaderelection;

import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * What a Lease says and how its next state looks, field for field as client-go's {@code resourcelock/leaselock.go} writes
 * it. Labels, annotations and everything else in its metadata stay as they are.
 */
final class Leases {

    private Leases() {}

    /** The holder's identity, empty if it has none. */
    static String holder(V1Lease lease) {
        V1LeaseSpec spec = lease.getSpec();
        String holder = spec == null ? null : spec.getHolderIdentity();
        return holder == null ? "" : holder;
    }

    /** How often the holder has changed. */
    static int transitions(V1Lease lease) {
        V1LeaseSpec spec = lease.getSpec();
        Integer transitions = spec == null ? null : spec.getLeaseTransitions();
        return transitions == null ? 0 : transitions;
    }

    /** How long the Lease lasts without renewal, or the fallback where it does not say. */
    static Duration duration(V1Lease lease, Duration fallback) {
        V1LeaseSpec spec = lease.getSpec();
        Integer seconds = spec == null ? null : spec.getLeaseDurationSeconds();
        return seconds == null ? fallback : Duration.ofSeconds(seconds);
    }

    /** A new Lease, held. */
    static V1Lease made(LeaderElectionConfig config, Instant now) {
        return lease(newMetadata(config), config.identity(), config.leaseDuration(), micros(now), micros(now), 0);
    }

    /** A Lease that was deleted while held, as it would be now. */
    static V1Lease remade(V1Lease before, LeaderElectionConfig config, Instant now) {
        return lease(
                newMetadata(config),
                config.identity(),
                config.leaseDuration(),
                acquireTime(before),
                micros(now),
                transitions(before));
    }

    /** The same holder's Lease, renewed. */
    static V1Lease renewed(V1Lease lease, LeaderElectionConfig config, Instant now) {
        return lease(
                lease.getMetadata(),
                config.identity(),
                config.leaseDuration(),
                acquireTime(lease),
                micros(now),
                transitions(lease));
    }

    /** Another's or nobody's Lease, taken over. */
    static V1Lease taken(V1Lease lease, LeaderElectionConfig config, Instant now) {
        return lease(
                lease.getMetadata(),
                config.identity(),
                config.leaseDuration(),
                micros(now),
                micros(now),
                transitions(lease) + 1);
    }

    /** A Lease without holder, that ends in a second. */
    static V1Lease released(V1Lease lease, Instant now) {
        return lease(lease.getMetadata(), "", Duration.ofSeconds(1), micros(now), micros(now), transitions(lease));
    }

    private static V1Lease lease(
            @Nullable V1ObjectMeta metadata,
            String holder,
            Duration duration,
            @Nullable OffsetDateTime acquired,
            OffsetDateTime renewed,
            int transitions) {
        return new V1Lease()
                .apiVersion("coordination.k8s.io/v1")
                .kind("Lease")
                .metadata(metadata)
                .spec(new V1LeaseSpec()
                        .holderIdentity(holder)
                        .leaseDurationSeconds((int) duration.toSeconds())
                        .acquireTime(acquired)
                        .renewTime(renewed)
                        .leaseTransitions(transitions));
    }

    private static V1ObjectMeta newMetadata(LeaderElectionConfig config) {
        return new V1ObjectMeta().namespace(config.leaseNamespace()).name(config.leaseName());
    }

    private static @Nullable OffsetDateTime acquireTime(V1Lease lease) {
        V1LeaseSpec spec = lease.getSpec();
        return spec == null ? null : spec.getAcquireTime();
    }

    /** What a Lease can hold: whole microseconds, in UTC. */
    private static OffsetDateTime micros(Instant time) {
        return time.truncatedTo(ChronoUnit.MICROS).atOffset(ZoneOffset.UTC);
    }
}
