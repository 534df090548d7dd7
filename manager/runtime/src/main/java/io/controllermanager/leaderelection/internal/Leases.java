package io.controllermanager.leaderelection.internal;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import com.google.gson.reflect.TypeToken;
import io.controllermanager.client.internal.request.ResourceVersions;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a Lease says and how its next state looks, field for field as client-go's {@code resourcelock/leaselock.go} writes
 * it. Labels, annotations and everything else in its metadata stay as they are.
 */
final class Leases {

    /** The annotation that carries the hand-over notes. */
    static final String NOTES = "controller-manager.io/legacy";

    /** The annotation that says which process should rather have the Lease. */
    static final String PREFERRED_HOLDER = "controller-manager.io/preferred-holder";

    /** The annotation of an anchor that says how many shards controllers have. */
    static final String SHARDS = "controller-manager.io/shards";

    private static final Gson JSON = new Gson();

    private Leases() {}

    /** The holder's identity, empty if it has none. */
    static String holder(V1Lease lease) {
        return Objects.requireNonNullElse(spec(lease).getHolderIdentity(), "");
    }

    /** Whether one state of a Lease comes after another. */
    static boolean isNewer(V1Lease lease, V1Lease than) {
        return ResourceVersions.number(lease) > ResourceVersions.number(than);
    }

    /** Whether the API server has never stored the Lease, so that it must be created. */
    static boolean isUnstored(V1Lease lease) {
        V1ObjectMeta metadata = lease.getMetadata();
        return metadata == null || metadata.getResourceVersion() == null;
    }

    /** How often the holder has changed. */
    static int transitions(V1Lease lease) {
        return Math.max(0, Objects.requireNonNullElse(spec(lease).getLeaseTransitions(), 0));
    }

    /** How long the Lease says that it lasts without renewal, or the fallback where it says nothing that makes sense. */
    static Duration duration(V1Lease lease, Duration fallback) {
        Integer seconds = spec(lease).getLeaseDurationSeconds();
        return seconds == null || seconds <= 0 ? fallback : Duration.ofSeconds(seconds);
    }

    /** Whether the Lease has been renewed, or taken, between two states. */
    static boolean isRenewed(V1Lease before, V1Lease after) {
        OffsetDateTime renewed = spec(after).getRenewTime();
        return renewed != null && !renewed.equals(spec(before).getRenewTime());
    }

    /** Whether two states say the same of who holds the Lease and since when. An edit may hide a renewal. */
    static boolean sameClaim(V1Lease one, V1Lease other) {
        return holder(one).equals(holder(other))
                && transitions(one) == transitions(other)
                && Objects.equals(spec(one).getRenewTime(), spec(other).getRenewTime())
                && Objects.equals(spec(one).getAcquireTime(), spec(other).getAcquireTime());
    }

    /** A new Lease, held; in the place of one that is gone, if there was one. */
    static V1Lease made(@Nullable V1Lease gone, LeaderElectionConfig config, Instant now) {
        return held(divided(lease(metadata(config)), gone, config), config, micros(now), now, 0);
    }

    /** A Lease that was deleted while held, as it would be now. */
    static V1Lease remade(V1Lease before, LeaderElectionConfig config, Instant now) {
        V1Lease bare = lease(metadata(config)).spec(before.getSpec());
        return renewed(divided(bare, before, config), config, now);
    }

    /** The same holder's Lease, renewed. */
    static V1Lease renewed(V1Lease lease, LeaderElectionConfig config, Instant now) {
        return held(lease, config, spec(lease).getAcquireTime(), now, transitions(lease));
    }

    /** The same holder's Lease, by which it leads again: it says what is divided in this process. */
    static V1Lease resumed(V1Lease lease, LeaderElectionConfig config, Instant now) {
        return renewed(divided(lease, lease, config), config, now);
    }

    /** Another's or nobody's Lease, taken over; neither the hand-over notes nor another's wish stays. */
    static V1Lease taken(V1Lease lease, LeaderElectionConfig config, Instant now) {
        V1Lease bare = annotated(annotated(lease, NOTES, null), PREFERRED_HOLDER, null);
        // After the largest number that the API server takes, the count starts again.
        int before = transitions(lease) == Integer.MAX_VALUE ? 0 : transitions(lease);
        return held(divided(bare, lease, config), config, micros(now), now, before + 1);
    }

    /** With what this process's divided controllers make of what the Lease had said before. */
    private static V1Lease divided(V1Lease lease, @Nullable V1Lease before, LeaderElectionConfig config) {
        String said = before == null ? null : shards(before);
        String says = Divisions.parse(said).replacedBy(config.divided()).text();
        return said == null && says == null ? lease : annotated(lease, SHARDS, says);
    }

