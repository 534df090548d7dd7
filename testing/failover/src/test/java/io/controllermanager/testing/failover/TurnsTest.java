package io.controllermanager.testing.failover;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Times are in milliseconds. */
class TurnsTest {

    private final List<Turns.Work> work = new ArrayList<>();

    private void works(String replica, long from, long until) {
        work.add(new Turns.Work(replica, Instant.ofEpochMilli(from), Instant.ofEpochMilli(until)));
    }

    @Test
    void isContentIfOneFollowsTheOther() {
        works("b", 100, 120);
        works("a", 0, 30);
        works("a", 10, 50);
        works("b", 130, 140);

        Turns turns = Turns.of(work);
        assertThat(turns.together()).isEmpty();
        assertThat(turns.changes()).isEqualTo(1);
        assertThat(turns.longestPause()).isEqualTo(Duration.ofMillis(50));
    }

    @Test
    void noticesTwoAtATimeAndThoseThatTakeTurns() {
        works("a", 0, 100);
        works("a", 10, 20);
        works("b", 30, 40);
        works("a", 110, 120);

        Turns turns = Turns.of(work);
        assertThat(turns.together()).singleElement().asString().startsWith("b worked at");
        assertThat(turns.changes()).isEqualTo(2);
    }

    @Test
    void nothingIsNothing() {
        assertThat(Turns.of(work)).isEqualTo(new Turns(0, Duration.ZERO, List.of()));
    }
}
