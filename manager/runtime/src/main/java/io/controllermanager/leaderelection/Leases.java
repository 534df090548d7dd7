package io.controllermanager.leaderelection;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import com.google.gson.reflect.TypeToken;
import io.controllermanager.client.ResourceVersions;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ObjectMetaBuilder;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a Lease says and how its next state looks, field for field as client-go's {@code resourcelock/leaselock.go} writes
 * it. Labels, annotations and everything else in its metadata stay as they are.
 */
final class Leases {

    /** The annotation that carries what a holder leaves. */
    static final String LEGACY = "controller-manager.io/legacy";

    /** The annotation that says which process should rather have the Lease. */
    static final String PREFERRED_HOLDER = "controller-manager.io/preferred-holder";

    private static final Gson JSON = new Gson();

    private Leases() {}

    /** The holder's identity, empty if it has none. */
    static String holder(V1Lease lease) {
        V1LeaseSpec spec = lease.getSpec();
        String holder = spec == null ? null : spec.getHolderIdentity();
        return holder == null ? "" : holder;
    }

    /** Whether one state of a Lease comes after another. */
    static boolean isNewer(V1Lease lease, V1Lease than) {
        return ResourceVersions.number(lease) > ResourceVersions.number(than);
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

    /** Another's or nobody's Lease, taken over; neither what the last holder left nor who was to be the next stays. */
    static V1Lease taken(V1Lease lease, LeaderElectionConfig config, Instant now) {
        return lease(
                withoutPreference(withLegacy(lease.getMetadata(), Map.of())),
                config.identity(),
                config.leaseDuration(),
                micros(now),
                micros(now),
                transitions(lease) + 1);
    }

    /** A Lease without holder, that ends in a second, with what its holder leaves. */
    static V1Lease released(V1Lease lease, Map<String, String> legacy, Instant now) {
        return lease(
                withLegacy(lease.getMetadata(), legacy),
                "",
                Duration.ofSeconds(1),
                micros(now),
                micros(now),
                transitions(lease));
    }

    /** What the last holder left, nothing if it did not give the Lease back. */
    static Map<String, String> legacy(V1Lease lease) {
        V1ObjectMeta metadata = lease.getMetadata();
        Map<String, String> annotations = metadata == null ? null : metadata.getAnnotations();
        String text = annotations == null ? null : annotations.get(LEGACY);
        if (text == null || !holder(lease).isEmpty()) {
            return Map.of();
        }
        try {
            Map<String, String> legacy = JSON.fromJson(text, new TypeToken<Map<String, String>>() {});
            return legacy == null ? Map.of() : legacy;
        } catch (JsonParseException e) {
            // Edited by hand: as good as nothing.
            return Map.of();
        }
    }

    /** Who should rather have the Lease, null if nobody has asked for it. */
    static @Nullable String preferredHolder(V1Lease lease) {
        V1ObjectMeta metadata = lease.getMetadata();
        Map<String, String> annotations = metadata == null ? null : metadata.getAnnotations();
        return annotations == null ? null : annotations.get(PREFERRED_HOLDER);
    }

    /** The same Lease, asked for by somebody; who holds it and until when is as it was. */
    static V1Lease preferring(V1Lease lease, String asker) {
        V1ObjectMeta metadata = lease.getMetadata();
        V1ObjectMetaBuilder builder = metadata == null ? new V1ObjectMetaBuilder() : new V1ObjectMetaBuilder(metadata);
        return withMetadata(
                lease, builder.addToAnnotations(PREFERRED_HOLDER, asker).build());
    }

    /** The same Lease, asked for by nobody. */
    static V1Lease withoutPreference(V1Lease lease) {
        V1ObjectMeta metadata = lease.getMetadata();
        return metadata == null ? lease : withMetadata(lease, withoutPreference(metadata));
    }

    private static V1ObjectMeta withoutPreference(V1ObjectMeta metadata) {
        return new V1ObjectMetaBuilder(metadata)
                .removeFromAnnotations(PREFERRED_HOLDER)
                .build();
    }

    private static V1Lease withMetadata(V1Lease lease, V1ObjectMeta metadata) {
        return new V1Lease()
                .apiVersion(lease.getApiVersion())
                .kind(lease.getKind())
                .metadata(metadata)
                .spec(lease.getSpec());
    }

    private static V1ObjectMeta withLegacy(@Nullable V1ObjectMeta metadata, Map<String, String> legacy) {
        V1ObjectMetaBuilder builder = metadata == null ? new V1ObjectMetaBuilder() : new V1ObjectMetaBuilder(metadata);
        builder.removeFromAnnotations(LEGACY);
        return legacy.isEmpty()
                ? builder.build()
                : builder.addToAnnotations(LEGACY, JSON.toJson(new TreeMap<>(legacy)))
                        .build();
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
