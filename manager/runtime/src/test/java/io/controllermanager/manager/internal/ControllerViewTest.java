package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.manager.internal.ShardLife.Phase;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What operators see of a shard. */
class ControllerViewTest {

    @ParameterizedTest
    @CsvSource(textBlock = """
            # phase,      leading, holder
            WORKING,      true,    me,    WORKING
            WORKING,      false,   me,    WAITING
            WORKING,      false,   other, ELSEWHERE
            CATCHING_UP,  true,    me,    WAITING
            HANDING_OVER, true,    me,    WAITING
            STANDBY,      false,   other, ELSEWHERE
            STANDBY,      false,   ,      FREE
            """)
    void eachShardIsShownInOneState(Phase phase, boolean leading, @Nullable String holder, ShardState state) {
        assertThat(ControllerView.state(phase == Phase.WORKING, leading, holder, "me"))
                .isEqualTo(state);
    }
}
