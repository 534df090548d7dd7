package io.controllermanager.leaderelection.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.time.internal.VirtualTime;
import java.time.Duration;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

/** What metrics, status and health tell of an election. */
class LeaderElectorStatusTest extends Contest {

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
                        true,
                        "ns/lease",
                        "a",
                        true,
                        "a",
                        VirtualTime.START,
                        Duration.ofSeconds(1),
                        0,
                        null,
                        null,
                        null));
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
        Contender a = new Contender("a", config("a", false, true));
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
}
