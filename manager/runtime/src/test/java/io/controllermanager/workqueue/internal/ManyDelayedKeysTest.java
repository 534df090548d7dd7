package io.controllermanager.workqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.time.internal.VirtualTime;
import java.time.Duration;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Very many delayed adds: every key comes in the ten milliseconds in which its earliest delay ends. */
class ManyDelayedKeysTest {

    private static final Duration LONGEST = Duration.ofSeconds(10);
    private static final Duration STEP = Duration.ofMillis(10);

    private final VirtualTime time = new VirtualTime();
    private final WorkQueue<Integer> queue =
            WorkQueue.<Integer>named("delays").clock(time).timer(time).build();
    private final Random random = new Random(1);
    private long now;

    /** When each key is due, counted as {@link #now}; 0 if it is not delayed. */
    private long[] due = new long[0];

    @AfterEach
    void close() {
        queue.close();
    }

    @Test
    void deliversEachOfManyKeys() throws InterruptedException {
        deliverEach(50_000);
    }

    @Test
    @Tag("deep")
    void deliversEachOfAMillionKeys() throws InterruptedException {
        deliverEach(1_000_000);
    }

    @Test
    void deliversFewKeysAtTheEarliestOfManyDelays() throws InterruptedException {
        deliverAtTheEarliest(500, 50_000);
    }

    @Test
    @Tag("deep")
    void deliversTenThousandKeysAtTheEarliestOfAMillionDelays() throws InterruptedException {
        deliverAtTheEarliest(10_000, 1_000_000);
    }

    private void deliverEach(int keys) throws InterruptedException {
        due = new long[keys];
        for (int key = 0; key < keys; key++) {
            add(key);
        }
        assertThat(queue.delayed()).isEqualTo(keys);
        int delivered = 0;
        while (queue.delayed() > 0) {
            delivered += step();
        }
        assertThat(delivered).isEqualTo(keys);
    }

    private void deliverAtTheEarliest(int keys, int adds) throws InterruptedException {
        due = new long[keys];
        int delivered = 0;
        for (int i = 0; i < adds; i++) {
            add(random.nextInt(due.length));
            if (i % 1000 == 0) {
                delivered += step();
            }
        }
        while (queue.delayed() > 0) {
            delivered += step();
        }
        assertThat(delivered).isGreaterThanOrEqualTo(due.length);
        for (long left : due) {
            assertThat(left).isZero();
        }
    }

    private void add(int key) {
        long delay = 1 + random.nextLong(LONGEST.toNanos());
        queue.addAfter(key, Duration.ofNanos(delay));
        if (due[key] == 0 || now + delay < due[key]) {
            due[key] = now + delay;
        }
    }

    /** Lets ten milliseconds pass and takes what has become ready; returns how many keys that were. */
    private int step() throws InterruptedException {
        long before = now;
        time.advance(STEP);
        now += STEP.toNanos();
        int ready = queue.size();
        for (int i = 0; i < ready; i++) {
            int key = Objects.requireNonNull(queue.take());
            if (due[key] <= before || due[key] > now) {
                throw new AssertionError(
                        "key " + key + ", due at " + due[key] + ", came between " + before + " and " + now);
            }
            due[key] = 0;
            queue.done(key);
        }
        return ready;
    }
}
