package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.manager.internal.Candidacy.Desired;
import io.controllermanager.manager.internal.ControllerLife.Phase;
import io.controllermanager.manager.internal.ControllerLife.Wish;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is to become of a Lease, by the lives of those who work by it. */
class CandidacyTest {

    private static ControllerLife life(String phase, boolean competes) {
        return new ControllerLife(Phase.valueOf(phase), ControllerState.STOPPED, null, null, competes, Wish.RUN);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            # phase,  ended
            NEW,      false, AS_IT_IS
            STARTING, false, AS_IT_IS
            FILLING,  false, AS_IT_IS
            UP,       false, COMPETING
            # its work is still ending
            FAILED,   false, AS_IT_IS
            FAILED,   true,  WITHDRAWN
            STOPPING, false, AS_IT_IS
            STOPPING, true,  WITHDRAWN
            CLOSING,  true,  WITHDRAWN
            CLOSED,   true,  WITHDRAWN
            """)
    void theLeaseOfOneControllerFollowsThatOne(String phase, boolean ended, Desired desired) {
        List<ControllerLife> only = List.of(life(phase, true));

        assertThat(Desired.of(true, false, only, ended, false)).isEqualTo(desired);
        assertThat(Desired.of(true, false, only, ended, true)).isEqualTo(desired);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            # phases,         competes, ended, stopping
            UP STARTING,      true,    false, false,    COMPETING
            FAILED CLOSED,    true,    true,  false,    COMPETING
            UP FILLING,       false,   false, false,    AS_IT_IS
            STOPPING STOPPING, true,   false, true,     AS_IT_IS
            STOPPING CLOSED,  true,    true,  true,     WITHDRAWN
            """)
    void theLeaseOfAllIsCompetedForOnceAllAreSettledAndGivenUpOnceAllHaveEnded(
            String phases, boolean competes, boolean ended, boolean stopping, Desired desired) {
        List<ControllerLife> lives =
                Stream.of(phases.split(" ")).map(phase -> life(phase, competes)).toList();

        assertThat(Desired.of(false, false, lives, ended, stopping)).isEqualTo(desired);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            # phases,         ended, stopping
            UP STARTING,      false, false,    COMPETING
            STARTING FILLING, false, false,    AS_IT_IS
            FAILED CLOSED,    true,  false,    AS_IT_IS
            STOPPING STOPPING, false, true,    AS_IT_IS
            STOPPING CLOSED,  true,  true,     WITHDRAWN
            """)
    void anAnchorIsCompetedForOnceAnyCouldWorkAndGivenUpOnceAllHaveEnded(
            String phases, boolean ended, boolean stopping, Desired desired) {
        List<ControllerLife> lives =
                Stream.of(phases.split(" ")).map(phase -> life(phase, true)).toList();

        assertThat(Desired.of(false, true, lives, ended, stopping)).isEqualTo(desired);
    }
}
