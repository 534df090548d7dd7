package io.controllermanager.leaderelection.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How Leases spread over the replicas that share them: evenly, by no more moves than that needs. What depends on chance is
 * tried with one seed here, and with the others in {@link LeaseBalanceSeedsTest}.
 */
class LeaseBalanceSpreadingTest extends Replicas {

    @Test
    void oneReplicaAloneHasAllAtOnce() {
        controllers(20);
        new Replica("a").start();

        assertThat(numbers()).isEqualTo(Map.of("a", 20));
        assertThat(stores.keySet()).contains("manager-c0", "manager-c19");
    }

    @ParameterizedTest
    @ValueSource(ints = 1)
    void theyAreEvenAfterEachArrivalByNoMoreMovesThanAreNeeded(int seed) {
        arriveOneByOne(new Random(seed));
    }

    @ParameterizedTest
    @ValueSource(ints = 1)
    void whatADeadReplicaHeldIsTakenWhenItHasRunOutAndThenEven(int seed) {
        dieAmongThree(new Random(seed));
    }

    @Test
    void withoutTheRightToWatchTheyBecomeEvenAllTheSame() {
        controllers(4);
        new Replica("a").unwatched().start();
        new Replica("b").unwatched().start();
        time.advance(PERIOD.multipliedBy(4));

        assertThat(numbers()).isEqualTo(Map.of("a", 2, "b", 2));
        assertThat(handOvers).hasSize(2);
    }

    @Test
    void whatIsFreeGoesToThoseWhoHoldFewer() {
        controllers(6);
        // By chance the one who has more would always be faster.
        new Replica("a").random(() -> 0).start();
        Replica b = new Replica("b").random(() -> 0.999).start();
        time.advance(Duration.ofMillis(1200 + ElectionStep.FREE_SPREAD_MILLIS));
        b.balance.stop();
        Replica c = new Replica("c").start();
        time.advance(LOOK.plusMillis(ElectionStep.FREE_SPREAD_MILLIS));
        c.balance.stop();
        assertThat(numbers()).isEqualTo(Map.of("a", 4, "b", 1, "c", 1));

        c.stop();
        time.advance(Duration.ofMillis(2 * ElectionStep.FREE_SPREAD_MILLIS));

        assertThat(numbers()).isEqualTo(Map.of("a", 4, "b", 2));
    }
}
