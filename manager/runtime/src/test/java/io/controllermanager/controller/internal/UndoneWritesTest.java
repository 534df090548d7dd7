package io.controllermanager.controller.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.controller.internal.UndoneWrites.State;
import io.controllermanager.time.internal.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the answers to one's own writes tell of others. */
class UndoneWritesTest {

    private static final Duration PROMPT = Duration.ofMillis(10);

    private final VirtualTime time = new VirtualTime();
    private final UndoneWrites writes = new UndoneWrites(time);
    private int version;

    @ParameterizedTest
    @CsvSource(textBlock = """
                    # before: version, generation, replicas, status, label; then; whether it was undone in between
                    1, 1, 3, x, l,    3, 3, 3, x, l,   true
                    # others write the status as well, all the time
                    1, 1, 3, x, l,    5, 3, 3, y, l,   true
                    # nobody wrote
                    1, 1, 3, x, l,    1, 1, 3, x, l,   false
                    # this one wants something else than before
                    1, 1, 3, x, l,    3, 3, 4, x, l,   false
                    # the status alone is written, to where all else is
                    1, 1, 3, x, l,    2, 2, 3, y, l,   false
                    # metadata and what has no generation
                    1, 1, 3, x, l,    3, 1, 3, x, l,   true
                    1, 1, 3, x, l,    3, 1, 3, x, m,   false
                    1, , 3, x, l,     3, , 3, x, l,    true
                    1, , 3, x, l,     3, , 3, y, l,    false
                    """)
    void aWriteRestoresWhatTheOneBeforeHadMade(
            String version1,
            String generation1,
            int replicas1,
            String status1,
            String label1,
            String version2,
            String generation2,
            int replicas2,
            String status2,
            String label2,
            boolean undone) {
        State before = state(version1, generation1, replicas1, status1, label1);
        assertThat(state(version2, generation2, replicas2, status2, label2).restores(before))
                .isEqualTo(undone);
    }

    @Test
    void aKeyPausesTwiceAsLongEachTimeUntilItIsOver() {
        for (int i = 0; i < UndoneWrites.MANY; i++) {
            assertThat(write(3)).as("write " + i).isZero();
            time.advance(PROMPT);
        }
        List<Long> pauses = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Duration pause = write(3);
            pauses.add(pause.toSeconds());
            time.advance(pause);
        }
        assertThat(pauses).containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 60L, 60L);

        time.advance(UndoneWrites.QUIET.plusSeconds(1));
        assertThat(write(3)).isZero();
    }

    @Test
    void whoWantsSomethingElseEachTimeIsNotUndone() {
        for (int i = 0; i < 100; i++) {
            assertThat(write(i)).isZero();
        }
    }

    @Test
    void whoWritesWhatIsThereAlreadyIsNotUndone() {
        State same = state("1", "1", 3, "x", "l");
        for (int i = 0; i < 100; i++) {
            assertThat(writes.written("/path", same)).isZero();
        }
    }

    @Test
    void editsByHandAreTooFewAndTooSlow() {
        for (int i = 0; i < 100; i++) {
            assertThat(write(3)).isZero();
            time.advance(UndoneWrites.QUIET.plusSeconds(1));
        }
    }

    @Test
    void anotherObjectsWritesDoNotHideIt() {
        for (int i = 0; i < UndoneWrites.MANY; i++) {
            write(3);
            for (int other = 0; other < 9000; other++) {
                assertThat(writes.written("/other/" + other, state("" + i, "1", i, "x", "l")))
                        .isZero();
            }
        }
        assertThat(write(3)).isEqualTo(Duration.ofSeconds(1));
    }

    /** A write after which there are so many replicas; somebody else has written since the last one. */
    private Duration write(int replicas) {
        version += 2;
        return writes.written("/path", state("" + version, "" + version, replicas, "x" + version, "l"));
    }

    private static State state(String version, String generation, int replicas, String status, String label) {
        JsonObject object = JsonParser.parseString("""
                        {"metadata": {"name": "a", "resourceVersion": "%s", "labels": {"l": "%s"},
                                      "managedFields": [{"manager": "m", "time": "%1$s"}]},
                         "spec": {"replicas": %d}, "status": {"s": "%s"}}
                        """.formatted(version, label, replicas, status))
                .getAsJsonObject();
        if (generation != null) {
            object.getAsJsonObject("metadata").addProperty("generation", Long.parseLong(generation));
        }
        return State.of(object);
    }
}
