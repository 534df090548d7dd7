package io.controllermanager.testing.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.controllermanager.testing.failover.AuditEvent.LeaseState;
import io.controllermanager.testing.failover.Judge.Finding;
import io.controllermanager.testing.failover.Judge.Kind;
import io.controllermanager.testing.failover.Judge.Suspension;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Times are in milliseconds; a request takes two. The lease is 3/2/0.5 s. */
class JudgeTest {

    private final List<AuditEvent> events = new ArrayList<>();
    private final Map<String, List<Reconcile>> reconciles = new HashMap<>();
    private final List<Suspension> suspensions = new ArrayList<>();
    private final List<Judge.Restore> restores = new ArrayList<>();
    private long version;

    @Test
    void isContentWithALeaderThatRenewsAndReleases() {
        lease(0, "a", "a_1");
        write(10, "a");
        reconcile("a", 11, 11, 3849);
        lease(1900, "a", "a_1");
        write(3800, "a");
        lease(3850, "a", "");
        lease(3860, "b", "b_1");
        write(3865, "b");

        assertThat(judge()).isEmpty();
    }

    @Test
    void noticesAWriteAfterAnotherHasTakenTheLease() {
        lease(0, "a", "a_1");
        lease(3100, "b", "b_1");
        write(3103, "a", 1500);

        assertThat(kinds()).containsExactly(Kind.VIOLATION);
    }

    @Test
    void allowsAWriteThatArrivesBeforeTheAnswerToWhomTheLeaseGoes() {
        lease(0, "a", "a_1");
        lease(3100, "b", "b_1");
        write(3101, "a", 1500);

        assertThat(judge()).isEmpty();
    }

    @Test
    void noticesAWriteOfAReplicaThatHasReleasedTheLeaseThoughNobodyHasTakenIt() {
        lease(0, "a", "a_1");
        lease(100, "a", "");
        write(101, "a");

        assertThat(kinds()).containsExactly(Kind.VIOLATION);
    }

    @Test
    void noticesAWriteOfAReplicaThatNeverLed() {
        lease(0, "a", "a_1");
        write(10, "b");

        assertThat(judge()).extracting(Finding::replica, Finding::kind).containsExactly(tuple("b", Kind.VIOLATION));
    }

    @Test
    void noticesAWriteThatWasDecidedWhenLeadershipWasNotProvenAnyMore() {
        lease(0, "a", "a_1");
        write(2004, "a");
        write(2006, "a");

        assertThat(judge()).extracting(Finding::at).containsExactly(at(2006));
    }

    @Test
    void asksWhenAWriteCameToTheFenceNotHowLongItTravelled() {
        lease(0, "a", "a_1");
        write(2900, "a", 1999);

        assertThat(judge()).isEmpty();
    }

    @Test
    void countsApartWhatWasPastTheFenceAtASuspension() {
        lease(0, "a", "a_1");
        suspensions.add(new Suspension("a", at(1000), at(7000)));
        lease(3100, "b", "b_1");
        write(7001, "a", 999);
        write(7002, "a", 7000);

        assertThat(kinds()).containsExactly(Kind.ON_THE_WIRE, Kind.VIOLATION);
    }

    @Test
    void countsApartWhatIsWrittenRightAfterACopyWasPutBackThatNamesAnother() {
        lease(0, "a", "a_1");
        restores.add(new Judge.Restore(at(999), at(1000), "b_1"));
        version = 0;
        write(1001, "a");
        write(3501, "a");
        lease(4100, "b", "b_1");
        write(4200, "b");

        assertThat(kinds()).containsExactly(Kind.AFTER_EDIT, Kind.VIOLATION);
    }

    @Test
    void isContentWithALeaderThatGoesOnAfterACopyThatNamesIt() {
        lease(0, "a", "a_1");
        lease(500, "a", "a_1");
        restores.add(new Judge.Restore(at(999), at(1000), "a_1"));
        version = 0;
        write(1001, "a");
        lease(1100, "a", "a_1");
        write(3000, "a");

        assertThat(judge()).isEmpty();
    }

    @Test
    void countsApartTheReconcilesThatASuspensionFoundBehindTheGate() {
        lease(0, "a", "a_1");
        suspensions.add(new Suspension("a", at(1000), at(7000)));
        lease(3100, "b", "b_1");
        reconcile("a", 990, 991, 7001);
        reconcile("a", 995, 7001, 7002);
        reconcile("a", 999, 7001, 9001);
        reconcile("a", 7001, 7001, 7002);

        assertThat(kinds()).containsExactly(Kind.ON_THE_WIRE, Kind.ON_THE_WIRE, Kind.VIOLATION, Kind.VIOLATION);
    }

