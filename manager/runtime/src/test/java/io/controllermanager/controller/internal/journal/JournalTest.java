package io.controllermanager.controller.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.client.internal.connection.RequestTrail.Effect;
import io.controllermanager.client.internal.connection.RequestTrail.Write;
import io.controllermanager.controller.internal.journal.ReconcileRecord.Reason;
import io.controllermanager.workqueue.internal.Cause;
import io.controllermanager.workqueue.internal.Causes;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class JournalTest {

    private static final Instant AT = Instant.parse("2026-11-28T12:00:00Z");

    @Test
    void aRecordComesBackAsItWas() {
        ReconcileRecord record = foo("1", List.of("spec.replicas"));
        Journal journal = Journal.standard();

        journal.add("foo", new Request("default", "a"), record);

        assertThat(journal.of("foo", new Request("default", "a")).records()).containsExactly(record);
        assertThat(record).asString().endsWith("; trace 4bf9");
        assertThat(journal.of("network", new Request("default", "a")).records()).isEmpty();
        assertThat(journal.of("foo", new Request("a")).records()).isEmpty();
    }

    @Test
    void theLastTwentyThousandOfFooAreRemembered() {
        Journal journal = Journal.standard();

        IntStream.range(0, 40_000)
                .forEach(i -> journal.add(
                        "foo", new Request("default", "foo-" + i), foo(String.valueOf(i), List.of("spec.replicas"))));

        assertThat(journal.size()).isGreaterThanOrEqualTo(20_000);
        assertThat(journal.used()).isLessThanOrEqualTo(Journal.DEFAULT_BYTES);
        assertThat(journal.of("foo", new Request("default", "foo-0")).records()).isEmpty();
        assertThat(journal.of("foo", new Request("default", "foo-20000")).records())
                .hasSize(1);
    }

    @Test
    void theOldestOfAKeyGivesWayAlone() {
        Journal journal = new Journal(16_384, Set.of());

        IntStream.range(0, 100)
                .forEach(i -> journal.add("foo", new Request("default", "a"), foo(String.valueOf(i), List.of())));

        List<ReconcileRecord> records =
                journal.of("foo", new Request("default", "a")).records();
        assertThat(records).hasSizeBetween(10, 99);
        assertThat(records.get(0).id()).endsWith("-99");
        assertThat(records.get(records.size() - 1).id()).endsWith("-" + (100 - records.size()));
    }

    @Test
    void namesWithoutEndLeaveRoomForRecords() {
        Journal journal = new Journal(64 << 10, Set.of());

        IntStream.range(0, 5_000)
                .forEach(i -> journal.add(
                        "foo", new Request("default", "a"), foo(String.valueOf(i), List.of("metadata.labels.l" + i))));

        assertThat(journal.size()).isGreaterThan(50);
        assertThat(journal.used()).isLessThanOrEqualTo(64 << 10);
    }

    @Test
    void quietReconcilesAreCountedWithoutTakingMemoryPerReconcile() {
        Journal journal = new Journal(16_384, Set.of());
        Request key = new Request("default", "a");

        IntStream.range(0, 1_000).forEach(i -> journal.addQuiet("foo", key, AT.plusSeconds(i)));
        journal.add("foo", key, foo("1", List.of()));
        journal.addQuiet("foo", key, AT.plusSeconds(2_000));

        assertThat(journal.of("foo", key).quiet()).isEqualTo(1_001);
        assertThat(journal.of("foo", key).quietAt()).isEqualTo(AT.plusSeconds(2_000));
        IntStream.range(0, 100_000).forEach(i -> journal.addQuiet("foo", new Request("default", "quiet-" + i), AT));
        assertThat(journal.used()).isLessThanOrEqualTo(16_384);
        assertThat(journal.of("foo", new Request("default", "quiet-99999")).quiet())
                .isEqualTo(1);
    }

    @Test
    void aRecordOfManyAndLongNamesIsCut() {
        String path = "spec.template.spec." + "x".repeat(100);
        List<String> paths = Collections.nCopies(8, path);
        Reason reason =
                new Reason(Cause.Kind.UPDATED, "deployments.apps/v1", "ns/" + "n".repeat(253), "owned", 1, paths);
        Write write = new Write("patch", "deployments.apps", "ns/" + "n".repeat(253), Effect.CHANGED, paths);
        ReconcileRecord record = record("1", Collections.nCopies(8, reason), Collections.nCopies(8, write));

        Codec codec = new Codec(1 << 16);
        assertThat(codec.encode("a/b", record)).hasSizeLessThanOrEqualTo(Codec.LARGEST);
        ReconcileRecord decoded = codec.decode("a/b", codec.encode("a/b", record));
        assertThat(decoded.causes().size() + decoded.moreCauses()).isEqualTo(8);
        assertThat(decoded.writes().size() + decoded.moreWrites()).isEqualTo(8);
    }

    @Test
    void eightPathsAreKeptOfARecord() {
        List<String> paths = IntStream.range(0, 8).mapToObj(i -> "spec.p" + i).toList();
        Reason reason = new Reason(Cause.Kind.UPDATED, "foos", "a/b", "", 1, paths);
        Write write = new Write("patch", "deployments.apps", "a/b", Effect.CHANGED, paths);

        Codec codec = new Codec(1 << 16);
        ReconcileRecord decoded =
                codec.decode("a/b", codec.encode("a/b", record("1", List.of(reason), List.of(write))));

        assertThat(Stream.concat(decoded.causes().get(0).paths().stream(), decoded.writes().get(0).paths().stream())
                        .filter(path -> path.startsWith("spec.")))
                .hasSize(8);
        assertThat(decoded.writes().get(0).paths()).endsWith("…");
    }

    @Test
    void keysAreFoundByPartsOfThem() {
        Journal journal = Journal.standard();
        journal.add("foo", new Request("default", "first"), foo("1", List.of()));
        journal.add("foo", new Request("default", "second"), foo("2", List.of()));
        journal.addQuiet("foo", new Request("other", "first"), AT);
        journal.add("network", new Request("default", "first"), foo("3", List.of()));

        assertThat(journal.search("foo", "first", 10))
                .containsExactly(new Request("default", "first"), new Request("other", "first"));
        assertThat(journal.search("foo", "default/", 1)).containsExactly(new Request("default", "second"));
    }

    /** As a change of a Foo's replicas leads to. */
    private static ReconcileRecord foo(String id, List<String> paths) {
        String key = "default/foo-" + id;
        Reason reason = new Reason(Cause.Kind.UPDATED, "foos.samplecontroller.k8s.io/v1alpha1", key, "", 1, paths);
        Write deployment = new Write("patch", "deployments.apps", key, Effect.CHANGED, paths);
        Write status = new Write(
                "patch",
                "foos.samplecontroller.k8s.io/status",
                key,
                Effect.CHANGED,
                List.of("status.observedGeneration"));
        return record("d5413fa7514777b4-" + id, List.of(reason), List.of(deployment, status));
    }

    private static ReconcileRecord record(String id, List<Reason> causes, List<Write> writes) {
        return new ReconcileRecord(
                AT,
                Duration.ofMillis(4),
                id,
                "4bf9",
                0,
                Duration.ofMillis(1),
                Causes.Delay.BACKOFF,
                Duration.ofMillis(5),
                causes,
                0,
                "success",
                "",
                false,
                null,
                writes,
                0,
                List.of(),
                0);
    }
}
