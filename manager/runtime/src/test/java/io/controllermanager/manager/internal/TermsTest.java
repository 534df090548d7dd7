package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.client.internal.connection.ScopedFence;
import io.controllermanager.client.internal.connection.WriteFence;
import io.controllermanager.client.internal.connection.WriteFence.WriteRefusedException;
import io.controllermanager.controller.internal.ReconcileTerm;
import io.controllermanager.informer.Shards;
import io.controllermanager.leaderelection.internal.ControllerElectors;
import io.controllermanager.leaderelection.internal.ElectionConfigs;
import io.controllermanager.leaderelection.internal.Electors;
import io.controllermanager.leaderelection.internal.LeaderElectionConfig;
import io.controllermanager.leaderelection.internal.LeaderElector;
import io.controllermanager.leaderelection.internal.LeadershipListener;
import io.controllermanager.leaderelection.internal.LeaseBalance;
import io.controllermanager.leaderelection.internal.LeaseStore;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiClient;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** What a shard may do whose Lease is lost and taken again. */
class TermsTest extends HostFixture {

    private final Map<String, LeaseStore.Lock> locks = new ConcurrentHashMap<>();

    private final ScopedFence fence = new ScopedFence(WriteFence.open());

    private LeaseStore.Lock lock(LeaderElectionConfig config) {
        LeaseStore.Lock lock = new LeaseStore().lock("a");
        lock.watchable(() -> {});
        locks.put(config.leaseName(), lock);
        return lock;
    }

    private static LeadershipListener silent() {
        return new LeadershipListener() {
            @Override
            public void onAcquired() {}

            @Override
            public void onLost() {}
        };
    }

    @Test
    void withoutElectionEverythingMayRun() {
        ReconcileTerm term = Leadership.always(new ApiClient())
                .term(ControllerManagerFixture.registration("c", CONFIG_MAP, (name, request) -> {}), shard -> {});

        assertThat(term.lasts(0)).isTrue();
        assertThat(term.within(0, () -> new Result(true))).isEqualTo(new Result(true));
    }

    @Test
    void whatBeganInATermThatWasLostIsOverThoughTheLeaseIsHeldAgain() {
        ControllerElectors electors = Electors.shards(
                ElectionConfigs.of("ns", "manager", "a"),
                "c",
                new Shards(2, Shards.By.NAME),
                LeaseBalance.PERIOD,
                this::lock,
                time);
        LeaderElector elector = electors.electors().get(1);
        assertThat(elector.term()).isNegative();
        Objects.requireNonNull(electors.anchor()).start(silent());
        elector.start(silent());
        try {
            Terms terms = new Terms(electors.electors(), fence, fence, shard -> {});
            awaitPassing(() -> assertThat(elector.isLeading()).isTrue());
            assertThat(terms.lasts(1)).as("not opened yet").isFalse();
            long first = elector.term();
            terms.open(1, first);
            WriteFence begun = terms.fence(1);
            assertThat(terms.lasts(1)).isTrue();
            assertThat(terms.lasts(0)).isFalse();
            assertThatCode(begun::checkWrite).doesNotThrowAnyException();

            LeaseStore.Lock lock = locks.get("manager-c-1-of-2");
            assertThat(lock).isNotNull();
            lock.failWith("no route to host");
            awaitPassing(LONG_STEP, () -> assertThat(elector.isLeading()).isFalse());
            assertThat(terms.lasts(1)).isFalse();
            assertThat(elector.term()).isNegative();
            lock.failWith(null);
            awaitPassing(() -> assertThat(elector.isLeading()).isTrue());
            assertThat(elector.term()).isGreaterThan(first);
            assertThat(terms.lasts(1)).isFalse();
            assertThatThrownBy(begun::checkWrite)
                    .isInstanceOf(WriteRefusedException.class)
                    .hasMessage(
                            "this process (a) has lost ns/manager-c-1-of-2 since this reconcile began, and has taken it"
                                    + " anew");
            assertThatThrownBy(terms.fence(1)::checkWrite).isInstanceOf(WriteRefusedException.class);

            terms.open(1, elector.term());
            assertThat(terms.lasts(1)).isTrue();
            assertThatThrownBy(begun::checkWrite).isInstanceOf(WriteRefusedException.class);
            terms.open(1, -1);
            assertThat(terms.lasts(1)).isFalse();
        } finally {
            elector.stop();
            electors.anchor().stop();
        }
    }
}
