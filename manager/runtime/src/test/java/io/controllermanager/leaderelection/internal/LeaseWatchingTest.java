package io.controllermanager.leaderelection.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What changes once contenders are told of the Lease's changes at once, in virtual time. */
class LeaseWatchingTest extends Contest {

    @Test
    void aReleasedLeaseIsTakenWithinMilliseconds() {
        Contender a = watching("a", 0.5);
        Contender b = watching("b", 0.5);
        a.start();
        b.start();
        time.advance(Duration.ofMillis(500));

        a.elector.stop();
        time.advance(Duration.ofMillis(ElectionStep.FREE_SPREAD_MILLIS));

        assertThat(notices).containsExactly("a acquired", "a lost", "b acquired");
        assertThat(spec().getLeaseTransitions()).isEqualTo(1);
    }

    @Test
    void halfOfAllStandbysTryForAReleasedLeaseWithinAnEighthOfTheTime() {
        Contender a = watching("a", 0.5);
        Contender b = watching("b", 0.5);
        a.start();
        b.start();

        a.elector.stop();
        time.advance(Duration.ofMillis(3));
        assertThat(notices).containsExactly("a acquired", "a lost");
        time.advance(Duration.ofMillis(1));

        assertThat(notices).containsExactly("a acquired", "a lost", "b acquired");
    }

    @Test
    void ofManyStandbysOnlyTheFirstTriesForAReleasedLease() {
        Contender leader = watching("leader", 0.5);
        leader.start();
        for (int i = 0; i < 10; i++) {
            watching("standby-" + i, (i + 1) / 11.0).start();
        }
        store.forgetRequests();

        leader.elector.stop();
        time.advance(Duration.ofMillis(ElectionStep.FREE_SPREAD_MILLIS));

        assertThat(notices).containsExactly("leader acquired", "leader lost", "standby-0 acquired");
        assertThat(store.requests()).containsExactly("leader:update", "standby-0:update");
    }

    @Test
    void whoWasTooLateForAReleasedLeaseGoesOnPolling() {
        Contender a = watching("a", 0.5);
        Contender b = watching("b", 0.2);
        Contender c = watching("c", 0.8);
        a.start();
        b.start();
        c.start();
        a.elector.stop();
        time.advance(Duration.ofMillis(ElectionStep.FREE_SPREAD_MILLIS));
        assertThat(notices).endsWith("b acquired");

        b.lock.failWith("cut off");
        time.advance(Duration.ofSeconds(15 + 3));

        assertThat(notices).endsWith("b acquired", "b lost", "c acquired");
    }

    @Test
    void aReleaseThatHappensDuringAnAttemptIsNotOverlooked() {
        Contender a = watching("a", 0.5);
        Contender b = watching("b", 0.5);
        a.start();
        // The release comes while b has read the Lease as held and has not acted on it.
        b.lock.beforeAnswer(() -> {
            b.lock.beforeAnswer(() -> {});
            a.elector.stop();
        });
        b.start();
        time.advance(Duration.ofMillis(ElectionStep.FREE_SPREAD_MILLIS));

        assertThat(notices).containsExactly("a acquired", "a lost", "b acquired");
    }

    @Test
    void aHolderWhoseLeaseIsEditedAwayStopsAtOnce() {
        Contender a = watching("a", 0.5);
        a.start();
        time.advance(Duration.ofSeconds(1));

        store.edit(lease -> specOf(lease).setHolderIdentity("intruder"));

        assertThat(notices).containsExactly("a acquired", "a lost");
        assertThat(a.elector.isLeading()).isFalse();
        assertThat(a.elector.status().holder()).isEqualTo("intruder");
    }

    @Test
    void aDeletedLeaseIsMadeAgainByItsHolderAtOnceAndByNobodyElse() {
        Contender a = watching("a", 0.5);
        Contender b = watching("b", 0.1);
        a.start();
        b.start();
        time.advance(Duration.ofSeconds(1));
        store.forgetRequests();

        store.delete();
        time.advance(Duration.ofMillis(ElectionStep.FREE_SPREAD_MILLIS));

        assertThat(spec().getHolderIdentity()).isEqualTo("a");
        assertThat(store.requests()).containsExactly("a:get", "a:create");
        assertThat(notices).containsExactly("a acquired");
    }

    @Test
    void afterADeletionAStandbyWaitsOutTheWholeDurationFromWhenItSawIt() {
        Contender a = watching("a", 0.5);
        Contender b = watching("b", 0.5);
        a.start();
        b.start();
        a.lock.failWith("cut off");
        time.advance(Duration.ofSeconds(1));
        store.delete();

        time.advance(Duration.ofMillis(14_999));
        assertThat(notices).containsExactly("a acquired", "a lost");
        time.advance(Duration.ofMillis(102));
        assertThat(notices).containsExactly("a acquired", "a lost", "b acquired");
    }

