package io.controllermanager.leaderelection.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.models.V1Lease;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** How a leader renews its Lease, and what does not keep it from leading. */
class LeaderElectorRenewingTest extends Contest {

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
    void failedRenewalsThatRecoverInTimeChangeNothing() throws Exception {
        Contender a = new Contender("a");
        a.start();
        a.lock.failWith("connection refused");
        time.advance(Duration.ofSeconds(7));
        a.elector.checkWrite();
        assertThat(a.elector.status().lastError()).isEqualTo("connection refused");
        a.lock.failWith(null);
        time.advance(Duration.ofSeconds(1));
        time.advance(Duration.ofMinutes(1));

        assertThat(notices).containsExactly("a acquired");
        assertThat(a.elector.status().lastError()).isNull();
        assertThat(a.elector.status().sinceRenewal()).isLessThanOrEqualTo(Duration.ofSeconds(2));
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
}