    /** What the annotation of an anchor says, null if there is none. */
    static @Nullable String shards(V1Lease lease) {
        return annotation(lease, SHARDS);
    }

    /** A Lease without holder, that ends in a second, with the hand-over notes. */
    static V1Lease released(V1Lease lease, Map<String, String> notes, Instant now) {
        String text = notes.isEmpty() ? null : JSON.toJson(new TreeMap<>(notes));
        return claimed(annotated(lease, NOTES, text), "", 1, micros(now), now, transitions(lease));
    }

    /** The hand-over notes, none if the last holder did not give the Lease back. */
    static Map<String, String> notes(V1Lease lease) {
        String text = annotation(lease, NOTES);
        if (text == null || !holder(lease).isEmpty()) {
            return Map.of();
        }
        try {
            Map<String, String> notes = JSON.fromJson(text, new TypeToken<Map<String, String>>() {});
            return notes == null ? Map.of() : notes;
        } catch (JsonParseException e) {
            // Edited by hand: as good as nothing.
            return Map.of();
        }
    }

    /** Who should rather have the Lease, null if nobody has asked for it. */
    static @Nullable String preferredHolder(V1Lease lease) {
        return annotation(lease, PREFERRED_HOLDER);
    }

    /** The same Lease, asked for by somebody, or by nobody; who holds it and until when is as it was. */
    static V1Lease preferring(V1Lease lease, @Nullable String asker) {
        return annotated(lease, PREFERRED_HOLDER, asker);
    }

    private static @Nullable String annotation(V1Lease lease, String name) {
        V1ObjectMeta metadata = lease.getMetadata();
        Map<String, String> annotations = metadata == null ? null : metadata.getAnnotations();
        return annotations == null ? null : annotations.get(name);
    }

    /** Copied by hand, since what is known of the Lease never changes, and client-java's builders are 9 MB. */
    private static V1Lease annotated(V1Lease lease, String name, @Nullable String value) {
        V1ObjectMeta of = Objects.requireNonNullElseGet(lease.getMetadata(), V1ObjectMeta::new);
        Map<String, String> annotations = new TreeMap<>();
        if (of.getAnnotations() != null) {
            annotations.putAll(of.getAnnotations());
        }
        if (value == null) {
            annotations.remove(name);
        } else {
            annotations.put(name, value);
        }
        V1ObjectMeta metadata = new V1ObjectMeta()
                .annotations(annotations.isEmpty() ? null : annotations)
                .creationTimestamp(of.getCreationTimestamp())
                .deletionGracePeriodSeconds(of.getDeletionGracePeriodSeconds())
                .deletionTimestamp(of.getDeletionTimestamp())
                .finalizers(of.getFinalizers())
                .generateName(of.getGenerateName())
                .generation(of.getGeneration())
                .labels(of.getLabels())
                .managedFields(of.getManagedFields())
                .name(of.getName())
                .namespace(of.getNamespace())
                .ownerReferences(of.getOwnerReferences())
                .resourceVersion(of.getResourceVersion())
                .selfLink(of.getSelfLink())
                .uid(of.getUid());
        return lease(metadata).spec(lease.getSpec());
    }

    static V1ObjectMeta metadata(LeaderElectionConfig config) {
        return new V1ObjectMeta().namespace(config.leaseNamespace()).name(config.leaseName());
    }

    private static V1LeaseSpec spec(V1Lease lease) {
        return Objects.requireNonNullElseGet(lease.getSpec(), V1LeaseSpec::new);
    }

    private static V1Lease held(
            V1Lease lease,
            LeaderElectionConfig config,
            @Nullable OffsetDateTime acquired,
            Instant now,
            int transitions) {
        int seconds = (int) config.leaseDuration().toSeconds();
        return claimed(lease, config.identity(), seconds, acquired, now, transitions);
    }

    private static V1Lease claimed(
            V1Lease lease,
            String holder,
            int seconds,
            @Nullable OffsetDateTime acquired,
            Instant now,
            int transitions) {
        V1LeaseSpec spec = new V1LeaseSpec()
                .holderIdentity(holder)
                .leaseDurationSeconds(seconds)
                .acquireTime(acquired)
                .renewTime(micros(now))
                .leaseTransitions(transitions);
        return lease(lease.getMetadata()).spec(spec);
    }

    static V1Lease lease(@Nullable V1ObjectMeta metadata) {
        return new V1Lease().apiVersion("coordination.k8s.io/v1").kind("Lease").metadata(metadata);
    }

    /** What a Lease can hold: whole microseconds, in UTC. */
    private static OffsetDateTime micros(Instant time) {
        return time.truncatedTo(ChronoUnit.MICROS).atOffset(ZoneOffset.UTC);
    }
}
