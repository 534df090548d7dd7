package io.controllermanager.leaderelection.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

/** How a Lease is acquired: which is taken at once, which is waited out, and what happens on errors. */
class LeaderElectorAcquiringTest extends Contest {

    private Contender start(String name) {
        Contender contender = new Contender(name);
        contender.start();
        return contender;
    }

    @Test
    void aMissingLeaseIsMadeAndLed() {
        start("a");

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
        start("a");

        assertThat(notices).containsExactly("a acquired");
        assertThat(spec().getLeaseTransitions()).isEqualTo(1);
    }

    @Test
    void aLeaseWithEmptyHolderIsTakenAtOnceHoweverFresh() {
        store.put(lease("", 15, 3));
        start("a");

        assertThat(notices).containsExactly("a acquired");
        assertThat(spec().getLeaseTransitions()).isEqualTo(4);
    }

    @Test
    void anothersLeaseIsTakenOnceItsOwnDurationHasPassedSinceItWasFirstSeen() {
        // Its renewTime is a year old, which must not matter.
        store.put(lease("x", 30, 7));
        store.edit(lease -> specOf(lease)
                .setRenewTime(VirtualTime.START.atOffset(ZoneOffset.UTC).minusYears(1)));
        Contender a = start("a");

        time.advance(Duration.ofMillis(29_999));
        assertThat(notices).isEmpty();
        assertThat(a.elector.status().holder()).isEqualTo("x");
        time.advance(Duration.ofMillis(102));
        assertThat(notices).containsExactly("a acquired");
        assertThat(spec().getLeaseTransitions()).isEqualTo(8);
        assertThat(instant(spec().getAcquireTime())).isAfter(VirtualTime.START);
    }

    @Test
    void aLeaseThatWasPatchedToLastForYearsAndDeletedIsTakenAfterTheDurationThatItsHolderHadRenewedItWith() {
        Contender a = start("a");
        Contender b = start("b");
        time.advance(Duration.ofSeconds(5));
        a.lock.failWith("cut off");
        store.edit(lease -> specOf(lease).setLeaseDurationSeconds(Integer.MAX_VALUE));
        store.delete();
        time.advance(Duration.ofSeconds(5));

        assertThat(b.elector.status().waitsFor())
                .startsWith("it is missing, and a may make it again; unless it is renewed, it can be taken in ");
        assertThat(b.elector.untilTaken()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(15));
        time.advance(Duration.ofSeconds(15));
        assertThat(notices).contains("b acquired");
        assertThat(b.elector.status().waitsFor()).isNull();
        assertThat(meters.get("leader_election_wait_seconds").gauge().value()).isZero();
    }

    @Test
    void theHolderPutsADurationRightThatSomebodyElseHasPatched() {
        start("a");
        store.edit(lease -> specOf(lease).setLeaseDurationSeconds(Integer.MAX_VALUE));
        time.advance(Duration.ofSeconds(3));

        assertThat(spec().getLeaseDurationSeconds()).isEqualTo(15);
    }

    @Test
    void anothersLeaseWithoutDurationIsWaitedOutForOurs() {
        store.put(lease("x", 15, 0));
        store.edit(lease -> specOf(lease).setLeaseDurationSeconds(null));
        start("a");

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
        assertThat(PodIdentity.ofPod("6f0c1e32-22e5-4dc4-9d2b-0c5a8f7a1b11"))
                .matches(".+:6f0c1e32-22e5-4dc4-9d2b-0c5a8f7a1b11_[0-9a-f-]{36}");
        assertThatThrownBy(() -> PodIdentity.ofPod("metadata uid"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("podUid must be the uid of a pod (letters, digits and dashes), but is \"metadata uid\"");
    }

    @Test
    void renewalByTheHolderStartsTheWaitAnew() {
        store.put(lease("x", 15, 0));
        start("a");
        for (int i = 0; i < 20; i++) {
            time.advance(Duration.ofSeconds(5));
            store.edit(lease -> specOf(lease).setRenewTime(time.now().atOffset(ZoneOffset.UTC)));
        }

        assertThat(notices).isEmpty();
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
        new Contender("a", config("a"), () -> 0).start();
        assertThat(time.untilNextTask()).isEqualTo(Duration.ofSeconds(2));
        VirtualTime other = time;
        other.advance(Duration.ofMillis(1));
        new Contender("b", config("b"), () -> 1).start();

        assertThat(time.scheduledDelays()).contains(Duration.ofMillis(1_999), Duration.ofMillis(4_400));
    }
}
