package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.manager.internal.ControllerLife.Action;
import io.controllermanager.manager.internal.ControllerLife.Desired;
import io.controllermanager.manager.internal.ControllerLife.Phase;
import io.controllermanager.manager.internal.ControllerLife.Wish;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The table of a controller's life: each row is a phase, each column what is desired. */
class ControllerLifeTest {

    @ParameterizedTest
    @CsvSource(textBlock = """
            # phase,      CLOSED, STOPPED, STANDBY,   HANDED_OVER, PAUSED, WORKING
            NEW,          STOP,   STOP,    START,     START,       START,  START
            STARTING,     STOP,   STOP,    NONE,      NONE,        NONE,   NONE
            FILLING,      STOP,   STOP,    NONE,      NONE,        NONE,   NONE
            STANDBY,      STOP,   STOP,    NONE,      CATCH_UP,    NONE,   CATCH_UP
            CATCHING_UP,  STOP,   STOP,    INTERRUPT, NONE,        NONE,   NONE
            READY,        STOP,   STOP,    INTERRUPT, HAND_OVER,   NONE,   OPEN
            WORKING,      STOP,   STOP,    INTERRUPT, HAND_OVER,   PAUSE,  NONE
            HANDING_OVER, STOP,   STOP,    INTERRUPT, NONE,        PAUSE,  OPEN
            FAILED,       STOP,   STOP,    NONE,      NONE,        NONE,   NONE
            STOPPING,     NONE,   NONE,    NONE,      NONE,        NONE,   NONE
            DRAINED,      CLOSE,  NONE,    NONE,      NONE,        NONE,   NONE
            CLOSING,      NONE,   NONE,    NONE,      NONE,        NONE,   NONE
            CLOSED,       NONE,   NONE,    NONE,      NONE,        NONE,   NONE
            """)
    void eachPhaseHasOneStepForWhatIsDesired(
            Phase phase,
            Action closed,
            Action stopped,
            Action standby,
            Action handedOver,
            Action paused,
            Action working) {
        List<Action> steps = Arrays.stream(Desired.values())
                .map(desired -> ControllerLife.next(desired, phase))
                .toList();

        assertThat(steps).containsExactly(closed, stopped, standby, handedOver, paused, working);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            # wish, leads, handingOver, leaseGone
            STOP,   true,  true,        true,  CLOSED
            STOP,   false, false,       true,  CLOSED
            STOP,   true,  true,        false, STOPPED
            PAUSE,  false, false,       false, STANDBY
            RUN,    false, false,       true,  STANDBY
            PAUSE,  true,  true,        false, HANDED_OVER
            RUN,    true,  true,        false, HANDED_OVER
            PAUSE,  true,  false,       false, PAUSED
            RUN,    true,  false,       false, WORKING
            """)
    void theStrongestReasonDecidesWhatIsDesired(
            Wish wish, boolean leads, boolean handingOver, boolean leaseGone, Desired desired) {
        assertThat(Desired.of(wish, leads, handingOver, leaseGone)).isEqualTo(desired);
    }

    @ParameterizedTest
    @EnumSource(Phase.class)
    void onlyThoseThatAreUpCouldWorkAndOnlyThoseThatAreDrainedHaveEnded(Phase phase) {
        boolean up = EnumSet.range(Phase.STANDBY, Phase.HANDING_OVER).contains(phase);

        assertThat(phase.isUp()).isEqualTo(up);
        assertThat(phase.hasEnded())
                .isEqualTo(List.of(Phase.DRAINED, Phase.CLOSING, Phase.CLOSED).contains(phase));
    }

    @Test
    void aPausedOneIsShownAsPausedWhoeverLeads() {
        ControllerLife up = ControllerLife.first(true).idle(Phase.STANDBY, null);
        assertThat(up.state()).isEqualTo(ControllerState.WAITING_FOR_LEADERSHIP);
        ControllerLife paused = up.wished(Wish.PAUSE).idle(Phase.STANDBY, null);

        assertThat(paused.state()).isEqualTo(ControllerState.PAUSED);
        assertThat(paused.idle(Phase.READY, "another detail"))
                .isEqualTo(new ControllerLife(
                        Phase.READY, ControllerState.PAUSED, "paused by an operator", null, true, Wish.PAUSE));
    }

    @Test
    void whatIsShownStaysWhileItStops() {
        ControllerLife working = ControllerLife.first(true).working();

        assertThat(working.wished(Wish.STOP).in(Phase.STOPPING).state()).isEqualTo(ControllerState.RUNNING);
        assertThat(working.failed("why").in(Phase.DRAINED).notReady()).isEqualTo("why");
        assertThat(working.failed("why").closed())
                .isEqualTo(new ControllerLife(Phase.CLOSED, ControllerState.STOPPED, null, null, true, Wish.RUN));
    }

    @Test
    void oneThatIsSwitchedOffIsOverFromTheFirst() {
        ControllerLife off = ControllerLife.first(false);

        assertThat(off.state()).isEqualTo(ControllerState.DISABLED);
        assertThat(off.settled()).isTrue();
        assertThat(off.phase().hasEnded()).isTrue();
    }
}
