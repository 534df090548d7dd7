package io.controllermanager.testing.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.controllermanager.testing.failover.AuditEvent.LeaseState;
import io.controllermanager.testing.failover.Judge.Finding;
import io.controllermanager.testing.failover.Judge.Kind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Times are in milliseconds. */
class SideBySideTest {

    private final List<AuditEvent> events = new ArrayList<>();
    private final List<Finding> judged = new ArrayList<>();
    private long version;

    @Test
    void isContentIfOneFollowsTheOther() {
        write("a", "foo", 0, 10);
        write("a", "foo", 20, 30);
        write("b", "foo", 31, 40);
        write("b", "foo", 41, 50);

        assertThat(find()).isEmpty();
    }

    @Test
    void noticesTwoWritesOfOneFooThatAreUnderWayTogether() {
        write("a", "foo", 0, 10);
        write("b", "foo", 9, 20);

        assertThat(find()).extracting(Finding::at).containsExactly(at(9));
    }

    @Test
    void looksAtEachFooByItself() {
        write("a", "foo", 0, 10);
        write("b", "bar", 5, 20);
        write("a", "foo", 21, 30);

        assertThat(find()).isEmpty();
    }

    @Test
    void noticesTwoThatTakeTurns() {
        take("a", 0);
        take("b", 15);
        write("a", "foo", 1, 10);
        write("b", "foo", 20, 30);
        write("a", "foo", 40, 50);

        assertThat(find()).extracting(Finding::at, Finding::kind).containsExactly(tuple(at(40), Kind.VIOLATION));
    }

    @Test
    void allowsAReplicaToWriteAgainThatHasTheLeaseAgain() {
        take("a", 0);
        write("a", "foo", 1, 10);
        take("b", 15);
        write("b", "foo", 20, 30);
        take("a", 35);
        write("a", "foo", 40, 50);

        assertThat(find()).isEmpty();
    }

    @Test
    void takesARenewalForNoHandOver() {
        take("a", 0);
        write("a", "foo", 1, 10);
        take("b", 15);
        write("b", "foo", 20, 30);
        take("b", 35);
        write("a", "foo", 40, 50);

        assertThat(find()).hasSize(1);
    }

    @Test
    void leavesOutsideOfTheGuaranteeWhatIsOutside() {
        write("a", "foo", 0, 10);
        write("b", "foo", 9, 20);
        judged.add(new Finding(at(0), "a", Kind.ON_THE_WIRE, "late"));

        assertThat(find()).extracting(Finding::kind).containsExactly(Kind.ON_THE_WIRE);
    }

    @Test
    void doesNotMindWhoIsNoReplica() {
        write("a", "foo", 0, 10);
        write("administrator", "foo", 5, 20);
        write("a", "foo", 21, 30);

        assertThat(find()).isEmpty();
    }

    private static Instant at(long millis) {
        return Instant.EPOCH.plusMillis(millis);
    }

    private void write(String user, String foo, long received, long completed) {
        events.add(new AuditEvent(
                at(received), at(completed), user, "patch", "deployments", "default", foo, 200, null, null));
    }

    private void take(String user, long received) {
        version++;
        events.add(new AuditEvent(
                at(received),
                at(received + 1),
                user,
                "update",
                "leases",
                "default",
                "lease",
                200,
                null,
                new LeaseState(user + "_1", version, null)));
    }

    private List<Finding> find() {
        return SideBySide.find(events, Set.of("a", "b"), judged);
    }
}