    @Test
    void noticesAReconcileThatPassesItsGateWhenLeadershipIsNotProvenAnyMore() {
        lease(0, "a", "a_1");
        reconcile("a", 2004, 2030, 2040);
        reconcile("a", 2006, 2006, 2007);

        assertThat(judge()).extracting(Finding::at).containsExactly(at(2006));
    }

    @Test
    void noticesAReconcileThatRunsOnWhenAnotherHasTheLease() {
        lease(0, "a", "a_1");
        lease(3100, "b", "b_1");
        reconcile("a", 10, 11, 3103);
        reconcile("a", 20, 21, 3300);
        reconcile("a", 30, 3200, 3300);
        reconcile("a", 40, 41, 5200);

        assertThat(kinds()).containsExactly(Kind.LATE, Kind.LATE, Kind.VIOLATION);
    }

    @Test
    void noticesAReconcileThatRunsWhenItsReplicaReleasesTheLease() {
        lease(0, "a", "a_1");
        lease(100, "a", "");
        reconcile("a", 10, 11, 110);

        assertThat(kinds()).containsExactly(Kind.VIOLATION);
    }

    @Test
    void knowsAReconcileAgainThatRunsOn() {
        lease(0, "a", "a_1");
        lease(3100, "b", "b_1");
        reconcile("a", 10, 11, 5200);
        List<Finding> found = judge();
        reconciles.clear();
        reconcile("a", 10, 11, 6000);

        assertThat(judge()).isEqualTo(found);
    }

    @Test
    void knowsWhetherNothingHasKeptTheLeaderFromItsRenewals() {
        lease(0, "a", "a_1");
        lease(500, "a", "a_1");
        lease(900, "administrator", "a_1");
        lease(1000, "a", "a_1");
        lease(1700, "b", "b_1");
        lease(9000, "a", "a_1");

        assertThat(Renewals.longestGap(events, "a", at(400), at(9999))).hasMillis(700);
        assertThat(Renewals.longestGap(events, "a", at(400), at(1300))).hasMillis(502);
    }

    @Test
    void countsApartWhatIsDoneRightAfterTheHolderWasChangedByHand() {
        lease(0, "a", "a_1");
        lease(1000, "administrator", "");
        write(1005, "a");
        lease(1010, "b", "b_1");
        write(1015, "a");
        reconcile("a", 900, 901, 3500);
        write(3503, "a");

        assertThat(kinds()).containsExactly(Kind.AFTER_EDIT, Kind.AFTER_EDIT, Kind.AFTER_EDIT, Kind.VIOLATION);
    }

    @Test
    void doesNotCountAGoProgramThatTakesTheLeaseAsAHand() {
        lease(0, "a", "a_1");
        lease(3100, "go", "go_go");
        write(3110, "a", 1999);

        assertThat(kinds()).containsExactly(Kind.VIOLATION);
    }

    @Test
    void countsApartWhatIsDoneRightAfterAGoProgramHasMadeADeletedLeaseAnew() {
        lease(0, "a", "a_1");
        version++;
        events.add(new AuditEvent(
                at(100),
                at(102),
                "go",
                "create",
                "leases",
                "default",
                "lease",
                201,
                null,
                new LeaseState("go_go", version, null)));
        reconcile("a", 90, 91, 9000);
        write(110, "a");
        write(2603, "a");
        reconcile("a", 2700, 2701, 2702);

        assertThat(kinds()).containsExactly(Kind.AFTER_EDIT, Kind.AFTER_EDIT, Kind.VIOLATION, Kind.VIOLATION);
    }

    @Test
    void letsAReplicaWorkAgainThatLeadsAgain() {
        lease(0, "a", "a_1");
        lease(3100, "b", "b_1");
        lease(6300, "a", "a_1");
        write(6301, "a");
        reconcile("a", 6302, 6302, 6303);

        assertThat(judge()).isEmpty();
    }

    @Test
    void isNotConfusedByAnEditThatLeavesTheHolderOrByADeletion() {
        lease(0, "a", "a_1");
        lease(500, "administrator", "a_1");
        events.add(new AuditEvent(
                at(600), at(602), "administrator", "delete", "leases", "default", "lease", 200, null, null));
        lease(610, "a", "a_1");
        write(2500, "a");

        assertThat(judge()).isEmpty();
    }

