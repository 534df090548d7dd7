package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.manager.internal.ControllerLife.Action;
import io.controllermanager.manager.internal.ControllerLife.Phase;
import io.controllermanager.manager.internal.ControllerLife.Wish;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The table of a controller's life: each row is a phase, each column what operators wish. */
class ControllerLifeTest {

    @ParameterizedTest
    @CsvSource(textBlock = """
            # phase,  RUN,   PAUSE, STOP, STOP and ended
            NEW,      START, START, STOP, STOP
            STARTING, NONE,  NONE,  STOP, STOP
            FILLING,  NONE,  NONE,  STOP, STOP
            UP,       NONE,  NONE,  STOP, STOP
            FAILED,   NONE,  NONE,  STOP, STOP
            STOPPING, NONE,  NONE,  NONE, CLOSE
            CLOSING,  NONE,  NONE,  NONE, NONE
            CLOSED,   NONE,  NONE,  NONE, NONE
            """)
    void eachPhaseHasOneStepForWhatIsWished(Phase phase, Action run, Action pause, Action stop, Action ended) {
        assertThat(ControllerLife.next(Wish.RUN, false, phase)).isEqualTo(run);
        assertThat(ControllerLife.next(Wish.PAUSE, false, phase)).isEqualTo(pause);
        assertThat(ControllerLife.next(Wish.STOP, false, phase)).isEqualTo(stop);
        assertThat(ControllerLife.next(Wish.STOP, true, phase)).isEqualTo(ended);
    }

    @Test
    void aPausedOneIsShownAsPausedWhateverItsShardsDo() {
        ControllerLife up = ControllerLife.first(true).up(ControllerState.WAITING_FOR_LEADERSHIP, "a detail");
        assertThat(up.state()).isEqualTo(ControllerState.WAITING_FOR_LEADERSHIP);
        assertThat(up.isUp()).isTrue();

        assertThat(up.wished(Wish.PAUSE).up(ControllerState.RUNNING, "another detail"))
                .isEqualTo(new ControllerLife(
                        Phase.UP, ControllerState.PAUSED, "paused by an operator", null, true, Wish.PAUSE));
    }

    @Test
    void whatIsShownStaysWhileItStops() {
        ControllerLife running = ControllerLife.first(true).up(ControllerState.RUNNING, null);

        assertThat(running.wished(Wish.STOP).in(Phase.STOPPING).state()).isEqualTo(ControllerState.RUNNING);
        assertThat(running.wished(Wish.STOP).isUp()).isFalse();
        assertThat(running.failed("why").in(Phase.STOPPING).notReady()).isEqualTo("why");
        assertThat(running.failed("why").closed())
                .isEqualTo(new ControllerLife(Phase.CLOSED, ControllerState.STOPPED, null, null, true, Wish.RUN));
    }

    @Test
    void oneThatIsSwitchedOffIsOverFromTheFirst() {
        ControllerLife off = ControllerLife.first(false);

        assertThat(off.state()).isEqualTo(ControllerState.DISABLED);
        assertThat(off.competes()).isTrue();
        assertThat(off.phase()).isEqualTo(Phase.CLOSED);
    }
}