    @Test
    void aReleasedLeaseThatIsDeletedIsMadeAtOnce() {
        Contender a = watching("a", 0.5);
        a.start();
        a.elector.stop();
        Contender b = watching("b", 0.5);
        b.lock.beforeAnswer(() -> {
            b.lock.beforeAnswer(() -> {});
            store.delete();
        });
        b.start();
        time.advance(Duration.ofMillis(ElectionStep.FREE_SPREAD_MILLIS));

        assertThat(notices).containsExactly("a acquired", "a lost", "b acquired");
    }

    @Test
    void newsThatIsOlderThanWhatWasReadCountsForNothing() {
        Contender a = watching("a", 0.5);
        a.start();
        V1Lease old = new V1Lease()
                .metadata(new V1ObjectMeta().name("lease").namespace("ns").resourceVersion("0"))
                .spec(new V1LeaseSpec().holderIdentity("x"));

        a.observer().accept(step -> step.seen(old));
        a.observer().accept(step -> step.deleted(old));

        assertThat(a.elector.isLeading()).isTrue();
        assertThat(a.elector.status().holder()).isEqualTo("a");
        assertThat(notices).containsExactly("a acquired");
    }

    @Test
    void aRenewalThatWasEditedAwayBeforeItsAnswerCameGivesNoLeadership() {
        Contender a = watching("a", 0.5);
        a.lock.beforeAnswer(() -> {
            if (store.current() != null) {
                a.lock.beforeAnswer(() -> {});
                store.edit(lease -> specOf(lease).setHolderIdentity("intruder"));
            }
        });
        a.start();

        assertThat(a.elector.isLeading()).isFalse();
        assertThat(notices).isEmpty();
    }

    @Test
    void whyTheLeaseIsNotWatchedIsShown() {
        Contender a = watching("a", 0.5);
        a.start();
        assertThat(a.elector.status().watchError()).isNull();
        a.observer().accept(step -> step.watchInterrupted("missing permission: watch"));
        assertThat(a.elector.status().watchError()).isEqualTo("missing permission: watch");
        a.observer().accept(step -> step.watchInterrupted(null));
        assertThat(a.elector.status().watchError()).isNull();
    }

    @Test
    void neverDoTwoLeadWhateverFailsAndWhateverIsToldLate() {
        failAndTellLateAtRandom(4_000);
    }

    @Test
    @Tag("deep")
    void neverDoTwoLeadWhateverFailsAndWhateverIsToldLateForLong() {
        failAndTellLateAtRandom(20_000);
    }

    /** Watches tell late, answers get lost, Leases are deleted; but who starts is told of the holder at once. */
    private void failAndTellLateAtRandom(int steps) {
        Random random = new Random(43);
        for (String name : List.of("a", "b", "c")) {
            watchingLate(name, random);
        }
        contenders.forEach(Contender::start);
        int led = 0;
        int deleted = 0;
        for (int step = 0; step < steps; step++) {
            Contender one = contenders.get(random.nextInt(3));
            switch (random.nextInt(40)) {
                case 0 -> one.lock.failWith("timeout");
                case 1, 2, 3 -> one.lock.failWith(null);
                case 4 -> one.lock.loseAnswers(true);
                case 5, 6, 7 -> one.lock.loseAnswers(false);
                case 8 -> one.elector.retryNow();
                case 9 -> {
                    if (store.current() != null) {
                        one.elector.stop();
                        one.start();
                    }
                }
                case 10 -> {
                    store.delete();
                    deleted++;
                }
                default -> time.advance(Duration.ofMillis(random.nextInt(1500)));
            }
            long leaders = contenders.stream()
                    .filter(contender -> contender.elector.isLeading())
                    .count();
            assertThat(leaders).as("step %d", step).isLessThanOrEqualTo(1);
            led += (int) leaders;
        }
        assertThat(mostAtOnce).isEqualTo(1);
        // Not by leading never.
        assertThat(led).isGreaterThan(steps / 4);
        assertThat(deleted).isGreaterThan(steps * 3 / 200);
        assertThat(notices).hasSizeGreaterThan(steps / 40);
    }

    private Contender watching(String name, double random) {
        return new Contender(name, config(name), () -> random).watching();
    }

    private Contender watchingLate(String name, Random random) {
        return new Contender(name, config(name), random::nextDouble).watchingLate(random);
    }
}
