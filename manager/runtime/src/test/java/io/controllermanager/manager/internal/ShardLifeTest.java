package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.manager.internal.ControllerLife.Wish;
import io.controllermanager.manager.internal.ShardLife.Action;
import io.controllermanager.manager.internal.ShardLife.Desired;
import io.controllermanager.manager.internal.ShardLife.Phase;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The table of a shard's life: each row is a phase, each column what is desired. */
class ShardLifeTest {

    @ParameterizedTest
    @CsvSource(textBlock = """
            # phase,      STOPPED, STANDBY,   HANDED_OVER, WORKING
            STANDBY,      STOP,    NONE,      HAND_OVER,   CATCH_UP
            CATCHING_UP,  STOP,    INTERRUPT, HAND_OVER,   NONE
            WORKING,      STOP,    INTERRUPT, HAND_OVER,   NONE
            HANDING_OVER, STOP,    INTERRUPT, NONE,        CATCH_UP
            STOPPING,     NONE,    NONE,      NONE,        NONE
            ENDED,        NONE,    NONE,      NONE,        NONE
            """)
    void eachPhaseHasOneStepForWhatIsDesired(
            Phase phase, Action stopped, Action standby, Action handedOver, Action working) {
        assertThat(Arrays.stream(Desired.values()).map(desired -> ShardLife.next(desired, phase)))
                .containsExactly(stopped, standby, handedOver, working);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            # controller, wish,  leads, leaves
            UP,           RUN,   true,  false, WORKING
            UP,           RUN,   true,  true,  HANDED_OVER
            UP,           RUN,   false, false, STANDBY
            UP,           RUN,   false, true,  STANDBY
            # a pause keeps keys in the queue, and nothing else
            UP,           PAUSE, true,  false, WORKING
            UP,           PAUSE, true,  true,  HANDED_OVER
            UP,           PAUSE, false, false, STANDBY
            UP,           STOP,  true,  true,  STOPPED
            NEW,          RUN,   true,  false, STANDBY
            STARTING,     RUN,   true,  false, STANDBY
            FILLING,      RUN,   true,  true,  STANDBY
            FILLING,      STOP,  true,  false, STOPPED
            FAILED,       RUN,   true,  false, STOPPED
            STOPPING,     STOP,  true,  false, STOPPED
            CLOSED,       STOP,  false, false, STOPPED
            """)
    void theStrongestReasonDecidesWhatIsDesired(
            ControllerLife.Phase controller, Wish wish, boolean leads, boolean leaves, Desired desired) {
        ControllerLife life = new ControllerLife(controller, ControllerState.RUNNING, null, null, true, wish);

        assertThat(Desired.of(life, leads, leaves)).isEqualTo(desired);
    }

    @Test
    void oneOfAControllerThatIsSwitchedOffHasEndedFromTheFirst() {
        assertThat(ShardLife.first(false).phase()).isEqualTo(Phase.ENDED);
        assertThat(ShardLife.first(true).phase()).isEqualTo(Phase.STANDBY);
    }

    @Test
    void aPausedOneIsShownAsPausedWhateverItWaitsFor() {
        ShardLife late = ShardLife.filling("fills its caches", "late");

        assertThat(late.paused()).isEqualTo(ShardLife.in(Phase.CATCHING_UP, "paused by an operator"));
    }
}
