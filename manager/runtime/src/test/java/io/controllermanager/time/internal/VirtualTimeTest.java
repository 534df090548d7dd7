package io.controllermanager.time.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.controllermanager.testing.support.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class VirtualTimeTest {

    private final VirtualTime time = new VirtualTime();
    private final List<String> ran = new ArrayList<>();

    @Test
    void runsWhatIsDueInOrderAtItsOwnTime() {
        long start = time.nanoTime();
        time.schedule(Duration.ofSeconds(2), () -> ran.add("second at " + (time.nanoTime() - start)));
        time.schedule(Duration.ofSeconds(1), () -> ran.add("first at " + (time.nanoTime() - start)));
        time.schedule(Duration.ofSeconds(4), () -> ran.add("too late"));

        time.advance(Duration.ofSeconds(3));

        assertThat(ran).containsExactly("first at 1000000000", "second at 2000000000");
        assertThat(time.nanoTime() - start).isEqualTo(3_000_000_000L);
        assertThat(time.now()).isEqualTo(VirtualTime.START.plusSeconds(3));
        assertThat(time.scheduledDelays()).containsExactly(Duration.ofSeconds(1));
    }

    @Test
    void keepsTheOrderOfSchedulingAtTheSameTime() {
        time.schedule(Duration.ofSeconds(1), () -> ran.add("a"));
        time.schedule(Duration.ofSeconds(1), () -> ran.add("b"));
        time.advance(Duration.ofSeconds(1));
        assertThat(ran).containsExactly("a", "b");
    }

    @Test
    void runsWhatATaskSchedulesInTheSameCallIfItFallsDue() {
        time.schedule(Duration.ofSeconds(1), () -> {
            ran.add("a");
            time.schedule(Duration.ofSeconds(1), () -> ran.add("b"));
            time.schedule(Duration.ofSeconds(9), () -> ran.add("c"));
        });
        time.advance(Duration.ofSeconds(2));
        assertThat(ran).containsExactly("a", "b");
    }

    @Test
    void takesBackOnlyWhatWasCancelled() {
        Runnable same = () -> ran.add("same");
        Timer.Cancellable first = time.schedule(Duration.ofSeconds(1), same);
        time.schedule(Duration.ofSeconds(1), same);
        first.cancel();
        first.cancel();
        time.advance(Duration.ofSeconds(1));
        assertThat(ran).containsExactly("same");
    }

    @Test
    void runsADelayOfZeroOnlyWhenAsked() {
        time.schedule(Duration.ZERO, () -> ran.add("now"));
        assertThat(ran).isEmpty();
        time.runDue();
        assertThat(ran).containsExactly("now");
    }

    @Test
    void movesTheWallClockWithoutTheMonotonicOne() {
        long before = time.nanoTime();
        time.shiftWallClock(Duration.ofHours(-1));
        assertThat(time.nanoTime()).isEqualTo(before);
        assertThat(time.now()).isEqualTo(VirtualTime.START.minusSeconds(3600));
    }

    @Test
    void stepsFromTaskToTask() {
        time.schedule(Duration.ofSeconds(1), () -> ran.add("a"));
        time.schedule(Duration.ofDays(1), () -> ran.add("b"));
        assertThat(time.advanceToNextTask()).isTrue();
        assertThat(ran).containsExactly("a");
        assertThat(time.advanceToNextTask()).isTrue();
        assertThat(time.advanceToNextTask()).isFalse();
        assertThat(ran).containsExactly("a", "b");
    }

    @Test
    void tellsTheTestWhatATaskThrows() {
        time.schedule(Duration.ZERO, () -> {
            throw new IllegalStateException("no");
        });
        assertThatThrownBy(time::runDue).hasMessage("no");
    }

    @Test
    void aSleepIsOverWhenItsTimeHasCome() throws InterruptedException {
        CountDownLatch over = new CountDownLatch(1);
        Thread sleeper = new Thread(() -> {
            try {
                time.sleep(Duration.ZERO);
                time.sleep(Duration.ofSeconds(10));
                over.countDown();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        sleeper.start();
        await().until(() -> time.scheduledDelays().contains(Duration.ofSeconds(10)));
        time.advance(Duration.ofMillis(9_999));
        assertThat(over.getCount()).isOne();
        time.advance(Duration.ofMillis(1));

        Waiting.on(sleeper);
        assertThat(over.getCount()).isZero();
    }
}
