package io.controllermanager.controller.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.controller.internal.FailureLog.Telling;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FailureNewsTest {

    private static final FailureCause BUG = new FailureCause("NullPointerException at a.B.c(B.java:7)", false, false);
    private static final FailureCause OTHER_BUG =
            new FailureCause("NullPointerException at a.B.c(B.java:8)", false, false);
    private static final FailureCause CONFLICT = new FailureCause("HTTP 409", true, false);
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();
    private final FailureLog news = new FailureLog("foo", time, new KeyMemories());

    @Test
    void aKeyThatGoesOnFailingIsToldOfAtOnceAndThenOnceAMinute() {
        List<String> told = new ArrayList<>();
        for (int second = 0; second <= 130; second++) {
            Telling telling = news.judge(key(1), BUG, true);
            if (telling.line()) {
                told.add(second + " s: " + telling.times() + " times within "
                        + telling.within().toSeconds() + " s" + (telling.stack() ? ", stack" : ""));
            }
            time.advance(SECOND);
        }
        assertThat(told)
                .containsExactly(
                        "0 s: 1 times within 0 s, stack",
                        "60 s: 61 times within 60 s",
                        "120 s: 121 times within 120 s");
    }

    @Test
    void whatItsMessageTellsInFullHasNoStack() {
        assertThat(news.judge(key(1), CONFLICT, true)).isEqualTo(new Telling(true, false, 1, Duration.ZERO, 0));
    }

    @Test
    void anotherCauseIsNewsAtOnce() {
        assertThat(news.judge(key(1), BUG, true)).isEqualTo(new Telling(true, true, 1, Duration.ZERO, 0));
        time.advance(SECOND);
        assertThat(news.judge(key(1), OTHER_BUG, true)).isEqualTo(new Telling(true, true, 1, Duration.ZERO, 0));
        time.advance(SECOND);
        assertThat(news.judge(key(1), CONFLICT, true)).isEqualTo(new Telling(true, false, 1, Duration.ZERO, 0));
    }

    @Test
    void aFailureAfterASuccessIsNewsAtOnce() {
        news.judge(key(1), BUG, true);
        news.ended(key(1));
        assertThat(news.failing()).isZero();
        assertThat(news.judge(key(1), BUG, true)).isEqualTo(new Telling(true, true, 1, Duration.ZERO, 0));
    }

    @Test
    void aKeyThatIsNotRetriedIsToldOfEachTimeAndFailsNoMore() {
        news.judge(key(1), BUG, true);
        assertThat(news.judge(key(1), OTHER_BUG, false)).isEqualTo(new Telling(true, false, 1, Duration.ZERO, 0));
        assertThat(news.failing()).isZero();
        assertThat(news.judge(key(1), OTHER_BUG, false)).isEqualTo(new Telling(true, false, 1, Duration.ZERO, 0));
    }

    @Test
    void manyKeysThatFailByOneCauseGetAHundredLinesAMinuteAndTenStacks() {
        List<Telling> tellings = failAll(100_000);
        assertThat(tellings).filteredOn(Telling::line).hasSize(FailureLog.LINES);
        assertThat(tellings).filteredOn(Telling::stack).hasSize(FailureLog.STACKS);
        assertThat(news.failing()).isEqualTo(100_000);
        assertThat(news.judge(key(1), CONFLICT, true).line())
                .as("another cause")
                .isTrue();

        time.advance(FailureLog.INTERVAL);
        tellings = failAll(100_000);
        assertThat(tellings).filteredOn(Telling::line).hasSize(FailureLog.LINES);
        assertThat(tellings).filteredOn(Telling::stack).isEmpty();
        assertThat(tellings.get(0).leftOut()).isEqualTo(99_900);
        assertThat(tellings.get(1).leftOut()).isZero();
    }

    @Test
    void afterAQuietHourThereAreStacksAgain() {
        failAll(20);
        time.advance(FailureLog.MEMORY.minusNanos(1));
        assertThat(news.judge(key(100), BUG, true).stack()).isFalse();
        time.advance(FailureLog.MEMORY);
        assertThat(news.judge(key(101), BUG, true).stack()).isTrue();
    }

    @Test
    void theCausesThatOccurredLongestAgoAreForgotten() {
        failAll(20);
        for (int i = 1; i < FailureLog.CAUSES; i++) {
            news.judge(key(100), new FailureCause("cause " + i, false, false), true);
        }
        assertThat(news.judge(key(101), BUG, true).stack()).as("known").isFalse();
        for (int i = 0; i < FailureLog.CAUSES; i++) {
            news.judge(key(100), new FailureCause("new cause " + i, false, false), true);
        }
        assertThat(news.judge(key(102), BUG, true).stack()).as("forgotten").isTrue();
    }

    private List<Telling> failAll(int keys) {
        List<Telling> tellings = new ArrayList<>();
        for (int i = 0; i < keys; i++) {
            tellings.add(news.judge(key(i), BUG, true));
        }
        return tellings;
    }

    private static Request key(int number) {
        return new Request("default", "key-" + number);
    }
}
