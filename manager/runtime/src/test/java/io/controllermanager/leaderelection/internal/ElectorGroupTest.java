package io.controllermanager.leaderelection.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.client.internal.connection.WriteFence.WriteRefusedException;
import org.junit.jupiter.api.Test;

/** What a group of electors allows its process, and refuses. */
class ElectorGroupTest extends Replicas {

    @Test
    void whoHoldsSomeLeaseMayWriteOutsideOfAControllersWork() {
        controllers(2);
        Replica a = new Replica("a").start();
        Replica b = new Replica("b").start();

        assertThatCode(a.group.fence()::checkWrite).doesNotThrowAnyException();
        assertThatThrownBy(b.group.fence()::checkWrite)
                .isInstanceOf(WriteRefusedException.class)
                .hasMessage("this process (b) holds none of the Leases ns/manager-…");
        time.advance(PERIOD.plusSeconds(1));
        assertThatCode(b.group.fence()::checkWrite).doesNotThrowAnyException();
        assertThatThrownBy(b.group.elector(heldBy("a"))::checkWrite).isInstanceOf(WriteRefusedException.class);
    }

    @Test
    void thereIsNoLeaseForWhoIsNoController() {
        controllers(1);
        Replica a = new Replica("a");

        assertThatIllegalArgumentException().isThrownBy(() -> a.group.elector("c1"));
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
