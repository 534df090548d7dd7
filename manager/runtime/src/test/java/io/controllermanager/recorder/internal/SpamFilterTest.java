package io.controllermanager.recorder.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.controllermanager.time.internal.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SpamFilterTest {

    private final VirtualTime time = new VirtualTime();
    private final SpamFilter filter = new SpamFilter(EventLimits.STANDARD, time);

    @Test
    void admitsABurstAndThenOneEveryFiveMinutes() {
        assertThat(admitted("foo", "a", 0, 1_000)).isEqualTo(25);

        time.advance(Duration.ofSeconds(299));
        assertThat(admitted("foo", "a", 1_000, 10)).isZero();
        time.advance(Duration.ofSeconds(1));
        assertThat(admitted("foo", "a", 2_000, 10)).isEqualTo(1);
        time.advance(Duration.ofMinutes(15));
        assertThat(admitted("foo", "a", 3_000, 10)).isEqualTo(3);
    }

    @Test
    void admitsNoMoreThanABurstAfterALongSilence() {
        assertThat(admitted("foo", "a", 0, 1_000)).isEqualTo(25);
        time.advance(Duration.ofDays(30));

        assertThat(admitted("foo", "a", 1_000, 1_000)).isEqualTo(25);
    }

    @Test
    void heedsEachComponentAndObjectByItself() {
        assertThat(admitted("foo", "a", 0, 1_000)).isEqualTo(25);

        assertThat(admitted("foo", "b", 0, 20)).isEqualTo(20);
        assertThat(admitted("bar", "a", 0, 20)).isEqualTo(20);
    }

    @Test
    void takesNothingForARepetition() {
        for (int i = 0; i < 1_000; i++) {
            assertThat(admitted("foo", "a", 0, 1)).isEqualTo(1);
        }
        assertThat(admitted("foo", "a", 1, 100)).isEqualTo(24);
        assertThat(admitted("foo", "a", 0, 25)).isEqualTo(25);
    }

    @Test
    void takesATokenForWhatIsNoRepetitionAnyMore() {
        assertThat(admitted("foo", "a", 0, 25)).isEqualTo(25);
        time.advance(Duration.ofMinutes(10).plusNanos(1));

        assertThat(admitted("foo", "a", 0, 25)).isEqualTo(2);
    }

    @Test
    void admitsNothingTwiceThatItDidNotAdmit() {
        assertThat(admitted("foo", "a", 0, 25)).isEqualTo(25);

        assertThat(admitted("foo", "a", 100, 1)).isZero();
        assertThat(admitted("foo", "a", 100, 1)).isZero();
    }

    @Test
    void knowsThoseThatRecordedLast() {
        knowsThoseThatRecordedLast(3 * SpamFilter.BUCKETS);
    }

    @Test
    @Tag("deep")
    void knowsThoseThatRecordedLastAmongAHundredThousand() {
        knowsThoseThatRecordedLast(100_000);
    }

    private void knowsThoseThatRecordedLast(int objects) {
        assertThat(admitted("foo", "busy", 0, 1_000)).isEqualTo(25);
        for (int i = 0; i < objects; i++) {
            assertThat(admitted("foo", "object-" + i, 0, 1)).isEqualTo(1);
            if (i % 1_000 == 0) {
                assertThat(admitted("foo", "busy", 1_000, 1)).isZero();
            }
        }

        assertThat(filter.size()).isEqualTo(SpamFilter.BUCKETS);
        assertThat(admitted("foo", "busy", 1_000, 1)).isZero();
        assertThat(admitted("foo", "object-1", 1, 100)).isEqualTo(25);
    }

    @Test
    void keepsOtherLimits() {
        SpamFilter generous = new SpamFilter(new EventLimits(100, 1), time);
        int admitted = 0;
        for (int i = 0; i < 1_000; i++) {
            admitted += generous.admits(event("foo", "a", "note " + i)) ? 1 : 0;
        }
        assertThat(admitted).isEqualTo(100);
        time.advance(Duration.ofSeconds(1));
        assertThat(generous.admits(event("foo", "a", "one more"))).isTrue();
        assertThat(generous.admits(event("foo", "a", "and another"))).isFalse();
    }

    @Test
    void refusesLimitsThatMeanNothing() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new EventLimits(0, 1))
                .withMessageContaining("0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new EventLimits(1, 0))
                .withMessageContaining("0.0");
        assertThatIllegalArgumentException().isThrownBy(() -> new EventLimits(1, Double.NaN));
    }

    /** How many of so many different Events are admitted. */
    private int admitted(String component, String object, int from, int events) {
        int admitted = 0;
        for (int i = from; i < from + events; i++) {
            admitted += filter.admits(event(component, object, "note " + i)) ? 1 : 0;
        }
        return admitted;
    }

    private static RecordedEvent.Identity event(String component, String object, String note) {
        return new RecordedEvent.Identity(component, "Warning", "v1/ConfigMap/ns/" + object, "Failed", note);
    }
}
