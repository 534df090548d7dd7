package io.controllermanager.leaderelection.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.client.internal.connection.StorageHistory;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Lease;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A Lease that is at an older version than it was has all types asked for theirs, though no connection broke off. */
class RestoredLeaseTest extends Contest {

    private final Mirrored foos = new Mirrored();

    /** A mirror that has come to a version which the API server has not come to. */
    private static final class Mirrored implements StorageHistory.Mirror {

        private int asked;
        private int restored;

        @Override
        public String type() {
            return "foos";
        }

        @Override
        public long newest() {
            return 7;
        }

        @Override
        public long present() {
            asked++;
            return 6;
        }

        @Override
        public void restored() {
            restored++;
        }
    }

    private void assertRestored(Runnable lookAtTheLease) throws ApiException {
        history.add(foos);
        V1Lease backup = current();
        time.advance(Duration.ofSeconds(4));
        history.confirm(foos);
        assertThat(foos.asked).isZero();

        store.restore(backup);
        lookAtTheLease.run();

        history.confirm(foos);
        assertThat(foos.asked).isEqualTo(1);
        assertThat(foos.restored).isEqualTo(1);
    }

    @Test
    void whenTheLeaderRenewsIt() throws ApiException {
        new Contender("a").start();
        assertRestored(() -> time.advance(Duration.ofSeconds(2)));
        assertThat(notices).containsExactly("a acquired");
    }

    @Test
    void whenAStandbyReadsIt() throws ApiException {
        new Contender("a").start();
        Contender b = new Contender("b");
        b.start();
        assertRestored(b.elector::retryNow);
    }

    @Test
    void whenItsWatchTellsOfIt() throws ApiException {
        new Contender("a").start();
        Contender b = new Contender("b").watching();
        b.start();
        assertRestored(() -> b.elector.take(step -> step.seen(current())));
    }
}
