package io.controllermanager.leaderelection.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.informer.Shards;
import io.controllermanager.informer.Shards.By;
import io.kubernetes.client.openapi.models.V1Lease;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an anchor says of shards, and what is written over it. */
class DivisionsTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final LeaderElectionConfig UNDIVIDED = ElectionConfigs.of("ns", "cm");
    private static final LeaderElectionConfig DIVIDED =
            UNDIVIDED.withDivided(Map.of("foo", new Shards(16, By.NAMESPACE)));

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                // What the anchor says, the count of foo, and whether it is mentioned at all.
                "-, -, false",
                "'', -, false",
                "'foo=1,foo/mixed=16', 16, true",
                "'foo/mixed=16, bar/mixed = 4,foo = 1', 16, true",
                "'foo/mixed=16', -, true",
                "'foo=1,foo/mixed=1', 1 NAMESPACE_RANGE, true",
                "'foo=16,foo/mixed=16', -, true",
                "'foo=1,foo/mixed=many', -, true",
                "'bar=1,bar/mixed=16', -, false",
                // As replicas of before the mixed order leave it behind.
                "'foo=16,foo/mixed=1', 16 NAMESPACE_RANGE, true",
                "'foo=16/uid,foo/mixed=1', 16 UID, true",
                "foo=16, 16 NAMESPACE_RANGE, true",
                "'bar=4,foo=16', 16 NAMESPACE_RANGE, true",
                "' foo = 16 , bar=4', 16 NAMESPACE_RANGE, true",
                "foo=1, 1 NAMESPACE_RANGE, true",
                "foo=16/uid, 16 UID, true",
                "' foo = 16 / name ,', 16 NAME, true",
                "foo=16/namespace, 16 NAMESPACE_RANGE, true",
                "foo=16/namespace-range, -, true",
                "foo=16/label, -, true",
                "foo=257, -, true",
                "foo=0, -, true",
                "foo=-3, -, true",
                "foo=99999999999, -, true",
                "foo=many, -, true",
                "foo, -, true",
                "'foo=', -, true",
                "'foo=8,foo=16', 16 NAMESPACE_RANGE, true",
                "foo-bar=16, -, false",
                "',,=,', -, false",
            })
    void whatTheAnchorSaysIsRead(@Nullable String text, @Nullable String count, boolean mentioned) {
        Divisions said = Divisions.parse(text);

        assertThat(said.of("foo")).isEqualTo(shards(count));
        assertThat(said.mentions("foo")).isEqualTo(mentioned);
    }

    private static @Nullable Shards shards(@Nullable String text) {
        if (text == null) {
            return null;
        }
        String[] parts = text.split(" ", -1);
        return new Shards(Integer.parseInt(parts[0]), parts.length == 1 ? By.NAMESPACE : By.valueOf(parts[1]));
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                // What the anchor says, and what a process without and one with a divided foo write over it.
                "-, -, 'foo=1,foo/mixed=16'",
                "foo=8, foo=1, 'foo=1,foo/mixed=16'",
                "foo=16, foo=1, 'foo=1,foo/mixed=16'",
                "'foo=1,foo/mixed=8', 'foo=1,foo/mixed=1', 'foo=1,foo/mixed=16'",
                "bar=4, bar=1, 'bar=1,foo=1,foo/mixed=16'",
                "'bar=1,bar/mixed=4', 'bar=1,bar/mixed=1', 'bar=1,bar/mixed=1,foo=1,foo/mixed=16'",
                "'foo=many,bar', 'bar,foo=many', 'bar,foo=1,foo/mixed=16'",
                "'foo=1,foo/mixed=many', 'foo=1,foo/mixed=many', 'foo=1,foo/mixed=16'",
                "'bar = x ,foo=1', 'bar= x,foo=1', 'bar= x,foo=1,foo/mixed=16'",
                "foo=16/uid, foo=1, 'foo=1,foo/mixed=16'",
                "*=own, *=shared, '*=shared,foo=1,foo/mixed=16'",
                "*=x, *=shared, '*=shared,foo=1,foo/mixed=16'",
            })
    void whoTakesItWritesWhatIsDividedHere(
            @Nullable String text, @Nullable String undivided, @Nullable String divided) {
        V1Lease lease = Leases.made(null, UNDIVIDED, NOW);
        if (text != null) {
            Objects.requireNonNull(lease.getMetadata()).putAnnotationsItem(Leases.SHARDS, text);
        }
        for (V1Lease before : new V1Lease[] {lease, Leases.released(lease, Map.of(), NOW)}) {
            assertThat(Leases.shards(Leases.taken(before, UNDIVIDED, NOW))).isEqualTo(undivided);
            assertThat(Leases.shards(Leases.taken(before, DIVIDED, NOW))).isEqualTo(divided);
            assertThat(Leases.shards(Leases.remade(before, DIVIDED, NOW))).isEqualTo(divided);
            assertThat(Leases.shards(Leases.resumed(before, UNDIVIDED, NOW))).isEqualTo(undivided);
            assertThat(Leases.shards(Leases.resumed(before, DIVIDED, NOW))).isEqualTo(divided);
            assertThat(Leases.shards(Leases.made(before, DIVIDED, NOW))).isEqualTo(divided);
            assertThat(Leases.shards(Leases.renewed(before, DIVIDED, NOW))).isEqualTo(text);
            assertThat(Leases.shards(Leases.released(before, Map.of(), NOW))).isEqualTo(text);
            assertThat(Leases.shards(Leases.preferring(before, "b"))).isEqualTo(text);
        }
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                // What the anchor says, whether each controller has its own Lease, and whether each ever had; what a
                // process
                // with a Lease for each and a divided bar writes over it.
                "-, false, false, '*=own,bar=4/uid'",
                "*=own, true, true, '*=own,bar=4/uid'",
                "'foo=16,*=shared', false, true, '*=own,bar=4/uid,foo=1'",
                "'*=', false, true, '*=own,bar=4/uid'",
            })
    void aLeaseForEachIsSaidOfAllAtOnce(@Nullable String text, boolean own, boolean were, String written) {
        Divisions said = Divisions.parse(text);

        assertThat(said.own()).isEqualTo(own);
        assertThat(said.wereOwn()).isEqualTo(were);
        assertThat(said.replacedBy(Map.of(Divisions.EACH, Shards.ONE, "bar", new Shards(4, By.UID)))
                        .text())
                .isEqualTo(written);
    }

    @Test
    void whatIsMadeSaysWhatIsDividedHere() {
        assertThat(Leases.shards(Leases.made(null, DIVIDED, NOW))).isEqualTo("foo=1,foo/mixed=16");
        assertThat(Leases.made(null, UNDIVIDED, NOW).getMetadata()).isEqualTo(Leases.metadata(UNDIVIDED));
    }

    @Test
    void onlyTheAnchorsConfigurationSaysWhatIsDivided() {
        assertThat(DIVIDED.withLeaseName("cm-foo-0-of-16").divided()).isEmpty();
    }
}
