package io.controllermanager.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.test.Patience.Reason;
import io.controllermanager.test.Patience.Wait;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PatienceTest {

    private static final long BEGUN = Long.MAX_VALUE - 5;

    /** Times are in seconds since the wait began: when the reason changed last, and when it is looked at. */
    @ParameterizedTest
    @CsvSource({
        "false, 0, 35, false",
        "false, 0, 36, true",
        "false, 10, 45, false",
        "false, 10, 46, true",
        "true, 0, 36, false",
        "true, 0, 180, false",
        "true, 0, 181, true",
        "true, 150, 181, true",
        "false, 150, 181, true"
    })
    void endsWhenNothingChangesOrItTakesTooLong(boolean worked, long changed, long now, boolean over) {
        Wait wait = new Wait(new Reason("at first", worked), BEGUN, BEGUN)
                .next(new Reason("then", worked), at(changed))
                .next(new Reason("then", worked), at(now));
        assertThat(wait.isOver(at(now))).isEqualTo(over);
    }

    private static long at(long seconds) {
        return BEGUN + Duration.ofSeconds(seconds).toNanos();
    }
}
