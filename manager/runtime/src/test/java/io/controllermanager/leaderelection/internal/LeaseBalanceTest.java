package io.controllermanager.leaderelection.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

/** What Leases there are to be spread. */
class LeaseBalanceTest extends Replicas {

    @Test
    void thereIsNoLeaseForWhoIsNoController() {
        controllers(1);
        Replica a = new Replica("a");

        assertThatIllegalArgumentException().isThrownBy(() -> a.balance.elector("c1"));
    }

    @Test
    void whereThereIsNoLeaseNothingIsLookedFor() {
        controllers(0);
        Replica a = new Replica("a").start();

        assertThat(time.scheduledTasks()).isZero();
        a.stop();
        assertThat(time.scheduledTasks()).isZero();
    }
}
