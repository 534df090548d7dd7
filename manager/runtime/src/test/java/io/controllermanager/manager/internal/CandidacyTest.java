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

    private static ControllerLife life(String phase, boolean settled) {
        return new ControllerLife(Phase.valueOf(phase), ControllerState.STOPPED, null, null, settled, Wish.RUN);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            # phase,      not stopping, stopping
            NEW,          AS_IT_IS,     AS_IT_IS
            STARTING,     AS_IT_IS,     AS_IT_IS
            FILLING,      AS_IT_IS,     AS_IT_IS
            STANDBY,      COMPETING,    COMPETING
            CATCHING_UP,  COMPETING,    COMPETING
            READY,        COMPETING,    COMPETING
            WORKING,      COMPETING,    COMPETING
            HANDING_OVER, COMPETING,    COMPETING
            FAILED,       WITHDRAWN,    WITHDRAWN
            STOPPING,     AS_IT_IS,     AS_IT_IS
            DRAINED,      WITHDRAWN,    WITHDRAWN
            CLOSING,      WITHDRAWN,    WITHDRAWN
            CLOSED,       WITHDRAWN,    WITHDRAWN
            """)
    void theLeaseOfOneControllerFollowsThatOne(String phase, Desired desired, Desired whenStopping) {
        List<ControllerLife> only = List.of(life(phase, true));

        assertThat(Desired.of(true, only, false)).isEqualTo(desired);
        assertThat(Desired.of(true, only, true)).isEqualTo(whenStopping);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            # phases,          settled, stopping
            STANDBY STARTING,  true,    false,    COMPETING
            FAILED CLOSED,     true,    false,    COMPETING
            STANDBY FILLING,   false,   false,    AS_IT_IS
            DRAINED STOPPING,  true,    true,     AS_IT_IS
            DRAINED CLOSED,    true,    true,     WITHDRAWN
            """)
    void theLeaseOfAllIsCompetedForOnceAllAreSettledAndGivenUpOnceAllHaveEnded(
            String phases, boolean settled, boolean stopping, Desired desired) {
        List<ControllerLife> lives =
                Stream.of(phases.split(" ")).map(phase -> life(phase, settled)).toList();

        assertThat(Desired.of(false, lives, stopping)).isEqualTo(desired);
    }
}
