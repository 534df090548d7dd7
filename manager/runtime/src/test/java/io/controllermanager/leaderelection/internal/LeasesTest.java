package io.controllermanager.leaderelection.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LeasesTest {

    private static final Instant WHOLE_SECOND = Instant.parse("2026-01-01T00:00:00Z");
    private final LeaderElectionConfig config = ElectionConfigs.of("ns", "lease", "host_1");

    @Test
    void timesHaveSixDigitsAsGosMicroTimeWantsThem() {
        V1Lease made = Leases.made(null, config, WHOLE_SECOND);
        V1Lease renewed = Leases.renewed(made, config, WHOLE_SECOND.plusNanos(123_456_789));

        assertThat(JSON.serialize(renewed))
                .contains("\"acquireTime\":\"2026-01-01T00:00:00.000000Z\"")
                .contains("\"renewTime\":\"2026-01-01T00:00:00.123456Z\"");
    }

    @Test
    void aReleasedLeaseHasAnEmptyHolderOnTheWire() {
        V1Lease released = Leases.released(Leases.made(null, config, WHOLE_SECOND), Map.of(), WHOLE_SECOND);

        assertThat(JSON.serialize(released)).contains("\"holderIdentity\":\"\"").contains("\"leaseDurationSeconds\":1");
    }

    @Test
    void whatAHolderLeavesTravelsWithTheReleasedLeaseOnly() {
        V1Lease made = Leases.made(null, config, WHOLE_SECOND);
        Objects.requireNonNull(made.getMetadata()).putAnnotationsItem("team", "x");
        V1Lease released = Leases.released(made, Map.of("foos", "7", "deployments", "9"), WHOLE_SECOND);
        V1Lease read = JSON.deserialize(JSON.serialize(released), V1Lease.class);
        assertThat(Leases.notes(read)).containsOnly(Map.entry("foos", "7"), Map.entry("deployments", "9"));
        assertThat(Leases.notes(made)).isEmpty();

        V1Lease taken = Leases.taken(read, config, WHOLE_SECOND);

        assertThat(Leases.notes(taken)).isEmpty();
        assertThat(Objects.requireNonNull(taken.getMetadata()).getAnnotations()).containsOnly(Map.entry("team", "x"));
    }

    /** The API server takes no number below 0, and none above. */
    @ParameterizedTest
    @CsvSource({"0, 1", "7, 8", "2147483646, 2147483647", "2147483647, 1", "-1, 1", ", 1"})
    void transitionsStartAgainAfterTheLargestNumber(@Nullable Integer before, int after) {
        V1Lease lease = Leases.made(null, config, WHOLE_SECOND);
        Objects.requireNonNull(lease.getSpec()).setLeaseTransitions(before);

        V1Lease taken = Leases.taken(lease, config, WHOLE_SECOND);

        assertThat(Objects.requireNonNull(taken.getSpec()).getLeaseTransitions())
                .isEqualTo(after);
    }

    @Test
    void everythingElseInTheMetadataStays() {
        String whole = """
                {"annotations":{"team":"x"},"creationTimestamp":"2026-01-01T00:00:00Z","deletionGracePeriodSeconds":1,\
                "deletionTimestamp":"2026-01-01T00:00:01Z","finalizers":["f"],"generateName":"g","generation":2,\
                "labels":{"l":"v"},"managedFields":[{"manager":"m"}],"name":"lease","namespace":"ns",\
                "ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n","uid":"u"}],"resourceVersion":"5",\
                "selfLink":"s","uid":"w"}""";
        V1ObjectMeta metadata = JSON.deserialize(whole, V1ObjectMeta.class);
        assertThat(JsonParser.parseString(whole).getAsJsonObject().keySet())
                .as("a new version of client-java may have more")
                .containsExactlyInAnyOrderElementsOf(V1ObjectMeta.openapiFields);

        assertThat(Leases.preferring(Leases.lease(metadata), null).getMetadata())
                .isEqualTo(metadata)
                .isNotSameAs(metadata);
        assertThat(Objects.requireNonNull(Leases.preferring(Leases.lease(metadata), "other")
                                .getMetadata())
                        .getAnnotations())
                .containsOnlyKeys("team", Leases.PREFERRED_HOLDER);
    }

    @Test
    void notesThatWereEditedByHandAreAsGoodAsNone() {
        V1Lease released = Leases.released(Leases.made(null, config, WHOLE_SECOND), Map.of(), WHOLE_SECOND);
        Objects.requireNonNull(released.getMetadata()).putAnnotationsItem(Leases.NOTES, "{\"foos\":");

        assertThat(Leases.notes(released)).isEmpty();
    }

    @Test
    void whatIsWrittenIsReadBackAlike() {
        V1Lease taken = Leases.taken(Leases.made(null, config, WHOLE_SECOND), config, WHOLE_SECOND.plusNanos(7_000));
        V1Lease read = JSON.deserialize(JSON.serialize(taken), V1Lease.class);

        assertThat(read.getSpec()).isEqualTo(taken.getSpec());
        assertThat(Leases.transitions(read)).isEqualTo(1);
        assertThat(Leases.holder(read)).isEqualTo("host_1");
        assertThat(Leases.duration(read, java.time.Duration.ZERO)).isEqualTo(config.leaseDuration());
    }
}
