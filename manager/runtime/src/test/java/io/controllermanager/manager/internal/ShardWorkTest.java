package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.manager.internal.ControllerLife.Action;
import io.controllermanager.manager.internal.ControllerLife.Desired;
import io.controllermanager.manager.internal.ControllerLife.Phase;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The pure decisions about one shard. */
class ShardWorkTest {

    @ParameterizedTest
    @CsvSource(textBlock = """
            # phase,      CLOSED, STOPPED, STANDBY,   HANDED_OVER, PAUSED, WORKING
            STANDBY,      STOP,   STOP,    NONE,      HAND_OVER,   NONE,   CATCH_UP
            CATCHING_UP,  STOP,   STOP,    INTERRUPT, HAND_OVER,   NONE,   NONE
            READY,        STOP,   STOP,    INTERRUPT, HAND_OVER,   NONE,   OPEN
            WORKING,      STOP,   STOP,    INTERRUPT, HAND_OVER,   PAUSE,  NONE
            HANDING_OVER, STOP,   STOP,    INTERRUPT, NONE,        PAUSE,  OPEN
            FAILED,       STOP,   STOP,    NONE,      NONE,        NONE,   NONE
            STOPPING,     NONE,   NONE,    NONE,      NONE,        NONE,   NONE
            DRAINED,      CLOSE,  NONE,    NONE,      NONE,        NONE,   NONE
            CLOSED,       NONE,   NONE,    NONE,      NONE,        NONE,   NONE
            """)
    void itsStepsAreThoseOfAControllerButNothingIsCaughtUpWithOnlyToBeHandedOver(
            Phase phase,
            Action closed,
            Action stopped,
            Action standby,
            Action handedOver,
            Action paused,
            Action working) {
        assertThat(Arrays.stream(Desired.values()).map(desired -> ShardWork.next(desired, phase)))
                .containsExactly(closed, stopped, standby, handedOver, paused, working);
    }
}
