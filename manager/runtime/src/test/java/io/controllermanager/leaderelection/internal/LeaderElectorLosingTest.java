package io.controllermanager.leaderelection.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.client.internal.connection.WriteFence.WriteRefusedException;
import io.controllermanager.time.internal.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How leadership is lost, who leads next, and that there are never two. */
class LeaderElectorLosingTest extends Contest {

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
        failAtRandom(4_000);
    }

    @Test
    @Tag("deep")
    void neverDoTwoLeadWhateverFailsForLong() {
        failAtRandom(20_000);
    }

    private void failAtRandom(int steps) {
        Random random = new Random(42);
        List.of("a", "b", "c").forEach(Contender::new);
        contenders.forEach(Contender::start);
        int led = 0;
        for (int step = 0; step < steps; step++) {
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
        assertThat(led).isGreaterThan(steps / 4);
        assertThat(notices).hasSizeGreaterThan(steps / 200);
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
}
