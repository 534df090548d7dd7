package io.controllermanager.testing.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.informer.Shards;
import io.controllermanager.testing.failover.AuditEvent.LeaseState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WorkTest {

    private static final Work DIVIDED = Work.parse("16/200/10000");

    @Test
    void needsOneLeaseForEverythingThatIsNotDivided() {
        assertThat(Work.UNDIVIDED.leases()).containsExactly("controller-manager");
        assertThat(Work.UNDIVIDED.lease("default")).isEqualTo("controller-manager");
        assertThat(Work.UNDIVIDED.lease("")).isEqualTo("controller-manager");
        assertThat(Work.UNDIVIDED.arguments()).isEmpty();
    }

    @Test
    void hasALeaseForEachShardAndANamespaceForEachLease() {
        assertThat(DIVIDED.leases())
                .hasSize(16)
                .contains("controller-manager-foo-0-of-16", "controller-manager-foo-15-of-16")
                .allSatisfy(lease ->
                        assertThat(DIVIDED.lease(DIVIDED.namespaceOf(lease))).isEqualTo(lease));
        assertThat(DIVIDED.namespaceNames()).hasSize(200).doesNotHaveDuplicates();
    }

    @Test
    void takesTheFirstDigitOfTheHashForOneOfSixteen() {
        assertThat(DIVIDED.lease("default")).isEqualTo("controller-manager-foo-" + firstDigit("default") + "-of-16");
    }

    /** The hash once more, since what is judged must not be the judge. */
    private static long firstDigit(String text) {
        long hash = 0xcbf29ce484222325L;
        for (char c : text.toCharArray()) {
            hash = (hash ^ c) * 0x100000001b3L;
        }
        for (long factor : new long[] {0xff51afd7ed558ccdL, 0xc4ceb9fe1a85ec53L, 1}) {
            hash = (hash ^ (hash >>> 33)) * factor;
        }
        return hash >>> 60;
    }

    @Test
    void knowsWhichLeaseAnEventIsAbout() {
        assertThat(DIVIDED.lease(event("leases", "kube-system", "controller-manager-foo-3-of-16", true)))
                .isEqualTo("controller-manager-foo-3-of-16");
        assertThat(DIVIDED.lease(event("deployments", "000-team", "foo", false)))
                .isEqualTo(DIVIDED.lease("000-team"));
        assertThat(DIVIDED.leases())
                .as("a write outside of namespaces needs a Lease that nobody has")
                .doesNotContain(DIVIDED.lease(event("nodes", "", "foo", false)));
    }

    private static AuditEvent event(String resource, String namespace, String name, boolean lease) {
        Instant now = Instant.EPOCH;
        @Nullable LeaseState state = lease ? new LeaseState("a_1", 1, null) : null;
        return new AuditEvent(now, now, "a", "update", resource, namespace, name, 200, null, state);
    }

    /** So that replicas work side by side where a former version divides so. */
    @Test
    void hasNamespacesInEachRange() {
        Shards ranges = new Shards(4, Shards.By.NAMESPACE_RANGE);

        assertThat(new Work(4, 8, 100).namespaceNames().stream().map(name -> ranges.of(name, "", null)))
                .contains(0, 1, 2, 3);
    }
}
