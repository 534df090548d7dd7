package io.controllermanager.leaderelection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.client.WriteFence.WriteRefusedException;
import io.controllermanager.time.VirtualTime;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * Every transition of leadership, in virtual time. These cases of {@code leaderelection_test.go} and {@code
 * healthzadaptor_test.go} in client-go v0.36.3 are re-expressed here:
 *
 * <ul>
 *   <li>{@code testTryAcquireOrRenew}: acquire from no object, from an object without record, from a led object after its
 *       lease duration, from an unled object, from a led object not yet observed, from an empty led one although just
 *       observed; no acquisition of a led and fresh one; renewal of one's own
 *   <li>{@code testReleaseLease}: release of an acquired lock that is gone
 *   <li>{@code TestReleaseMethodCallsGet} and {@code TestReleaseRetriesOnConflict}: a release works on the newest
 *       resourceVersion; it is read after a conflict only, as for renewals
 *   <li>{@code testReleaseOnCancellation}: release after a stop in the midst of an update, and of a get
 *   <li>{@code TestFastPathLeaderElection}: renewals need no get; after a conflict one get is made
 *   <li>{@code TestLeaderElectionHealthChecker}: before the start, far expired, far expired but another's, not expired,
 *       expired within the tolerance
 *   <li>{@code TestLeaderElectionConfigValidation}: in {@link LeaderElectionConfigTest}
 *   <li>{@code TestLeaseSpecToLeaderElectionRecordRoundTrip}: in {@link LeasesTest}
 * </ul>
 *
 * <p>{@code TestTryCoordinatedRenew} is left out: coordinated leader election (an alpha feature) is not built. {@code
 * TestCheckMethodRace} is a data race test for Go's race detector; its state is guarded by a monitor here. One case
 * differs on purpose: a Lease with a holder but no duration is waited out for our own lease duration, where client-go
 * takes it at once.
 */
class LeaderElectorTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();
    private final LeaseStore store = new LeaseStore();
    private final List<String> notices = new ArrayList<>();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

    @Test
    void aMissingLeaseIsMadeAndLed() {
        Contender a = new Contender("a");
        a.start();

        assertThat(notices).containsExactly("a acquired");
        assertThat(store.requests()).containsExactly("a:get", "a:create");
        V1LeaseSpec spec = spec();
        assertThat(spec.getHolderIdentity()).isEqualTo("a");
        assertThat(spec.getLeaseDurationSeconds()).isEqualTo(15);
        assertThat(spec.getLeaseTransitions()).isZero();
        assertThat(instant(spec.getAcquireTime())).isEqualTo(VirtualTime.START);
        assertThat(instant(spec.getRenewTime())).isEqualTo(VirtualTime.START);
    }

    @Test
    void aLeaseWithoutSpecIsTakenAndCountsAsTransition() {
        store.put(new V1Lease().metadata(new V1ObjectMeta().name("lease").namespace("ns")));
        Contender a = new Contender("a");
        a.start();

        assertThat(notices).containsExactly("a acquired");
        assertThat(spec().getLeaseTransitions()).isEqualTo(1);
    }

    @Test
    void aLeaseWithEmptyHolderIsTakenAtOnceHoweverFresh() {
        store.put(lease("", 15, 3));
        Contender a = new Contender("a");
        a.start();

        assertThat(notices).containsExactly("a acquired");
        assertThat(spec().getLeaseTransitions()).isEqualTo(4);
    }

    @Test
    void anothersLeaseIsTakenOnceItsOwnDurationHasPassedSinceItWasFirstSeen() {
        // Its renewTime is a year old, which must not matter.
        store.put(lease("x", 30, 7));
        store.edit(lease -> specOf(lease)
                .setRenewTime(VirtualTime.START.atOffset(ZoneOffset.UTC).minusYears(1)));
        Contender a = new Contender("a");
        a.start();

        time.advance(Duration.ofMillis(29_999));
        assertThat(notices).isEmpty();
        assertThat(a.elector.status().holder()).isEqualTo("x");
        time.advance(Duration.ofMillis(102));
        assertThat(notices).containsExactly("a acquired");
        assertThat(spec().getLeaseTransitions()).isEqualTo(8);
        assertThat(instant(spec().getAcquireTime())).isAfter(VirtualTime.START);
    }

    @Test
    void anothersLeaseWithoutDurationIsWaitedOutForOurs() {
        store.put(lease("x", 15, 0));
        store.edit(lease -> specOf(lease).setLeaseDurationSeconds(null));
        Contender a = new Contender("a");
        a.start();

        time.advance(Duration.ofMillis(14_999));
        assertThat(notices).isEmpty();
        time.advance(Duration.ofMillis(102));
        assertThat(notices).containsExactly("a acquired");
    }

    @Test
    void theLeaseOfAnEarlierProcessOfTheSamePodIsTakenAtOnce() {
        Contender before = new Contender("before", config("host:6f0c-1_random-1"));
        before.start();
        before.silent = true;
        Contender otherPod = new Contender("other pod", config("host:6f0c-2_random-2"));
        Contender samePod = new Contender("same pod", config("host:6f0c-1_random-3"));
        otherPod.start();
        assertThat(notices).containsExactly("before acquired");
        samePod.start();

        assertThat(notices).containsExactly("before acquired", "same pod acquired");
        assertThat(spec().getLeaseTransitions()).isEqualTo(1);
    }

    @Test
    void anIdentityThatNamesNoPodTakesNoLeaseEarly() {
        assertThat(PodIdentity.isEarlierProcess("host_a", "host_b")).isFalse();
        assertThat(PodIdentity.isEarlierProcess("host:_a", "host:_b")).isFalse();
        assertThat(PodIdentity.isEarlierProcess("ho:st_a", "ho:st")).isFalse();
        assertThat(PodIdentity.isEarlierProcess("host:pod_a", "host:pod_a")).isFalse();
        assertThat(PodIdentity.isEarlierProcess("host:pod_2_a", "host:pod_b")).isFalse();
        assertThat(PodIdentity.isEarlierProcess("host:pod_a", "host:pod_b")).isTrue();
        assertThat(LeaderElectionConfig.podIdentity("6f0c1e32-22e5-4dc4-9d2b-0c5a8f7a1b11"))
                .matches(".+:6f0c1e32-22e5-4dc4-9d2b-0c5a8f7a1b11_[0-9a-f-]{36}");
        assertThatThrownBy(() -> LeaderElectionConfig.podIdentity("metadata uid"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("podUid must be the uid of a pod (letters, digits and dashes), but is \"metadata uid\"");
    }

    @Test
    void renewalByTheHolderStartsTheWaitAnew() {
        store.put(lease("x", 15, 0));
        Contender a = new Contender("a");
        a.start();
        for (int i = 0; i < 20; i++) {
            time.advance(Duration.ofSeconds(5));
            store.edit(lease -> specOf(lease).setRenewTime(time.now().atOffset(ZoneOffset.UTC)));
        }

        assertThat(notices).isEmpty();
    }

    @Test
    void renewalsNeedNoReadAndKeepAcquireTimeAndTransitions() {
        store.put(lease("", 15, 3));
        Contender a = new Contender("a");
        a.start();
        store.forgetRequests();
        time.advance(Duration.ofSeconds(8));

        assertThat(store.requests()).containsExactly("a:update", "a:update", "a:update", "a:update");
        assertThat(instant(spec().getAcquireTime())).isEqualTo(VirtualTime.START);
        assertThat(instant(spec().getRenewTime())).isEqualTo(VirtualTime.START.plusSeconds(8));
        assertThat(spec().getLeaseTransitions()).isEqualTo(4);
        assertThat(notices).containsExactly("a acquired");
    }

    @Test
    void aLeaseChangedByAnotherHandIsReadAgainAndRenewedWithItsLabels() {
        Contender a = new Contender("a");
        a.start();
        store.edit(lease -> Objects.requireNonNull(lease.getMetadata()).setLabels(Map.of("team", "x")));
        store.forgetRequests();
        time.advance(Duration.ofSeconds(4));

        assertThat(store.requests()).containsExactly("a:update", "a:get", "a:update", "a:update");
        assertThat(Objects.requireNonNull(current().getMetadata()).getLabels()).containsEntry("team", "x");
        assertThat(notices).containsExactly("a acquired");
        assertThat(meters.get("leader_election_slowpath_total")
                        .tag("name", "lease")
                        .counter()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void ofTwoThatTryAtOnceOneLeads() {
        store.put(lease("", 15, 0));
        Contender a = new Contender("a");
        Contender b = new Contender("b");
        // b takes it between a's read and a's update.
        a.lock.beforeAnswer(() -> {
            a.lock.beforeAnswer(() -> {});
            b.start();
        });
        a.start();

        assertThat(notices).containsExactly("b acquired");
        assertThat(spec().getHolderIdentity()).isEqualTo("b");
        assertThat(a.elector.status().lastError()).isNull();
        time.advance(Duration.ofMinutes(10));
        assertThat(notices).containsExactly("b acquired");
    }

    @Test
    void ofTwoThatMakeItAtOnceOneLeads() {
        Contender a = new Contender("a");
        Contender b = new Contender("b");
        a.lock.beforeAnswer(() -> {
            a.lock.beforeAnswer(() -> {});
            b.start();
        });
        a.start();

        assertThat(notices).containsExactly("b acquired");
        time.advance(Duration.ofMinutes(1));
        assertThat(notices).containsExactly("b acquired");
    }

    @Test
    void failedRenewalsThatRecoverInTimeChangeNothing() throws Exception {
        Contender a = new Contender("a");
        a.start();
        a.lock.failWith("connection refused");
        time.advance(Duration.ofSeconds(7));
        a.elector.checkWrite();
        assertThat(a.elector.status().lastError()).isEqualTo("connection refused");
        a.lock.failWith(null);
        time.advance(SECOND);
        time.advance(Duration.ofMinutes(1));

        assertThat(notices).containsExactly("a acquired");
        assertThat(a.elector.status().lastError()).isNull();
        assertThat(a.elector.status().sinceRenewal()).isLessThanOrEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void leadershipIsLostAtTheRenewDeadlineAndOnlyThenCanAnotherLead() {
        Contender a = new Contender("a");
        Contender b = new Contender("b");
        a.start();
        b.start();
        time.advance(Duration.ofSeconds(20));
        Instant lastRenewal = instant(spec().getRenewTime());
        a.lock.failWith("timeout");

        time.advance(Duration.between(time.now(), lastRenewal.plusSeconds(10)).minusNanos(1));
        assertThatCode(a.elector::checkWrite).doesNotThrowAnyException();
        time.advance(Duration.ofNanos(1));
        assertThat(notices).containsExactly("a acquired", "a lost");
        assertThatThrownBy(a.elector::checkWrite)
                .isInstanceOf(WriteRefusedException.class)
                .hasMessageContaining("ns/lease");
        assertThat(a.elector.isLeading()).isFalse();

        time.advance(Duration.between(time.now(), lastRenewal.plusSeconds(15)).minusNanos(1));
        assertThat(notices).containsExactly("a acquired", "a lost");
        // b saw the last renewal at most one retry period with jitter later.
        time.advance(Duration.ofMillis(4_500));
        assertThat(notices).containsExactly("a acquired", "a lost", "b acquired");
        assertThat(spec().getLeaseTransitions()).isEqualTo(1);
    }

    @Test
    void afterALossTheSameProcessLeadsAgainAsOftenAsItCan() {
        Contender a = new Contender("a");
        a.start();
        for (int i = 0; i < 5; i++) {
            a.lock.failWith("timeout");
            time.advance(Duration.ofSeconds(60));
            a.lock.failWith(null);
            a.elector.retryNow();
        }

        assertThat(notices)
                .containsExactly(
                        "a acquired",
                        "a lost",
                        "a acquired",
                        "a lost",
                        "a acquired",
                        "a lost",
                        "a acquired",
                        "a lost",
                        "a acquired",
                        "a lost",
                        "a acquired");
        // Nobody else held it meanwhile.
        assertThat(spec().getLeaseTransitions()).isZero();
        assertThat(instant(spec().getAcquireTime())).isEqualTo(VirtualTime.START);
    }

    @Test
    void afterALossToAnotherItStandsByAndTakesOverAgain() {
        Contender a = new Contender("a");
        Contender b = new Contender("b");
        a.start();
        b.start();
        a.lock.failWith("timeout");
        time.advance(Duration.ofSeconds(30));
        a.lock.failWith(null);
        time.advance(Duration.ofSeconds(30));
        assertThat(notices).containsExactly("a acquired", "a lost", "b acquired");
        b.lock.failWith("timeout");
        time.advance(Duration.ofSeconds(30));

        assertThat(notices).containsExactly("a acquired", "a lost", "b acquired", "b lost", "a acquired");
        assertThat(spec().getLeaseTransitions()).isEqualTo(2);
    }

    @Test
    void neverDoTwoLeadWhateverFails() {
        java.util.Random random = new java.util.Random(42);
        List<Contender> contenders = List.of(new Contender("a"), new Contender("b"), new Contender("c"));
        contenders.forEach(Contender::start);
        int led = 0;
        for (int step = 0; step < 20_000; step++) {
            Contender one = contenders.get(random.nextInt(3));
            switch (random.nextInt(40)) {
                case 0, 1 -> one.lock.failWith("timeout");
                case 2, 3, 4 -> one.lock.failWith(null);
                case 5 -> one.elector.retryNow();
                case 6 -> {
                    one.elector.stop();
                    one.start();
                }
                case 7 -> store.edit(lease -> specOf(lease).setRenewTime(null));
                case 8 -> time.shiftWallClock(Duration.ofHours(random.nextInt(49) - 24));
                default -> time.advance(Duration.ofMillis(random.nextInt(1500)));
            }
            long leaders = contenders.stream()
                    .filter(contender -> contender.elector.isLeading())
                    .count();
            assertThat(leaders).as("step %d", step).isLessThanOrEqualTo(1);
            led += (int) leaders;
        }
        // Not by leading never.
        assertThat(led).isGreaterThan(5_000);
        assertThat(notices).hasSizeGreaterThan(100);
    }

    @Test
    void aStopGivesTheLeaseBackAfterTheListenerWasTold() {
        Contender a = new Contender("a");
        a.start();
        time.advance(Duration.ofSeconds(5));
        a.lock.beforeRequest(() -> notices.add("request"));
        a.elector.stop();

        assertThat(notices).containsExactly("a acquired", "a lost", "request");
        V1LeaseSpec spec = spec();
        assertThat(spec.getHolderIdentity()).isEmpty();
        assertThat(spec.getLeaseDurationSeconds()).isEqualTo(1);
        assertThat(spec.getLeaseTransitions()).isZero();
        assertThat(instant(spec.getRenewTime())).isEqualTo(VirtualTime.START.plusSeconds(5));
        assertThat(time.scheduledTasks()).isZero();
        assertThatThrownBy(a.elector::checkWrite).isInstanceOf(WriteRefusedException.class);
    }

    @Test
    void aReleasedLeaseIsTakenByAStandbyAtItsNextTry() {
        Contender a = new Contender("a");
        Contender b = new Contender("b");
        a.start();
        b.start();
        a.elector.stop();
        b.elector.retryNow();

        assertThat(notices).containsExactly("a acquired", "a lost", "b acquired");
        assertThat(spec().getLeaseTransitions()).isEqualTo(1);
    }

    @Test
    void withoutReleaseOnStopTheLeaseStaysHeld() {
        Contender a = new Contender("a", config("a").withReleaseOnStop(false));
        a.start();
        a.elector.stop();

        assertThat(notices).containsExactly("a acquired", "a lost");
        assertThat(spec().getHolderIdentity()).isEqualTo("a");
    }

    @Test
    void aStandbyThatStopsLeavesTheLeaseAlone() {
        Contender a = new Contender("a");
        Contender b = new Contender("b");
        a.start();
        b.start();
        store.forgetRequests();
        b.elector.stop();

        assertThat(store.requests()).isEmpty();
        assertThat(notices).containsExactly("a acquired");
    }

    @Test
    void theReleaseWorksOnTheNewestStateOfTheLease() {
        Contender a = new Contender("a");
        a.start();
        store.edit(lease -> Objects.requireNonNull(lease.getMetadata()).setLabels(Map.of("team", "x")));
        store.forgetRequests();
        a.elector.stop();

        assertThat(store.requests()).containsExactly("a:update", "a:get", "a:update");
        assertThat(spec().getHolderIdentity()).isEmpty();
    }

    @Test
    void aLeaseThatAnotherTookIsNotReleased() {
        Contender a = new Contender("a");
        a.start();
        store.edit(lease -> specOf(lease).setHolderIdentity("x"));
        a.elector.stop();

        assertThat(spec().getHolderIdentity()).isEqualTo("x");
    }

    @Test
    void aStopInTheMidstOfARenewalReleasesTheLease() {
        Contender a = new Contender("a");
        a.start();
        a.lock.beforeRequest(() -> {
            a.lock.beforeRequest(() -> {});
            a.elector.stop();
        });
        store.forgetRequests();
        a.elector.retryNow();

        assertThat(notices).containsExactly("a acquired", "a lost");
        assertThat(spec().getHolderIdentity()).isEmpty();
        // The release, and the renewal that is too late.
        assertThat(store.requests()).containsExactly("a:update", "a:update");
    }

    @Test
    void aStopInTheMidstOfAReadReleasesTheLease() {
        Contender a = new Contender("a");
        a.start();
        // So that the renewal has to read the Lease.
        store.edit(lease -> Objects.requireNonNull(lease.getMetadata()).setLabels(Map.of("team", "x")));
        a.lock.beforeAnswer(() -> {
            if (store.requests().get(store.requests().size() - 1).equals("a:get")) {
                a.lock.beforeAnswer(() -> {});
                a.elector.stop();
            }
        });
        a.elector.retryNow();

        assertThat(notices).containsExactly("a acquired", "a lost");
        assertThat(spec().getHolderIdentity()).isEmpty();
    }

    @Test
    void aReleaseWhoseAnswerIsLostIsNotRepeated() {
        Contender a = new Contender("a");
        a.start();
        store.forgetRequests();
        a.lock.beforeAnswer(() -> {
            // The first answer alone.
            a.lock.beforeAnswer(() -> a.lock.loseAnswers(false));
            a.lock.loseAnswers(true);
        });
        a.elector.stop();

        assertThat(store.requests()).containsExactly("a:update", "a:get");
        assertThat(spec().getHolderIdentity()).isEmpty();
    }

    @Test
    void aReleaseThatFailsOnceIsTriedAgain() {
        Contender a = new Contender("a");
        a.start();
        a.lock.failWith("connection reset");
        a.lock.beforeRequest(() -> {
            a.lock.beforeRequest(() -> a.lock.failWith(null));
        });
        a.elector.stop();

        assertThat(spec().getHolderIdentity()).isEmpty();
    }

    @Test
    void whatTheLastLeaderLeftIsNotLostWithTheAnswerToTheAcquisition() {
        Contender a = new Contender("a");
        a.legacy = Map.of("foos", "7");
        a.start();
        a.elector.stop();
        Contender b = new Contender("b");
        b.lock.loseAnswers(true);
        b.lock.beforeAnswer(() -> b.lock.loseAnswers(
                store.requests().get(store.requests().size() - 1).equals("b:update")));
        b.start();
        assertThat(spec().getHolderIdentity()).isEqualTo("b");
        assertThat(b.elector.isLeading()).isFalse();
        b.lock.beforeAnswer(() -> b.lock.loseAnswers(false));
        time.advance(Duration.ofSeconds(5));

        assertThat(notices).endsWith("b acquired");
        assertThat(b.elector.inherited()).containsExactly(Map.entry("foos", "7"));
        // It is for one term only.
        b.elector.stop();
        b.start();
        assertThat(b.elector.inherited()).isEmpty();
    }

    @Test
    void afterEtcdWasRestoredFromABackupTheLeaderLeadsOn() {
        Contender a = new Contender("a");
        Contender b = new Contender("b");
        a.start();
        b.start();
        time.advance(Duration.ofSeconds(5));
        V1Lease backup = current();
        time.advance(Duration.ofSeconds(60));
        store.restore(backup);
        time.advance(Duration.ofSeconds(60));

        assertThat(notices).containsExactly("a acquired");
        assertThat(a.elector.isLeading()).isTrue();
        a.elector.stop();
        time.advance(Duration.ofSeconds(5));
        assertThat(notices).containsExactly("a acquired", "a lost", "b acquired");
    }

    @Test
    void theReleaseOfALeaseThatIsGoneMakesNone() {
        Contender a = new Contender("a");
        a.start();
        store.delete();
        a.elector.stop();

        assertThat(store.current()).isNull();
        assertThat(notices).containsExactly("a acquired", "a lost");
    }

    @Test
    void aLeaseWhoseRenewalsFailedIsStillReleasedOnStop() {
        Contender a = new Contender("a");
        a.start();
        a.lock.failWith("cancelled");
        time.advance(Duration.ofSeconds(12));
        a.lock.failWith(null);
        a.elector.stop();

        assertThat(notices).containsExactly("a acquired", "a lost");
        assertThat(spec().getHolderIdentity()).isEmpty();
    }

    @Test
    void afterAStopItCanBeStartedAgain() {
        Contender a = new Contender("a");
        a.start();
        assertThatIllegalStateException().isThrownBy(a::start);
        a.elector.stop();
        a.elector.stop();
        a.start();

        assertThat(notices).containsExactly("a acquired", "a lost", "a acquired");
        assertThat(spec().getLeaseTransitions()).isEqualTo(1);
    }

    @Test
    void aWallClockThatJumpsChangesNothing() {
        Contender a = new Contender("a");
        Contender b = new Contender("b");
        a.start();
        b.start();
        for (Duration jump : List.of(Duration.ofHours(1), Duration.ofHours(-2), Duration.ofDays(400))) {
            time.shiftWallClock(jump);
            time.advance(Duration.ofMinutes(2));
            assertThatCode(a.elector::checkWrite).doesNotThrowAnyException();
        }

        assertThat(notices).containsExactly("a acquired");
    }

    @Test
    void aHandEditThatNamesAnotherHolderIsObeyedAtOnceAndWaitedOut() {
        Contender a = new Contender("a");
        a.start();
        store.edit(lease -> specOf(lease).setHolderIdentity("x"));
        time.advance(Duration.ofSeconds(2));
        assertThat(notices).containsExactly("a acquired", "a lost");
        assertThatThrownBy(a.elector::checkWrite).isInstanceOf(WriteRefusedException.class);
        time.advance(Duration.ofMillis(14_900));
        assertThat(notices).containsExactly("a acquired", "a lost");
        time.advance(Duration.ofMillis(300));

        assertThat(notices).containsExactly("a acquired", "a lost", "a acquired");
        assertThat(spec().getLeaseTransitions()).isEqualTo(1);
    }

    @Test
    void aHandEditThatEmptiesTheHolderLooksLikeARelease() {
        Contender a = new Contender("a");
        a.start();
        store.edit(lease -> specOf(lease).setHolderIdentity(""));
        time.advance(Duration.ofSeconds(2));

        assertThat(notices).containsExactly("a acquired", "a lost", "a acquired");
        assertThat(spec().getLeaseTransitions()).isEqualTo(1);
    }

    @Test
    void aDeletedLeaseIsMadeAgainByItsHolder() {
        store.put(lease("", 15, 3));
        Contender a = new Contender("a");
        a.start();
        store.delete();
        time.advance(Duration.ofSeconds(2));

        assertThat(notices).containsExactly("a acquired");
        assertThat(spec().getHolderIdentity()).isEqualTo("a");
        assertThat(spec().getLeaseTransitions()).isEqualTo(4);
        assertThat(instant(spec().getAcquireTime())).isEqualTo(VirtualTime.START);
    }

    @Test
    void afterADeletionWhoeverHasSeenTheHolderWaitsOutAWholeDuration() {
        Contender a = new Contender("a");
        Contender b = new Contender("b");
        a.start();
        b.start();
        a.lock.failWith("timeout");
        b.elector.retryNow();
        time.advance(Duration.ofSeconds(1));
        store.delete();
        b.elector.retryNow();
        time.advance(Duration.ofMillis(14_999));
        assertThat(notices).containsExactly("a acquired", "a lost");
        time.advance(Duration.ofMillis(102));

        assertThat(notices).containsExactly("a acquired", "a lost", "b acquired");
    }

    @Test
    void anErrorIsReportedAndTriedAgainForEver() {
        Contender a = new Contender("a");
        a.lock.failWith("missing permission: create leases");
        a.start();
        time.advance(Duration.ofHours(1));
        assertThat(notices).isEmpty();
        assertThat(a.elector.status().lastError()).isEqualTo("missing permission: create leases");
        assertThat(a.elector.healthy(Duration.ofSeconds(20))).isTrue();
        a.lock.failWith(null);
        time.advance(Duration.ofSeconds(5));

        assertThat(notices).containsExactly("a acquired");
    }

    @Test
    void anExceptionThatNobodyExpectsDoesNotEndTheElection() {
        Contender a = new Contender("a");
        a.lock.beforeRequest(() -> {
            throw new IllegalStateException("surprise");
        });
        a.start();
        a.lock.beforeRequest(() -> {});
        time.advance(Duration.ofSeconds(5));

        assertThat(notices).containsExactly("a acquired");
    }

    @Test
    void standbysTryAtDifferentTimes() {
        store.put(lease("x", 3600, 0));
        new Contender("a", config("a"), 0).start();
        assertThat(time.untilNextTask()).isEqualTo(Duration.ofSeconds(2));
        VirtualTime other = time;
        other.advance(Duration.ofMillis(1));
        new Contender("b", config("b"), 1).start();

        assertThat(time.scheduledDelays()).contains(Duration.ofMillis(1_999), Duration.ofMillis(4_400));
    }

    @Test
    void metricsAndStatusTellWhoLeads() {
        Contender a = new Contender("a");
        assertThat(masterStatus()).isZero();
        assertThat(a.elector.status().leading()).isFalse();
        a.start();
        time.advance(Duration.ofSeconds(3));
        assertThat(masterStatus()).isEqualTo(1);
        LeadershipStatus status = a.elector.status();
        assertThat(status)
                .isEqualTo(new LeadershipStatus(
                        true, "ns/lease", "a", true, "a", VirtualTime.START, Duration.ofSeconds(1), 0, null, null));
        a.elector.stop();
        assertThat(masterStatus()).isZero();
    }

    @Test
    void healthTellsAnElectionLoopThatIsStuck() {
        Contender a = new Contender("a");
        assertThat(a.elector.healthy(Duration.ofSeconds(20))).isTrue();
        a.start();
        assertThat(a.elector.healthy(Duration.ofSeconds(20))).isTrue();
        // A timer that never calls back: nothing is left to run.
        a.silent = true;
        time.advance(Duration.ofSeconds(2 + 15));
        assertThat(a.elector.healthy(Duration.ofSeconds(20))).isTrue();
        time.advance(Duration.ofSeconds(21));

        assertThat(a.elector.healthy(Duration.ofSeconds(20))).isFalse();
        assertThat(a.elector.isLeading()).isFalse();
    }

    @Test
    void healthDoesNotMindAnothersLease() {
        store.put(lease("x", 15, 0));
        Contender a = new Contender("a");
        a.start();
        for (int i = 0; i < 1000; i++) {
            time.advance(Duration.ofSeconds(4));
            store.edit(lease -> specOf(lease).setRenewTime(time.now().atOffset(ZoneOffset.UTC)));
        }

        assertThat(a.elector.healthy(Duration.ofSeconds(20))).isTrue();
        assertThat(notices).isEmpty();
    }

    @Test
    void withoutLeaderElectionThisProcessLeadsFromStartToStop() throws Exception {
        Contender a = new Contender("a", config("a").withEnabled(false));
        a.elector.checkWrite();
        assertThat(a.elector.isLeading()).isFalse();
        a.start();
        time.advance(Duration.ofHours(1));
        a.elector.checkWrite();
        assertThat(notices).containsExactly("a acquired");
        assertThat(store.requests()).isEmpty();
        assertThat(a.elector.status().enabled()).isFalse();
        assertThat(a.elector.status().leading()).isTrue();
        a.elector.stop();

        assertThat(notices).containsExactly("a acquired", "a lost");
        assertThat(a.elector.isLeading()).isFalse();
    }

    private double masterStatus() {
        return meters.get("leader_election_master_status")
                .tag("name", "lease")
                .gauge()
                .value();
    }

    private V1Lease current() {
        return Objects.requireNonNull(store.current());
    }

    private V1LeaseSpec spec() {
        return specOf(current());
    }

    private static V1LeaseSpec specOf(V1Lease lease) {
        return Objects.requireNonNull(lease.getSpec());
    }

    private static Instant instant(java.time.@org.jspecify.annotations.Nullable OffsetDateTime at) {
        return Objects.requireNonNull(at).toInstant();
    }

    private static V1Lease lease(String holder, int seconds, int transitions) {
        return new V1Lease()
                .metadata(new V1ObjectMeta().name("lease").namespace("ns"))
                .spec(new V1LeaseSpec()
                        .holderIdentity(holder)
                        .leaseDurationSeconds(seconds)
                        .leaseTransitions(transitions)
                        .acquireTime(VirtualTime.START.atOffset(ZoneOffset.UTC))
                        .renewTime(VirtualTime.START.atOffset(ZoneOffset.UTC)));
    }

    private static LeaderElectionConfig config(String identity) {
        return LeaderElectionConfig.of("ns", "lease").withIdentity(identity);
    }

    /** One process that competes. */
    private final class Contender {
        private final String name;
        private final LeaseStore.Lock lock;
        private final LeaderElector elector;
        private boolean silent;
        private Map<String, String> legacy = Map.of();

        Contender(String name) {
            this(name, config(name));
        }

        Contender(String name, LeaderElectionConfig config) {
            this(name, config, 0.5);
        }

        Contender(String name, LeaderElectionConfig config, double random) {
            this.name = name;
            this.lock = store.lock(name);
            this.elector = new LeaderElector(
                    config,
                    lock,
                    time,
                    (delay, task) -> time.schedule(delay, () -> {
                        if (!silent) {
                            task.run();
                        }
                    }),
                    meters,
                    threadName -> Runnable::run,
                    () -> random);
        }

        void start() {
            elector.start(new LeadershipListener() {
                @Override
                public void onAcquired() {
                    notices.add(name + " acquired");
                }

                @Override
                public void onLost() {
                    notices.add(name + " lost");
                }

                @Override
                public Map<String, String> legacy() {
                    return legacy;
                }
            });
        }
    }
}