    @Test
    void readsAnAuditLine() {
        AuditEvent event = AuditEvent.parse("""
                {"kind":"Event","level":"Metadata","stage":"ResponseComplete","verb":"patch",
                "requestReceivedTimestamp":"2026-01-01T00:00:01.000001Z","stageTimestamp":"2026-01-01T00:00:01.000002Z",
                "user":{"username":"a"},"userAgent":"controller-manager/1 at=1000000005",
                "objectRef":{"resource":"deployments","name":"foo"},"responseStatus":{"code":200}}""", new StampClock(at(0), 0));

        assertThat(event.isWrite()).isTrue();
        assertThat(event.user()).isEqualTo("a");
        assertThat(event.stamp()).isEqualTo(at(1000).plusNanos(5));
        assertThat(event.received()).isEqualTo(Instant.parse("2026-01-01T00:00:01.000001Z"));
    }

    @Test
    void readsWhoHoldsTheReplicasLeaseAndNoOther() {
        String line = """
                {"kind":"Event","stage":"ResponseComplete","verb":"update",
                "requestReceivedTimestamp":"2026-01-01T00:00:01.000001Z","stageTimestamp":"2026-01-01T00:00:01.000002Z",
                "user":{"username":"a"},"objectRef":{"resource":"leases","name":"controller-manager"},
                "responseStatus":{"code":200},"responseObject":{"metadata":{"namespace":"NAMESPACE",
                "name":"controller-manager","resourceVersion":"17"},"spec":{"holderIdentity":"a_1",
                "renewTime":"2026-01-01T01:00:01.000000Z"}}}""";
        StampClock clock = new StampClock(at(0), 0);

        assertThat(AuditEvent.parse(line.replace("NAMESPACE", "controller-manager-system"), clock)
                        .lease())
                .isEqualTo(new LeaseState("a_1", 17, Instant.parse("2026-01-01T01:00:01Z")));
        assertThat(AuditEvent.parse(line.replace("NAMESPACE", "kube-system"), clock)
                        .isLeaseWrite())
                .isFalse();
    }

    @Test
    void takesADryRunForNoChangeOfTheLease() {
        String line = """
                {"kind":"Event","stage":"ResponseComplete","verb":"update","requestURI":"PATH",
                "requestReceivedTimestamp":"2026-01-01T00:00:01.000001Z","stageTimestamp":"2026-01-01T00:00:01.000002Z",
                "user":{"username":"b"},"objectRef":{"resource":"leases","name":"controller-manager"},
                "responseStatus":{"code":200},"responseObject":{"metadata":{"namespace":"controller-manager-system",
                "name":"controller-manager","resourceVersion":"17"},"spec":{"holderIdentity":"a_1"}}}""";
        StampClock clock = new StampClock(at(0), 0);

        assertThat(AuditEvent.parse(line.replace("PATH", "/leases/controller-manager"), clock)
                        .isLeaseWrite())
                .isTrue();
        assertThat(AuditEvent.parse(line.replace("PATH", "/leases/controller-manager?dryRun=All"), clock)
                        .isLeaseWrite())
                .isFalse();
    }

    private static Instant at(long millis) {
        return Instant.parse("2026-01-01T00:00:00Z").plusMillis(millis);
    }

    private void lease(long received, String user, String holder) {
        version++;
        events.add(new AuditEvent(
                at(received),
                at(received + 2),
                user,
                "update",
                "leases",
                "default",
                "lease",
                200,
                null,
                new LeaseState(holder, version, null)));
    }

    private void write(long received, String user) {
        write(received, user, received);
    }

    private void write(long received, String user, long stamped) {
        events.add(new AuditEvent(
                at(received),
                at(received + 2),
                user,
                "patch",
                "deployments",
                "default",
                "foo",
                200,
                at(stamped),
                null));
    }

    private void reconcile(String replica, long gate, long begin, long end) {
        reconciles
                .computeIfAbsent(replica, name -> new ArrayList<>())
                .add(new Reconcile("default", at(gate), at(begin), at(end)));
    }

    private List<Finding> judge() {
        return new Judge(Timings.SHORT, Set.of("a", "b"), restores)
                .judge(events, reconciles, suspensions, Set.of("go"));
    }

    private List<Kind> kinds() {
        return judge().stream().map(Finding::kind).toList();
    }
}
