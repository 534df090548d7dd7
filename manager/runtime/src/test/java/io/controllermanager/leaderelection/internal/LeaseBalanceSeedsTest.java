package io.controllermanager.leaderelection.internal;

import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link LeaseBalanceSpreadingTest} with the other seeds. */
@Tag("deep")
class LeaseBalanceSeedsTest extends Replicas {

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5, 6, 7, 8})
    void theyAreEvenAfterEachArrivalByNoMoreMovesThanAreNeeded(int seed) {
        arriveOneByOne(new Random(seed));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5, 6, 7, 8})
    void whatADeadReplicaHeldIsTakenWhenItHasRunOutAndThenEven(int seed) {
        dieAmongThree(new Random(seed));
    }
}
