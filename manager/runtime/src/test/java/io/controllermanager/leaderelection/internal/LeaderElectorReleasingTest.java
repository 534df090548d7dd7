package io.controllermanager.leaderelection.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.client.internal.connection.WriteFence.WriteRefusedException;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What a stop does: the Lease is released, once, and only by its holder. */
class LeaderElectorReleasingTest extends Contest {

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
        Contender a = new Contender("a", config("a", true, false));
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
        a.notes = Map.of("foos", "7");
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
        assertThat(b.elector.handOverNotes()).containsExactly(Map.entry("foos", "7"));
        // It is for one term only.
        b.elector.stop();
        b.start();
        assertThat(b.elector.handOverNotes()).isEmpty();
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
}
