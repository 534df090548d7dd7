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

    private static RollingUpdates.Done done(String namespace, String replica, long from, long until) {
        return new RollingUpdates.Done(
                namespace, new Turns.Work(replica, Instant.ofEpochMilli(from), Instant.ofEpochMilli(until)));
    }

    @Test
    void judgesEachNamespaceByItself() {
        Turns turns = Turns.inEach(List.of(
                done("left", "a", 0, 100),
                done("right", "b", 50, 60),
                done("right", "a", 90, 110),
                done("right", "b", 180, 190),
                done("left", "b", 120, 130)));

        assertThat(turns).isEqualTo(new Turns(3, Duration.ofMillis(70), List.of()));
    }

    @Test
    void findsInAWholeRunWhatIsInNoneOfItsMoves() {
        List<RollingUpdates.Done> oneMove = List.of(done("left", "a", 0, 10), done("right", "b", 0, 10));
        List<RollingUpdates.Done> theNext = List.of(done("left", "a", 5, 60), done("left", "c", 70, 80));
        List<RollingUpdates.Done> afterTheLast = List.of(done("left", "b", 50, 55));

        List<RollingUpdates.Done> whole = new ArrayList<>();
        for (List<RollingUpdates.Done> part : List.of(oneMove, theNext, afterTheLast)) {
            assertThat(Turns.inEach(part).together()).isEmpty();
            whole.addAll(part);
        }
        assertThat(Turns.inEach(whole).together()).singleElement().asString().startsWith("in left b worked at");
    }
}
