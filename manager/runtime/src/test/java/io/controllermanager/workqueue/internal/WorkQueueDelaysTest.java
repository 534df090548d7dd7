package io.controllermanager.workqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.time.Clock;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** When delayed and failed keys come. */
class WorkQueueDelaysTest extends QueueInVirtualTime {

    @Test
    void oneRefusalOfTheTimerDelaysNoOtherKey() throws InterruptedException {
        boolean[] refuse = {true};
        try (WorkQueue<String> delays = WorkQueue.<String>named("delays")
                .clock(time)
                .timer((delay, task) -> {
                    if (refuse[0]) {
                        throw new OutOfMemoryError("made up");
                    }
                    return time.schedule(delay, task);
                })
                .build()) {
            assertThatThrownBy(() -> delays.addAfter("first", Duration.ofSeconds(1)))
                    .isInstanceOf(OutOfMemoryError.class);
            refuse[0] = false;
            delays.addAfter("second", Duration.ofSeconds(2));
            time.advance(Duration.ofSeconds(1));
            assertThat(delays.size()).isEqualTo(1);
            assertThat(delays.take()).isEqualTo("first");
            time.advance(Duration.ofSeconds(1));
            assertThat(delays.take()).isEqualTo("second");
        }
    }

    @Test
    void goesOnWithItsDelaysAfterOneCouldNotBeEnded() throws InterruptedException {
        int[] untilFailure = {0};
        Clock clock = new Clock() {
            @Override
            public long nanoTime() {
                if (untilFailure[0] > 0 && --untilFailure[0] == 0) {
                    throw new OutOfMemoryError("made up");
                }
                return time.nanoTime();
            }

            @Override
            public Instant now() {
                return time.now();
            }
        };
        try (WorkQueue<String> delays =
                WorkQueue.<String>named("delays").clock(clock).timer(time).build()) {
            delays.addAfter("first", Duration.ofSeconds(1));
            delays.addAfter("second", Duration.ofSeconds(2));
            untilFailure[0] = 1;
            assertThatThrownBy(() -> time.advance(Duration.ofSeconds(1))).isInstanceOf(OutOfMemoryError.class);
            time.runDue();
            assertThat(delays.size()).isEqualTo(1);
            assertThat(delays.take()).isEqualTo("first");
            time.advance(Duration.ofSeconds(1));
            assertThat(delays.take()).isEqualTo("second");
        }
    }

    @Test
    void delaysAKeyUntilItsTimeAndNotLonger() throws InterruptedException {
        queue.addAfter("foo", Duration.ofMillis(50));
        time.advance(Duration.ofMillis(50).minusNanos(1));
        assertThat(queue.size()).isZero();
        assertThat(queue.delayed()).isEqualTo(1);
        time.advance(Duration.ofNanos(1));
        assertThat(takeAll()).containsExactly("foo");
        time.advance(Duration.ofSeconds(10));
        assertThat(queue.size()).isZero();
    }

    @Test
    void deliversInTheOrderOfTimeNotOfAdding() throws InterruptedException {
        queue.addAfter("third", Duration.ofSeconds(3));
        queue.addAfter("first", Duration.ofSeconds(1));
        queue.addAfter("second", Duration.ofSeconds(2));
        queue.addAfter("second too", Duration.ofSeconds(2));
        time.advance(Duration.ofSeconds(5));
        assertThat(takeAll()).containsExactly("first", "second", "second too", "third");
    }

    @Test
    void keepsTheDelayOfAKeyThatIsReadyNow() throws InterruptedException {
        queue.add("foo");
        queue.addAfter("foo", Duration.ofHours(1));
        assertThat(takeAll()).containsExactly("foo");
        time.advance(Duration.ofHours(1));
        assertThat(takeAll()).containsExactly("foo");
    }

    @Test
    void asksTheTimerForTheEarliestDelayOnly() {
        for (int i = 1000; i > 0; i--) {
            queue.addAfter("key " + i, Duration.ofSeconds(i));
        }
        assertThat(time.scheduledDelays()).containsExactly(Duration.ofSeconds(1));
    }

    @Test
    void takesDelaysOfAnyLength() {
        queue.addAfter("never", Duration.ofSeconds(Long.MAX_VALUE));
        queue.addAfter("past", Duration.ofSeconds(Long.MIN_VALUE));
        time.advance(Duration.ofDays(365));
        assertThat(queue.size()).isEqualTo(1);
        assertThat(queue.delayed()).isEqualTo(1);
    }

    @Test
    void releasesRetriesButNotOtherDelays() throws InterruptedException {
        for (int i = 0; i < 5; i++) {
            queue.addRateLimited("failed");
        }
        queue.addAfter("failed too, and asked for", Duration.ofHours(1));
        queue.addRateLimited("failed too, and asked for");
        queue.addAfter("asked for", Duration.ofHours(1));
        queue.retryNow();
        assertThat(takeAll()).containsExactlyInAnyOrder("failed", "failed too, and asked for");
        assertThat(queue.snapshot().retries()).isEmpty();
        assertThat(queue.snapshot().delayed()).containsOnlyKeys("asked for", "failed too, and asked for");
        time.advance(Duration.ofHours(1));
        assertThat(takeAll()).containsExactlyInAnyOrder("asked for", "failed too, and asked for");
    }
}
